import { grouped } from "../base/grouped.ts";
import { vocabulary } from "../model/deprecations.ts";
import { type Evidence, matchAddress, requestAddressOf } from "./address.ts";
import { type Command, commandNameOf } from "./command.ts";
import { addressMentions, readIn, sentIn } from "./mentions.ts";
import type { VariableSetting } from "./settings.ts";
import { assigned, type Word } from "./shell-words.ts";
import { withHoles } from "./text.ts";
import { expanded, reference, spliced } from "./text-pieces.ts";
import { type Address, type Mention, type Piece, pieceAt } from "./traffic.ts";

/** The content of a variable, a file or a pipe. */
interface ShellValue {
  readonly piece?: Piece;
  /** Set where it is a response, or a field of one. */
  readonly responses?: readonly Address[];
  readonly field?: string;
}

const maxChoices = 20;

/**
 * Follows requests through the commands of a script: their parameters, and fields of responses that are read. Once
 * for each value of a job matrix.
 */
export function mentionsInCommands(
  commands: readonly Command[],
  settings: readonly VariableSetting[],
  text: string,
  evidence: Evidence,
): readonly Mention[] {
  const choices = [...grouped(settings, ({ name, isChoice }) => (isChoice ? name : undefined)).values()];
  const rounds = Math.min(maxChoices, Math.max(1, ...choices.map(({ length }) => length)));
  return Array.from({ length: rounds }, (_, round) => round).flatMap((round) => {
    const chosen = new Set(choices.map((values) => values[Math.min(round, values.length - 1)]));
    const given = settings.filter((each) => !each.isChoice || chosen.has(each));
    return new ShellFlow(given, text, evidence).follow(commands);
  });
}

class ShellFlow {
  readonly #mentions: Mention[] = [];
  readonly #text: string;
  readonly #evidence: Evidence;
  readonly #variables = new Map<string, ShellValue>();
  readonly #uses: ReadonlyMap<string, number>;
  readonly #files = new Map<string, ShellValue>();
  readonly #outputs: { readonly start: number; readonly carried: ShellValue }[] = [];
  #matched: ShellValue | undefined;

  constructor(settings: readonly VariableSetting[], text: string, evidence: Evidence) {
    this.#text = text;
    this.#evidence = evidence;
    this.#uses = usesIn(text);
    // Other programs and conditions may read the environment too.
    for (const { name, value, start } of settings)
      this.#variables.set(name, { piece: { ...pieceAt(withHoles(value), start), isShared: () => true } });
  }

  follow(commands: readonly Command[]): readonly Mention[] {
    let pipe: ShellValue = {};
    for (const command of commands) {
      const carried = this.#outputOf(command, pipe);
      this.#outputs.push({ start: startOf(command), carried });
      for (const { text: file } of [...command.outputs, ...optionFiles(command)]) this.#files.set(file, carried);
      pipe = command.feeds ? carried : {};
    }
    return this.#mentions;
  }

  #outputOf(command: Command, piped: ShellValue): ShellValue {
    for (const word of command.assignments) this.#assign(word);
    const name = commandNameOf(command);
    const { http, readers, tests, declaring, talk, filters } = vocabulary.shell;
    if (declaring.has(name)) for (const word of command.words.slice(1)) this.#assign(word);
    if (tests.has(name)) this.#compare(command);
    this.#match(command);
    if (http.has(name)) return this.#request(command, piped);
    if (readers.has(name)) return this.#read(command, piped);
    if (filters.has(name)) return { ...piped, ...this.#inputOf(command) };
    return talk.has(name) ? this.#inputOf(command) : {};
  }

  #known(name: string): Piece | undefined {
    const piece = this.#variables.get(name)?.piece;
    return piece && (this.#uses.get(name) ?? 0) > 1 ? { ...piece, isShared: () => true } : piece;
  }

  #pieceOf({ raw, text: own, start, end }: Word): Piece {
    // Single quotes prevent expansion; only a word that is quoted as a whole has lost them.
    const isPlain = raw.startsWith("'") && raw.length === end - start + 2;
    return isPlain
      ? { text: own, at: (from) => start + from }
      : expanded(this.#text.slice(start, end), start, (name) => this.#known(name));
  }

  #assign(word: Word): void {
    const [, name] = /^([A-Za-z_]\w*)\+?=/.exec(word.raw) ?? [];
    if (name === undefined) return;
    const inner = this.#outputs.slice(-50).findLast(({ start }) => start > word.start && start < word.end);
    const value = assigned(word);
    const isSubstituted = inner !== undefined && /^["']?\$\(|^["']?`/.test(word.raw.slice(name.length + 1));
    const before = word.raw.startsWith(`${name}+=`) ? this.#variables.get(name)?.piece : undefined;
    const piece = () => spliced([...(before ? [before] : []), this.#pieceOf(value)]);
    this.#variables.set(name, isSubstituted ? inner.carried : { piece: piece() });
    if (!isSubstituted) for (const mention of this.#asked(value, false)) this.#mentions.push(mention);
  }

  #request(command: Command, piped: ShellValue): ShellValue {
    const words = command.words.slice(1);
    const addresses = words.flatMap((word) => this.#asked(word, true));
    this.#mentions.push(...addresses);
    const called = distinct(addresses.filter(({ about }) => about === "path").map(({ address }) => address));
    const bodies = called.length > 0 ? this.#bodiesOf(words, piped) : [];
    for (const body of bodies) for (const address of called) this.#mentions.push(...sentIn(body, address));
    return { responses: called };
  }

  /** Arguments and input of a command that are neither addresses nor headers. */
  #bodiesOf(words: readonly Word[], { piece }: ShellValue): readonly Piece[] {
    const bodies = [
      ...words.filter((word) => !isHeader(word)).map((word) => this.#pieceOf(word)),
      ...(piece ? [piece] : []),
    ];
    return bodies.filter(({ text: own }) => matchAddress(own, own) === undefined);
  }

  #asked(word: Word, isRequest: boolean): readonly Mention[] {
    const piece = this.#pieceOf(word);
    const written = matchAddress(piece.text, this.#text.slice(word.start, word.end));
    const isWhole = written?.base === "api" || written?.base === "open";
    if (!written || (!isRequest && !isWhole)) return [];
    const address = requestAddressOf(
      written,
      this.#evidence,
      this.#known(/^\$\{?(\w+)/.exec(written.before)?.[1] ?? "")?.text,
    );
    if (!address || (!isRequest && !address.sure)) return [];
    return addressMentions(piece, written, address, word.start);
  }

  /** The input of a command: a file, a variable or a here-document among its words. */
  #inputOf(command: Command): ShellValue {
    const words = [...command.inputs, ...command.words.slice(1)];
    const named = words.flatMap(
      ({ raw, text: own }) => this.#variables.get(variableIn(raw) ?? "") ?? this.#files.get(own) ?? [],
    );
    const heredoc = command.words.slice(1).find(({ raw }) => raw.includes("\n") || /^["']?[[{]/.test(raw));
    return named.find(({ responses }) => responses) ?? named[0] ?? (heredoc ? { piece: this.#pieceOf(heredoc) } : {});
  }

  #read(command: Command, piped: ShellValue): ShellValue {
    const input = piped.responses || piped.piece ? piped : this.#inputOf(command);
    const programs = command.words.slice(1).filter(({ raw }) => !raw.startsWith("-"));
    for (const word of programs)
      for (const address of input.responses ?? []) this.#mentions.push(...readIn(this.#pieceOf(word), address));
    const last = programs.map(({ text: own }) => /\.(\w+)\s*$/.exec(own)?.[1]).find((name) => name !== undefined);
    return last === undefined ? input : { ...input, field: last };
  }

  /** `case "$name" in`, and its patterns. */
  #match({ words }: Command): void {
    const [first, subject] = words;
    if (first?.raw === "case" && subject) this.#matched = this.#variables.get(variableIn(subject.raw) ?? "");
    const patterns = first?.raw === "case" ? words.slice(3) : words.length === 1 ? words : [];
    for (const { text: value, start } of patterns) this.#comparedTo(this.#matched, value, start);
  }

  #comparedTo(carried: ShellValue | undefined, value: string, start: number): void {
    const name = carried?.field;
    if (name === undefined) return;
    for (const address of carried?.responses ?? []) {
      this.#mentions.push({ about: "compared", address, name, value, nameOffset: start, offset: start, own: true });
    }
  }

  #compare({ words }: Command): void {
    for (const [index, { raw }] of words.entries()) {
      const carried = this.#variables.get(variableIn(raw) ?? "");
      const operator = words[index + 1]?.raw ?? "";
      const other = /^(?:==?|!=)$/.test(operator) ? words[index + 2] : undefined;
      if (other) this.#comparedTo(carried, other.text, other.start);
    }
  }
}

function usesIn(text: string): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  for (const { 1: braced, 2: bare } of text.matchAll(reference)) {
    const name = braced ?? bare ?? "";
    uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  return uses;
}

function startOf({ words, assignments }: Command): number {
  return words[0]?.start ?? assignments[0]?.start ?? -1;
}

function variableIn(raw: string): string | undefined {
  return /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(raw)?.[1];
}

/** Each is combined with all parameters of its command. */
const maxAddresses = 50;

function distinct(addresses: readonly Address[]): readonly Address[] {
  const byName = new Map(addresses.map((address) => [`${address.sure} ${address.path}`, address]));
  return [...byName.values()].slice(0, maxAddresses);
}

/** Output files given by an option. */
function optionFiles({ words }: Command): readonly Word[] {
  return words.filter((_, index) => /^(?:-o|-O|--output|--output-document)$/.test(words[index - 1]?.raw ?? ""));
}

function isHeader({ text }: Word): boolean {
  return /^[A-Za-z-]+:\s/.test(text);
}
