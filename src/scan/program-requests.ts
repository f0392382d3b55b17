import { grouped } from "../base/grouped.ts";
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
import { type Calls, comparedWith, enclosingCalls, fieldAt, isRequest } from "./statements.ts";
import { maskedInterpolations, type TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";

/** Addresses and parameters, or those of the last value of a variable. */
interface Known {
  readonly addresses: readonly Address[];
  readonly sent: readonly SentParameter[];
}

const nothing: Known = { addresses: [], sent: [] };

/** A part of a statement, at a token. */
interface Part extends Known {
  readonly at: number;
  readonly calls: Calls;
  /** True if it is a literal in the statement, not a variable. */
  readonly own: boolean;
  readonly found?: FoundAddress | undefined;
}

interface Reading {
  readonly program: Program;
  readonly evidence: Evidence;
  readonly variables: Map<string, Known>;
  /** URLs that variables hold, for paths that begin with one. */
  readonly bases: ReadonlyMap<string, string>;
}

/** Further ones of a name or a statement are dropped. */
const maxValues = 30;
const maxParts = 200;

/**
 * Requests of a program and fields of their responses. An address and a parameter or a field in one call are certain;
 * if a variable connects them, they are likely.
 */
export function mentionsInProgram(tokens: readonly Token[], text: string, evidence: Evidence): readonly Mention[] {
  const program = new Program(tokens, text);
  const statements = grouped(tokens.keys(), (index) => program.head(index));
  const reading: Reading = { program, evidence, variables: new Map(), bases: findBases(program) };
  return [...statements.values()].flatMap((statement) => readStatement(reading, statement));
}

function findBases(program: Program): ReadonlyMap<string, string> {
  const urls = program.tokens.flatMap(({ kind, text }, at) => {
    const isHeld = kind === "text" && /^https?:/.test(text) && program.textAt(at - 1) === "=";
    return isHeld ? [[program.textAt(at - 2), text] as const] : [];
  });
  return new Map(urls);
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

function readStatement(reading: Reading, statement: readonly number[]): readonly Mention[] {
  const { program, variables } = reading;
  const [head = -1] = statement;
  const isSent = isRequest(program, statement);
  const text = wordsOf(program, statement);
  const bound = namesIn(text, bindings);
  for (const name of bound) variables.delete(name);
  const parts = statement.flatMap((at) => partsAt(reading, at)).slice(0, maxParts);
  const addresses = parts.flatMap((part) => part.addresses).slice(0, maxValues);
  const sent = parts.flatMap((part) => part.sent).slice(0, maxValues);
  const isHandled = handling.has(program.textAt(head));
  const target = isHandled ? program.textAt(head + 2) : isSent ? undefined : adding.exec(text)?.[1];
  const before = (target !== undefined && variables.get(target)) || nothing;
  const names = target === undefined ? [...bound, ...namesIn(text, assignments)] : [target];
  for (const name of names) {
    const value = {
      addresses: [...before.addresses, ...addresses],
      sent: isSent && !isHandled ? [] : [...before.sent, ...sent],
    };
    if (value.addresses.length + value.sent.length > 0) variables.set(name, value);
    else variables.delete(name);
  }
  return [
    ...parts.flatMap(({ found }) => (found ? pathMentions(found, isSent) : [])),
    ...pairParts(parts, isSent),
    ...pairAll(before.addresses.map(unsure), sent),
    ...statement.flatMap((at) => fieldMentions(reading, at, parts, isSent)),
  ];
}

/** The literal at a token, or the value of the variable. */
function partsAt({ program, evidence, variables, bases }: Reading, at: number): readonly Part[] {
  const token = program.tokens[at];
  if (!token || token.kind === "sign") return [];
  const isText = token.kind === "text";
  const baseOf = (before: string) =>
    bases.get(
      /^[+.]$/.test(program.textAt(at - 1)) ? program.textAt(at - 2) : (/[{$]\s*([\w$@.]+)/.exec(before)?.[1] ?? ""),
    );
  const found = isText ? addressInText(token, evidence, baseOf) : undefined;
  const sent = [...parametersAt(program, at), ...(isText && !found ? parametersInText(token) : [])];
  const names = isText ? interpolatedNames(token.text) : isVariable(program, at) ? [token.text] : [];
  const known = names.flatMap((name) => variables.get(name) ?? []);
  const isOwn = found !== undefined || sent.length > 0;
  const calls = isOwn || known.length > 0 ? enclosingCalls(program, at) : undefined;
  const linked = known.map((each): Part => ({ ...each, at, calls: [at, ...(calls ?? [])], own: false }));
  if (!calls || !isOwn) return linked;
  return [{ addresses: found ? [found.address] : [], sent, at, calls, own: true, found }, ...linked];
}

/** True if a word is no key, and no member of something else than the object itself. */
function isVariable(program: Program, at: number): boolean {
  const next = program.textAt(at + 1);
  if (next === "=" && program.textAt(at + 2) !== "=") return false;
  if (next === ":" && !program.isBlock(program.enclosing(at))) return false;
  return (
    !program.isMember(at) || /^(?:self|\$?this)$/.test(program.textAt(at - (program.textAt(at - 1) === ">" ? 3 : 2)))
  );
}

/** The variables that a literal interpolates. */
function interpolatedNames(text: string): readonly string[] {
  if (!/[{$]/.test(text)) return [];
  return Array.from(
    text.slice(0, 2000).matchAll(/[{$][{( ]*(?:self\.|\$?this(?:\.|->))?([\w$@]+)/g),
    ([, name = ""]) => name,
  );
}

/** The words and signs of a statement, separated by spaces. */
function wordsOf(program: Program, statement: readonly number[]): string {
  return statement
    .slice(0, maxParts)
    .map((at) => (program.isText(at) ? '""' : program.textAt(at)))
    .join(" ");
}

/** `x["name"] = …`, `x += …`, `x.name = …` and `x.append(…)` add to a variable. */
const adding =
  /^(?:(?:self|\$?this) (?:\.|- >) )?(?!(?:self|\$?this) )([\w$@]+) (?:\[ [^=]* = |[+.] = |(?:\.|- >) \w+ (?:\(|= (?![=>])))/;

/** The first groups of matches in the words of a statement, as names of variables. */
function namesIn(text: string, patterns: readonly RegExp[]): readonly string[] {
  const names = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, found = ""]) => found));
  return names.flatMap((found) => found.match(/[\w$@]+/g) ?? []).filter((name) => !declaring.has(name));
}

const { declaring, handling } = vocabulary.code;

const assignments: readonly RegExp[] = [/^([\w$@. ,:{}[\]<>*&-]*?)(?: :)? = (?!=|>)/g];

/** Variables of loops, blocks and functions. */
const bindings: readonly RegExp[] = [
  /\bfor(?:each)?(?: \()? (.{1,80}?) (?:in|of|:|= range)(?= )/g,
  / as ([$\w => ]{1,80}?) \)/g,
  /(?:\blambda|\{ \||do \|) ([\w, ]{1,80}?) [:|]/g,
  /\b(?:def|func|function|fun|fn) [\w$]* ?\( ([\w$,:{} ]{1,80}?) \)/g,
  /\( ([\w$,:{} ]{1,80}?) \) = >/g,
  /(?<![\w.)] )\b([\w$]+) = >/g,
];

/** The address of a literal and the parameters in it; the path alone counts if it is whole or sent. */
function pathMentions({ address, isWhole, mentions }: FoundAddress, isSent: boolean): readonly Mention[] {
  const isUsed = isWhole || isSent;
  const own = mentions.filter(({ about }) => isUsed || about !== "path");
  return own.map((each) => ({ ...each, address: { ...address, sure: address.sure && isUsed } }));
}

/** Addresses and parameters that are parts of one call; those of variables are uncertain. */
function pairParts(parts: readonly Part[], isSent: boolean): readonly Mention[] {
  const addressed = parts.filter(({ addresses }) => addresses.length > 0).slice(0, maxValues);
  const sending = parts.filter(({ sent }) => sent.length > 0).slice(0, maxValues);
  return addressed.flatMap((to) =>
    sending.flatMap((from) => {
      if (to.at !== from.at && !to.calls.some((start) => from.calls.includes(start))) return [];
      const isCertain = to.own && from.own && isSent;
      const addresses = isCertain ? to.addresses : to.addresses.map(unsure);
      return pairAll(addresses, from.sent);
    }),
  );
}

function pairAll(addresses: readonly Address[], sent: readonly SentParameter[]): readonly Mention[] {
  return addresses.slice(0, maxValues).flatMap((address) => {
    return sent.slice(0, maxValues).map((each): Mention => ({ about: "sent", address, ...each }));
  });
}

/** A field of a response that is read, and the literals that it is compared with. */
function fieldMentions(
  { program, variables }: Reading,
  at: number,
  parts: readonly Part[],
  isSent: boolean,
): readonly Mention[] {
  const token = program.tokens[at];
  if (!token || token.kind === "sign" || !wantedNames.has(apiName(token))) return [];
  const field = fieldAt(program, at);
  if (!field) return [];
  const { start, end } = field;
  const own = parts.filter((part) => part.own && part.at < at && part.calls.includes(start));
  const certain = own.flatMap(({ addresses }) => addresses).map((each) => (isSent ? each : unsure(each)));
  const held = program.isWord(start) ? (variables.get(program.textAt(start))?.addresses ?? []) : [];
  const compared = comparedWith(program, start, end);
  return [...certain, ...held.map(unsure)].slice(0, maxValues).flatMap((address) => {
    const place = { address, name: apiName(token), nameOffset: token.start };
    const read: Mention = { ...place, about: "read", value: undefined, offset: token.start };
    const all = compared.map(
      (each): Mention => ({ ...place, about: "compared", value: each.text, offset: each.start }),
    );
    return start === at ? all : [read, ...all];
  });
}

function unsure(address: Address): Address {
  return { ...address, sure: false };
}

/** Parameters in a string literal that is a query, a form or JSON. */
function parametersInText({ text, start }: Token): readonly SentParameter[] {
  if (text.length > 20_000 || (/\s/.test(text.trim()) && !/^\s*[[{]/.test(text))) return [];
  return parametersIn({ text: maskedInterpolations(text), start });
}
