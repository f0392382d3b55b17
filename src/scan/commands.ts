import { type ArgumentDetection, type CommandDetection, vocabulary } from "../model/deprecations.ts";
import { type Node, neighbour, textAt } from "./program.ts";
import { assignedWord, type Command, commandNameOf, commandOf, commandsOf, plainWord, type Word } from "./shell.ts";
import { rewriting, type Source, type Use } from "./text.ts";
import type { Token } from "./tokens.ts";

/** Commands, and commands that they pass to another shell, as in `ssh host "sudo command"`. */
export function allCommands(commands: readonly Command[], text: string): readonly Command[] {
  return commands.flatMap((command) => {
    if (!vocabulary.shell.remote.has(commandNameOf(command))) return [command];
    const scripts = command.words.slice(1).filter((word) => /\s/.test(word.text));
    const inner = scripts.flatMap(({ start, end }) => commandsOf(text, start, end));
    return [command, ...allCommands(inner, text), ...tails(command)];
  });
}

/** A wrapped command begins within this many words. */
const maxWrapperWords = 30;

/** In `docker exec app command`, any later word may begin a command. */
function tails({ words }: Command): readonly Command[] {
  const talk = words.findIndex(({ raw }) => vocabulary.shell.talk.has(raw));
  const candidates = words.slice(0, talk < 0 ? maxWrapperWords : Math.min(talk, maxWrapperWords));
  return candidates.slice(1).map((_, index) => commandOf(candidates.slice(index + 1)));
}

/** Commands that a program runs in a shell: `system("command")`, `sh 'command'`, `run(["command", "word"])`. */
export function commandsInProgram(nodes: readonly Node[], text: string, runs?: string): readonly Command[] {
  return nodes.flatMap((node) => {
    if (node.kind === "text" && text[node.start - 1] === runs) return commandsOfTexts([node], text);
    if (node.kind !== "word" || !vocabulary.code.shell.has(node.text)) return [];
    const next = neighbour(node, 1);
    const isCall = next?.end !== undefined && /^[([]$/.test(next.text);
    return commandsOfTexts(isCall ? textsIn(next.inside) : next?.kind === "text" ? [next] : [], text);
  });
}

const maxWords = 60;

/** The string literals among arguments, in lists too, up to the first option. */
function textsIn(nodes: readonly Node[], depth = 3): readonly Token[] {
  const end = nodes.findIndex((node) => (node.kind === "sign" && node.text === "{") || textAt(node, 1) === "=");
  return nodes
    .slice(0, end < 0 ? maxWords : end)
    .filter((node) => !/^[=:]$/.test(textAt(node, -1)))
    .flatMap((node) => (node.kind === "text" ? [node] : depth > 0 ? textsIn(node.inside, depth - 1) : []));
}

function commandsOfTexts(texts: readonly Token[], text: string): readonly Command[] {
  const [first] = texts;
  if (!first) return [];
  if (/\s/.test(first.text)) return commandsOf(text, first.start, first.start + first.text.length);
  return texts.length < 2 ? [] : [commandOf(texts.map((each) => plainWord(each.text, each.start)))];
}

/** Arguments and assignments of commands that may contain another language. */
export function tokensOfCommands(commands: readonly Command[]): readonly Token[] {
  const { http, remote, ruby, readers } = vocabulary.shell;
  const asking = new Set([...http, ...remote, ...ruby, ...readers, "cat"]);
  return commands.flatMap((command) => {
    const name = commandNameOf(command);
    const isHeredoc = ({ raw }: Word) => raw.includes("\n");
    const words = name === "cat" ? command.words.filter(isHeredoc) : asking.has(name) ? command.words.slice(1) : [];
    const given = words.map((word) => (/^[A-Za-z_][\w.-]*=["']/.test(word.raw) ? assignedWord(word) : word));
    return [...given, ...command.assignments.map(assignedWord)].map(
      ({ text, start }): Token => ({ kind: "text", text, start }),
    );
  });
}

/** Matching arguments of commands. All matches on one line are rewritten, or none. */
export function argumentUses(
  commands: readonly Command[],
  detection: ArgumentDetection,
  { text }: Source,
): readonly Use[] {
  const { commands: names, matches, replace, word, near } = detection;
  const isCertain = near === undefined || new RegExp(near, "i").test(text);
  const pattern = new RegExp(matches, "g");
  const found = commands
    .filter((command) => !command.printsOnly && (!names || names.includes(commandNameOf(command))))
    .flatMap(({ words }) => words.slice(1))
    .flatMap(({ text: own, start }) =>
      [...own.matchAll(pattern)].map(({ 0: whole, index }) => ({ offset: start + index, length: whole.length })),
    );
  const offsets = new Set(found.map(({ offset }) => offset));
  const replaced = word === undefined || found.length === 0 ? offsets : findWholeLines(text, offsets, word);
  return found.map(({ offset, length }) => {
    const fix = replaced.has(offset) ? replace : undefined;
    return { offset, ...(isCertain ? rewriting(offset, offset + length, fix) : { isLikely: true }) };
  });
}

/** The matches on logical lines that contain the word only in matches. */
function findWholeLines(text: string, matched: ReadonlySet<number>, word: string): ReadonlySet<number> {
  const whole = new Set<number>();
  let from = 0;
  for (const line of text.split(/(?<!\\\r?)\n/)) {
    const offsets = [...line.matchAll(new RegExp(word, "g"))].map(({ index }) => from + index);
    if (offsets.every((at) => matched.has(at))) for (const at of offsets) whole.add(at);
    from += line.length + 1;
  }
  return whole;
}

export function commandUses(commands: readonly Command[], detection: CommandDetection): readonly Use[] {
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
