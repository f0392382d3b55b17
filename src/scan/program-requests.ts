import { vocabulary } from "../model/deprecations.ts";
import {
  type Address,
  addressMentions,
  type Evidence,
  type Mention,
  matchAddress,
  parametersIn,
  resolveAddress,
  type SentParameter,
  wantedNames,
} from "./addresses.ts";
import { apiName, Program, parametersAt } from "./program.ts";
import {
  assignedName,
  type Calls,
  comparedWith,
  enclosingCalls,
  fieldAt,
  isAssignment,
  isRequest,
  isVariable,
  namesBoundAt,
} from "./statements.ts";
import { hole, maskedInterpolations, type TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";

/** The last value of a variable: addresses or their responses, parameters, a string literal. */
interface Known {
  readonly addresses: readonly Address[];
  readonly sent: readonly SentParameter[];
  readonly literal?: TextFragment | undefined;
}

const nothing: Known = { addresses: [], sent: [] };

/** A part of a statement, at a token. */
interface Part extends Known {
  readonly at: number;
  readonly calls: Calls;
  /** True if it is a literal in the statement, not the value of a variable. */
  readonly own: boolean;
}

/** Further values of one name or statement are dropped. */
const maxValues = 30;

/**
 * Requests of a program and fields of their responses. An address and a parameter in one call are certain; if a
 * variable connects them, they are likely.
 */
export function mentionsInProgram(tokens: readonly Token[], text: string, evidence: Evidence): readonly Mention[] {
  const program = new Program(tokens, text);
  const statements = new Map<number, number[]>();
  for (const index of tokens.keys()) {
    const head = program.head(index);
    const statement = statements.get(head);
    if (statement) statement.push(index);
    else statements.set(head, [index]);
  }
  const reader = new StatementReader(program, evidence);
  for (const statement of statements.values()) reader.read(statement);
  return reader.mentions;
}

interface FoundAddress {
  readonly address: Address;
  /** True if the literal contains `/api/v4`. */
  readonly isWhole: boolean;
  readonly mentions: readonly Mention[];
}

/** The address in a string literal, with the mentions in the literal itself. */
export function addressInText(
  { text, start }: TextFragment,
  evidence: Evidence,
  baseOf: (before: string) => string | undefined = () => undefined,
): FoundAddress | undefined {
  if (!/[a-z]/.test(text) || text.length > 5000) return undefined;
  const masked = maskedInterpolations(text);
  const match = matchAddress(masked, text);
  if (!match || (match.base === "none" && !match.path.includes("/") && !masked.includes("?"))) return undefined;
  const address = resolveAddress(match, evidence, baseOf(match.before));
  if (!address) return undefined;
  return { address, isWhole: match.base === "api", mentions: addressMentions({ text: masked, start }, match, address) };
}

/** Reads statements in their order, and tracks the values of variables. */
class StatementReader {
  readonly mentions: Mention[] = [];
  readonly #program: Program;
  readonly #evidence: Evidence;
  readonly #variables = new Map<string, Known>();

  constructor(program: Program, evidence: Evidence) {
    this.#program = program;
    this.#evidence = evidence;
  }

  read(statement: readonly number[]): void {
    const [head = -1] = statement;
    const sign = statement.find((at) => isAssignment(this.#program, at, head));
    const left = sign === undefined ? [] : statement.filter((at) => at < sign);
    const bound = new Set(statement.flatMap((at) => namesBoundAt(this.#program, at)));
    const isSent = isRequest(this.#program, statement);
    const names = new Set([...bound].map((at) => this.#program.textAt(at)));
    const outer = statement.filter((at) => !names.has(this.#program.textAt(at)));
    const parts = outer.flatMap((at) => this.#partAt(at, isSent)).slice(0, 200);
    const addresses = parts.flatMap((part) => part.addresses).slice(0, maxValues);
    for (const at of bound) this.#bind(at, { ...nothing, addresses });
    for (const [address, sent] of pairParts(parts, isSent)) this.mentions.push({ about: "sent", address, ...sent });
    for (const at of statement) this.#readField(at, parts, isSent);
    const sent = isSent ? [] : parts.flatMap((part) => part.sent).slice(0, maxValues);
    if (sign === undefined) this.#collect(head, parts, isSent);
    else this.#assign(left, { addresses, sent, literal: this.#literalBehind(sign, statement) });
  }

  #known(name: string): Known | undefined {
    return this.#variables.get(ownName(name));
  }

  #set(name: string, value: Known): void {
    if (value.addresses.length > 0 || value.sent.length > 0 || value.literal) this.#variables.set(ownName(name), value);
    else this.#variables.delete(ownName(name));
  }

  #partAt(at: number, isSent: boolean): readonly Part[] {
    const token = this.#program.tokens[at];
    if (!token || token.kind === "sign") return [];
    const sent = parametersAt(this.#program, at, (name) => this.#known(name)?.literal);
    const found =
      token.kind === "text" ? addressInText(token, this.#evidence, (before) => this.#baseOf(before, at)) : undefined;
    const inText = token.kind === "text" && !found ? parametersInText(token) : [];
    const held = token.kind === "text" ? this.#heldIn(token) : this.#heldBy(at);
    const isOwn = found !== undefined || sent.length + inText.length > 0;
    if (!isOwn && !held) return [];
    const calls = enclosingCalls(this.#program, at);
    if (!calls && isOwn) return [];
    if (found) this.#mentionAddress(found, token, isSent);
    const addresses = found ? [found.address] : [];
    const own: Part = { addresses, sent: [...sent, ...inText], at, calls: calls ?? [], own: true };
    const linked: Part = { ...(held ?? nothing), at, calls: [at, ...(calls ?? [])], own: false };
    return [...(isOwn ? [own] : []), ...(held && sent.length === 0 ? [linked] : [])];
  }

  #mentionAddress({ address, isWhole, mentions }: FoundAddress, token: Token, isSent: boolean): void {
    const isUsed = isWhole || isSent;
    for (const each of mentions) {
      if (!isUsed && each.about === "path") continue;
      this.mentions.push({ ...this.#filled(each, token), address: { ...address, sure: address.sure && isUsed } });
    }
  }

  /** `?name={variable}`. */
  #filled(mention: Mention, { text, start }: Token): Mention {
    if (!mention.value?.startsWith(hole)) return mention;
    const name = /^[$#]?\{?\s*([$\w.]+)/.exec(text.slice(mention.offset - start))?.[1] ?? "";
    const literal = this.#known(name)?.literal;
    return { ...mention, value: literal?.text, offset: literal?.start ?? mention.nameOffset, isVariable: true };
  }

  /** The value of the variables that a literal interpolates: `?${query}`. */
  #heldIn({ text }: Token): Known | undefined {
    if (!/[{$]/.test(text)) return undefined;
    const names = [...text.slice(0, 2000).matchAll(/[$#]?\{\s*([\w$@.]+?)(?:\.to_?[sS]\w*\(\))?\s*\}|(\$\w+)/g)];
    const held = names.map(({ 1: braced, 2: bare }) => this.#known(braced ?? bare ?? "") ?? nothing);
    const [addresses, sent] = [held.flatMap((each) => each.addresses), held.flatMap((each) => each.sent)];
    return addresses.length + sent.length === 0 ? undefined : { addresses, sent };
  }

  #heldBy(at: number): Known | undefined {
    const next = this.#program.textAt(at + 1);
    const isKey =
      next === "="
        ? this.#program.textAt(at + 2) !== "="
        : next === ":" && !this.#program.isBlock(this.#program.enclosing(at));
    const value = isKey || !isVariable(this.#program, at) ? undefined : this.#known(this.#program.textAt(at));
    return value && value.addresses.length + value.sent.length > 0 ? value : undefined;
  }

  /** The constant before a path: `${base}/path`, `base + "/path"`. */
  #baseOf(before: string, at: number): string | undefined {
    const isSum = /^[+.]$/.test(this.#program.textAt(at - 1)) && this.#program.isWord(at - 2);
    const name = isSum ? this.#program.textAt(at - 2) : /[{$]\s*([\w$@.]+)/.exec(before)?.[1];
    return name === undefined ? undefined : this.#known(name)?.literal?.text;
  }

  #bind(at: number, value: Known): void {
    const token = this.#program.tokens[at];
    if (token?.kind !== "word" || vocabulary.code.declaring.has(token.text) || this.#program.isMember(at)) return;
    this.#set(token.text, value);
    const isTaken = this.#program.textAt(this.#program.enclosing(at)) === "{" && wantedNames.has(apiName(token));
    if (isTaken) for (const address of value.addresses) this.#report("read", unsure(address), token);
  }

  #assign(left: readonly number[], value: Known): void {
    const [first = -1] = left;
    const last = this.#program.textAt(left.at(-1) ?? -1);
    const name = this.#variableAt(first);
    const isOwner = /^(?:self|\$?this)$/.test(this.#program.textAt(first));
    const isMember = left.slice(isOwner ? 3 : 1).some((at) => /^[.[]$/.test(this.#program.textAt(at)));
    if (isMember || /^[+.]$/.test(last)) this.#add(name, value);
    else if (last === "}") for (const at of left) this.#bind(at, value);
    else this.#set(isOwner ? name : this.#program.textAt(assignedName(this.#program, left)), value);
  }

  #literalBehind(sign: number, statement: readonly number[]): TextFragment | undefined {
    const [first = -1, second = -1, ...others] = statement.filter((at) => at > sign);
    const isPrefixed = second >= 0 && this.#program.isWord(first) && this.#program.areAdjacent(first, second);
    const token = this.#program.tokens[isPrefixed ? second : first];
    return token?.kind === "text" && others.length === 0 && (isPrefixed || second < 0) ? token : undefined;
  }

  /** `form.append("name", value)` and `curl_setopt($ch, URL, "…")` add to a variable. */
  #collect(head: number, parts: readonly Part[], isSent: boolean): void {
    const isHandled = vocabulary.code.handling.has(this.#program.textAt(head));
    if (isSent && !isHandled) return;
    const own = parts.filter((part) => part.own && (isHandled || part.calls.includes(head)));
    const linked = isHandled ? parts.filter((part) => !part.own && part.at > head + 2) : [];
    const sent = [...own, ...linked].flatMap((part) => part.sent);
    const addresses = own.flatMap((part) => part.addresses);
    if (sent.length + addresses.length > 0)
      this.#add(this.#variableAt(isHandled ? head + 2 : head), { addresses, sent });
  }

  #add(name: string, { addresses, sent }: Known): void {
    const before = this.#known(name) ?? nothing;
    for (const address of [...before.addresses, ...addresses].slice(0, maxValues))
      for (const each of sent) this.mentions.push({ about: "sent", address: unsure(address), ...each });
    this.#set(name, {
      addresses: [...before.addresses, ...addresses].slice(0, maxValues),
      sent: [...before.sent, ...sent].slice(0, maxValues),
    });
  }

  /** `self.name` and `this.name` are variables too. */
  #variableAt(start: number): string {
    const isOwner = /^(?:self|\$?this)$/.test(this.#program.textAt(start));
    return this.#program.textAt(isOwner ? start + (this.#program.textAt(start + 1) === "-" ? 3 : 2) : start);
  }

  /** Reports a field of a response that is read, and the literals that it is compared with. */
  #readField(at: number, parts: readonly Part[], isSent: boolean): void {
    const token = this.#program.tokens[at];
    if (!token || token.kind === "sign" || !wantedNames.has(apiName(token))) return;
    const field = fieldAt(this.#program, at);
    if (!field) return;
    const { start, end } = field;
    const own = parts.filter((part) => part.own && part.at < at && part.calls.includes(start));
    const held = this.#program.isWord(start) ? (this.#known(this.#variableAt(start))?.addresses ?? []) : [];
    const certain = own.flatMap(({ addresses }) => addresses).map((each) => (isSent ? each : unsure(each)));
    for (const address of [...certain, ...held.map(unsure)].slice(0, maxValues)) {
      if (start !== at) this.#report("read", address, token);
      for (const text of comparedWith(this.#program, start, end)) this.#report("compared", address, token, text);
    }
  }

  #report(about: "read" | "compared", address: Address, field: Token, compared?: Token): void {
    const place = { nameOffset: field.start, offset: (compared ?? field).start };
    this.mentions.push({ about, address, name: apiName(field), value: compared?.text, ...place });
  }
}

function ownName(name: string): string {
  return name
    .replace(/^(?:self|this)\./, "")
    .replace(/^[@$]+/, "")
    .replace(/\.$/, "");
}

function unsure(address: Address): Address {
  return { ...address, sure: false };
}

/** Addresses and parameters that are parts of one call; those of variables are uncertain. */
function pairParts(parts: readonly Part[], isSent: boolean): readonly (readonly [Address, SentParameter])[] {
  const addressed = parts.filter(({ addresses }) => addresses.length > 0).slice(0, maxValues);
  const sending = parts.filter(({ sent }) => sent.length > 0).slice(0, maxValues);
  return addressed.flatMap((to) =>
    sending.flatMap((from) => {
      if (to.at !== from.at && !to.calls.some((start) => from.calls.includes(start))) return [];
      const isCertain = to.own && from.own && isSent;
      const sent = from.sent.slice(0, maxValues);
      return to.addresses.flatMap((each) => sent.map((value) => [isCertain ? each : unsure(each), value] as const));
    }),
  );
}

/** Parameters in a string literal that is a query, a form or JSON. */
function parametersInText({ text, start }: Token): readonly SentParameter[] {
  if (text.length > 20_000 || (/\s/.test(text.trim()) && !/^\s*[[{]/.test(text))) return [];
  return parametersIn({ text: maskedInterpolations(text), start });
}
