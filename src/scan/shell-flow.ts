import { grouped } from "../base/grouped.ts";
import { surroundings } from "../model/deprecations.ts";
import { type Evidence, queryIn, requestAddressOf, writtenIn } from "./address.ts";
import { type Command, commandNameOf } from "./command.ts";
import type { Setting } from "./settings.ts";
import { readIn, sentIn } from "./shell-mentions.ts";
import { assigned, type Word } from "./shell-words.ts";
import { withHoles } from "./text.ts";
import { expanded, reference, spliced } from "./text-pieces.ts";
import { type Address, type Mention, type Piece, pathMention, pieceAt } from "./traffic.ts";

/** What a variable, a file or a pipe carries. */
interface Carried {
  readonly piece?: Piece;
  /** It is an answer to a request, or the field of one. */
  readonly answers?: readonly Address[];
  readonly field?: string;
}

/** Further values of a matrix are not looked at. */
const mostChoices = 20;

/**
 * Follows requests through the commands of a script: parameters that go into them, and what is read from answers. Once
 * with each value that a matrix gives.
 */
export function mentionsInCommands(
  commands: readonly Command[],
  settings: readonly Setting[],
  text: string,
  evidence: Evidence,
): readonly Mention[] {
  const choices = [...grouped(settings, ({ name, isChoice }) => (isChoice ? name : undefined)).values()];
  const rounds = Math.min(mostChoices, Math.max(1, ...choices.map(({ length }) => length)));
  return Array.from({ length: rounds }, (_, round) => round).flatMap((round) => {
    const chosen = new Set(choices.map((values) => values[Math.min(round, values.length - 1)]));
    const given = settings.filter((each) => !each.isChoice || chosen.has(each));
    return mentionsOnce(commands, given, text, evidence);
  });
}

function mentionsOnce(
  commands: readonly Command[],
  settings: readonly Setting[],
  text: string,
  evidence: Evidence,
): readonly Mention[] {
  const variables = new Map<string, Carried>();
  // What else reads an environment is not known: conditions of other files, and every program that runs in it.
  for (const { name, value, start } of settings)
    variables.set(name, { piece: { ...pieceAt(withHoles(value), start), isShared: () => true } });
  const uses = usesIn(text);
  const files = new Map<string, Carried>();
  const mentions: Mention[] = [];
  const outputs: { readonly start: number; readonly carried: Carried }[] = [];
  let pipe: Carried = {};
  let matched: Carried | undefined;
  for (const command of commands) {
    const carried = outputOf(command, pipe);
    outputs.push({ start: startOf(command), carried });
    for (const { text: file } of [...command.outputs, ...optionFiles(command)]) files.set(file, carried);
    pipe = command.feeds ? carried : {};
  }
  return mentions;

  function outputOf(command: Command, piped: Carried): Carried {
    for (const word of command.assignments) assign(word);
    const name = commandNameOf(command);
    const { http, readers, tests, declaring, talk, filters } = surroundings.shell;
    if (declaring.includes(name)) for (const word of command.words.slice(1)) assign(word);
    if (tests.includes(name)) compare(command);
    match(command);
    if (http.includes(name)) return request(command, piped);
    if (readers.includes(name)) return read(command, piped);
    if (filters.includes(name)) return { ...piped, ...inputOf(command) };
    return talk.includes(name) ? inputOf(command) : {};
  }

  function known(name: string): Piece | undefined {
    const piece = variables.get(name)?.piece;
    return piece && (uses.get(name) ?? 0) > 1 ? { ...piece, isShared: () => true } : piece;
  }

  function pieceOf({ raw, text: own, start, end }: Word): Piece {
    // Only a word that is quoted as a whole lost its quotes; between single ones nothing is expanded.
    const isPlain = raw.startsWith("'") && raw.length === end - start + 2;
    return isPlain ? { text: own, at: (from) => start + from } : expanded(text.slice(start, end), start, known);
  }

  function assign(word: Word): void {
    const [, name] = /^([A-Za-z_]\w*)\+?=/.exec(word.raw) ?? [];
    if (name === undefined) return;
    const inner = outputs.slice(-50).findLast(({ start }) => start > word.start && start < word.end);
    const value = assigned(word);
    const isSubstituted = inner !== undefined && /^["']?\$\(|^["']?`/.test(word.raw.slice(name.length + 1));
    const before = word.raw.startsWith(`${name}+=`) ? variables.get(name)?.piece : undefined;
    const piece = () => spliced([...(before ? [before] : []), pieceOf(value)]);
    variables.set(name, isSubstituted ? inner.carried : { piece: piece() });
    if (!isSubstituted) for (const mention of asked(value, false)) mentions.push(mention);
  }

  function request(command: Command, piped: Carried): Carried {
    const words = command.words.slice(1);
    const addresses = words.flatMap((word) => asked(word, true));
    mentions.push(...addresses);
    const called = distinct(addresses.filter(({ about }) => about === "path").map(({ address }) => address));
    const bodies = called.length > 0 ? bodiesOf(words, piped) : [];
    for (const body of bodies) for (const address of called) mentions.push(...sentIn(body, address));
    return { answers: called };
  }

  /** What a command sends beside addresses. */
  function bodiesOf(words: readonly Word[], { piece }: Carried): readonly Piece[] {
    const bodies = [...words.filter((word) => !isHeader(word)).map(pieceOf), ...(piece ? [piece] : [])];
    return bodies.filter(({ text: own }) => writtenIn(own, own) === undefined);
  }

  function asked(word: Word, isRequest: boolean): readonly Mention[] {
    const piece = pieceOf(word);
    const written = writtenIn(piece.text, text.slice(word.start, word.end));
    const isWhole = written?.base === "api" || written?.base === "open";
    if (!written || (!isRequest && !isWhole)) return [];
    const address = requestAddressOf(written, evidence, known(/^\$\{?(\w+)/.exec(written.before)?.[1] ?? "")?.text);
    const offset = piece.at(written.from, written.from + written.path.length);
    if (!address || (!isRequest && !address.sure)) return [];
    return [pathMention(address, word.start, offset), ...sentIn(queryIn(piece, written), address)];
  }

  /** The answer that a command is given: by a pipe, a file, or a variable among its words. */
  function inputOf(command: Command): Carried {
    const words = [...command.inputs, ...command.words.slice(1)];
    const named = words.flatMap(({ raw, text: own }) => variables.get(variableIn(raw) ?? "") ?? files.get(own) ?? []);
    const heredoc = command.words.slice(1).find(({ raw }) => raw.includes("\n") || /^["']?[[{]/.test(raw));
    return named.find(({ answers }) => answers) ?? named[0] ?? (heredoc ? { piece: pieceOf(heredoc) } : {});
  }

  function read(command: Command, piped: Carried): Carried {
    const input = piped.answers || piped.piece ? piped : inputOf(command);
    const programs = command.words.slice(1).filter(({ raw }) => !raw.startsWith("-"));
    for (const word of programs)
      for (const address of input.answers ?? []) mentions.push(...readIn(pieceOf(word), address));
    const last = programs.map(({ text: own }) => /\.(\w+)\s*$/.exec(own)?.[1]).find((name) => name !== undefined);
    return last === undefined ? input : { ...input, field: last };
  }

  /** `case "$name" in`, and the patterns behind it. */
  function match({ words }: Command): void {
    const [first, subject] = words;
    if (first?.raw === "case" && subject) matched = variables.get(variableIn(subject.raw) ?? "");
    const patterns = first?.raw === "case" ? words.slice(3) : words.length === 1 ? words : [];
    for (const { text: value, start } of patterns) comparedTo(matched, value, start);
  }

  function comparedTo(carried: Carried | undefined, value: string, start: number): void {
    const name = carried?.field;
    if (name === undefined) return;
    for (const address of carried?.answers ?? []) {
      mentions.push({ about: "compared", address, name, value, nameOffset: start, offset: start, own: true });
    }
  }

  function compare({ words }: Command): void {
    for (const [index, { raw }] of words.entries()) {
      const carried = variables.get(variableIn(raw) ?? "");
      const operator = words[index + 1]?.raw ?? "";
      const other = /^(?:==?|!=)$/.test(operator) ? words[index + 2] : undefined;
      if (other) comparedTo(carried, other.text, other.start);
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

/** `"$name"`, and nothing else. */
function variableIn(raw: string): string | undefined {
  return /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(raw)?.[1];
}

/** Each is held against all that its command sends, so a command is taken to ask no more. */
const mostAddresses = 50;

function distinct(addresses: readonly Address[]): readonly Address[] {
  const byName = new Map(addresses.map((address) => [`${address.sure} ${address.path}`, address]));
  return [...byName.values()].slice(0, mostAddresses);
}

/** What a command writes into a file by an option. */
function optionFiles({ words }: Command): readonly Word[] {
  return words.filter((_, index) => /^(?:-o|-O|--output|--output-document)$/.test(words[index - 1]?.raw ?? ""));
}

function isHeader({ text }: Word): boolean {
  return /^[A-Za-z-]+:\s/.test(text);
}
