import type { ArgumentDetection, CommandDetection } from "../model/deprecations.ts";
import { surroundings } from "../model/deprecations.ts";
import { type Command, commandNameOf, commandOf } from "./command.ts";
import { commandsOf } from "./shell.ts";
import { assigned, type Word } from "./shell-words.ts";
import { rewriting, type Sought, type Source, type Use } from "./source.ts";
import { type Structure, structureOf } from "./structure.ts";
import type { Token } from "./tokens.ts";

/** Commands, and those that are handed to another shell, as in `ssh host "sudo command"`. */
export function allCommands(commands: readonly Command[], text: string): readonly Command[] {
  return commands.flatMap((command) => {
    if (!surroundings.shell.remote.includes(commandNameOf(command))) return [command];
    const scripts = command.words.slice(1).filter((word) => /\s/.test(word.text));
    const inner = scripts.flatMap(({ start, end }) => commandsOf(text, start, end));
    return [command, ...allCommands(inner, text), ...tails(command)];
  });
}

/** A command that another one runs begins among so many words. */
const furthest = 30;

/** `docker exec app command` runs what follows some word of it. */
function tails({ words }: Command): readonly Command[] {
  const talk = words.findIndex(({ raw }) => surroundings.shell.talk.includes(raw));
  const candidates = words.slice(0, talk < 0 ? furthest : Math.min(talk, furthest));
  return candidates.slice(1).map((_, index) => commandOf(candidates.slice(index + 1)));
}

/** Commands that a program hands to a shell: `system("command")`, `sh 'command'`, `run(["command", "word"])`. */
export function commandsInProgram(tokens: readonly Token[], text: string, runs?: string): readonly Command[] {
  const structure = structureOf(tokens, text);
  const lists = new Map<string, readonly Token[]>();
  return tokens.flatMap((token, index) => {
    if (token.kind === "sign" && token.text === "=") remember(structure, index, lists);
    if (token.kind === "text" && text[token.start - 1] === runs) return commandsOfTexts([token], text);
    if (token.text === "provisioner") return provisioned(structure, index, text);
    if (token.kind !== "word" || !surroundings.code.shell.includes(token.text)) return [];
    return commandsOfTexts(textsHandedTo(structure, index, lists), text);
  });
}

/** The commands of `provisioner "local-exec" { command = "…" }` and `"remote-exec" { inline = ["…"] }`. */
function provisioned({ tokens, other }: Structure, index: number, text: string): readonly Command[] {
  const end = other[index + 2] ?? -1;
  if (tokens[index + 1]?.kind !== "text" || end < 0) return [];
  const inside = tokens.slice(index + 3, Math.min(end, index + 10 * mostWords));
  return inside.flatMap(({ kind, text: key }, at) => {
    if (kind !== "word" || !/^(?:command|inline)$/.test(key) || inside[at + 1]?.text !== "=") return [];
    const close = inside[at + 2]?.text === "[" ? (other[index + 3 + at + 2] ?? index) - index - 3 : at + 3;
    return inside
      .slice(at + 2, Math.max(close, at + 3))
      .filter((each) => each.kind === "text")
      .flatMap(({ start, text: own }) => commandsOf(text, start, start + own.length));
  });
}

/** `name = "command"` and `name = ["command", "word"]`. */
function remember({ tokens, other }: Structure, index: number, lists: Map<string, readonly Token[]>): void {
  const name = tokens[index - 1]?.text === ":" ? tokens[index - 2] : tokens[index - 1];
  if (name?.kind !== "word") return;
  const first = tokens[index + 1];
  const end = first?.text === "[" ? (other[index + 1] ?? -1) : first?.kind === "text" ? index + 2 : -1;
  const texts = end < 0 ? [] : tokens.slice(index + 1, Math.min(end, index + mostWords));
  lists.set(
    name.text,
    texts.filter(({ kind }) => kind === "text"),
  );
}

const mostWords = 60;

/** The texts of the first arguments: of one list, or one behind the other. */
function textsHandedTo(
  structure: Structure,
  index: number,
  lists: ReadonlyMap<string, readonly Token[]>,
): readonly Token[] {
  const { tokens, other } = structure;
  const open = /^[([]$/.test(tokens[index + 1]?.text ?? "") ? index + 1 : -1;
  if (open < 0) return tokens[index + 1]?.kind === "text" ? tokens.slice(index + 1, index + 2) : [];
  const texts: Token[] = [];
  for (let at = open + 1; at < Math.min(other[open] ?? open, open + mostWords); at++) {
    const token = tokens[at];
    if (token?.kind === "text" && !isOption(structure, at)) texts.push(token);
    else if (token?.kind === "word" && at === open + 1) texts.push(...(lists.get(token.text) ?? []));
    else if (token?.text === "{" || tokens[at + 1]?.text === "=") break;
  }
  return texts;
}

function isOption({ tokens }: Structure, at: number): boolean {
  return /^[=:]$/.test(tokens[at - 1]?.text ?? "");
}

function commandsOfTexts(texts: readonly Token[], text: string): readonly Command[] {
  const [first] = texts;
  if (!first) return [];
  if (/\s/.test(first.text)) return commandsOf(text, first.start, first.start + first.text.length);
  return texts.length < 2 ? [] : [commandOf(texts.map(wordOfText))];
}

function wordOfText({ text, start }: Token): Word {
  return { text, raw: text, start, end: start + text.length };
}

/** Texts of commands that may hold another language: what they send, and what they assign. */
export function tokensOfCommands(commands: readonly Command[]): readonly Token[] {
  const { http, remote, ruby, readers } = surroundings.shell;
  const asking = new Set([...http, ...remote, ...ruby, ...readers, "cat"]);
  return commands.flatMap((command) => {
    const name = commandNameOf(command);
    const isHeredoc = ({ raw }: Word) => raw.includes("\n");
    const words = name === "cat" ? command.words.filter(isHeredoc) : asking.has(name) ? command.words.slice(1) : [];
    const given = words.map((word) => (/^[A-Za-z_][\w.-]*=["']/.test(word.raw) ? assigned(word) : word));
    return [...given, ...command.assignments.map(assigned)].map(
      ({ text, start }): Token => ({ kind: "text", text, start }),
    );
  });
}

/** Arguments of commands that match. What stands on one line is rewritten as a whole, or not at all. */
export function argumentUses(
  commands: readonly Command[],
  { detection }: Sought<ArgumentDetection>,
  { text }: Source,
): readonly Use[] {
  const { commands: names, matches, replace, word, near } = detection;
  const isCertain = near === undefined || new RegExp(near, "i").test(text);
  const pattern = new RegExp(matches, "g");
  const found = commands
    .filter((command) => !command.printsOnly && (!names || names.includes(commandNameOf(command))))
    .flatMap(({ words }) => words.slice(1).flatMap((each) => placesIn(each, pattern)));
  const lines = linesOf(text, found, word);
  return found.map(({ start, end }, index) => ({
    offset: start,
    ...(isCertain ? rewriting(start, end, lines[index] ? replace : undefined) : { isLikely: true }),
  }));
}

interface Place {
  readonly start: number;
  readonly end: number;
}

function placesIn({ text, start }: Word, pattern: RegExp): readonly Place[] {
  return [...text.matchAll(pattern)].map(({ 0: whole, index }) => ({
    start: start + index,
    end: start + index + whole.length,
  }));
}

/** Of each place, whether its line, with those that it goes on with, has the word nowhere but at such places. */
function linesOf(text: string, places: readonly Place[], word: string | undefined): readonly boolean[] {
  if (word === undefined || places.length === 0) return places.map(() => true);
  const starts = new Set(places.map(({ start }) => start));
  const whole = new Set<number>();
  let from = 0;
  for (const line of text.split(/(?<!\\\r?)\n/)) {
    const found = [...line.matchAll(new RegExp(word, "g"))].map(({ index }) => from + index);
    if (found.every((at) => starts.has(at))) for (const at of found) whole.add(at);
    from += line.length + 1;
  }
  return places.map(({ start }) => whole.has(start));
}

/** Subcommands: the first argument of a command. */
export function commandUses(commands: readonly Command[], { detection }: Sought<CommandDetection>): readonly Use[] {
  const { of, word, replace } = detection;
  const pattern = new RegExp(of);
  return commands
    .filter((command) => !command.printsOnly)
    .flatMap((command) => {
      const called = command.words[1];
      if (!called || called.text !== word || !pattern.test(commandNameOf(command))) return [];
      return [{ offset: called.start, ...rewriting(called.start, called.end, replace) }];
    });
}
