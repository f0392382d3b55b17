import type { ArgumentDetection, CommandDetection, VariableDetection } from "../model/removals.ts";
import { surroundings } from "../model/removals.ts";
import { assigned, type Command, commandsOf, nameOf, type Word } from "./shell.ts";
import { rewriting, type Sought, type Use } from "./source.ts";
import { masked, withoutWord } from "./text.ts";
import type { Token } from "./tokens.ts";

/** Commands, and those that are handed to another shell, as in `ssh host "sudo command"`. */
export function allCommands(commands: readonly Command[], text: string): readonly Command[] {
  return commands.flatMap((command) => {
    if (!surroundings.shell.remote.includes(nameOf(command))) return [command];
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
  const heard = words.slice(0, talk < 0 ? furthest : Math.min(talk, furthest));
  return heard.slice(1).map((_, index) => ({ words: heard.slice(index + 1), assignments: [], talks: false }));
}

/** Commands in the texts of a program that are handed to a shell: `system("command")`, `sh 'command'`, `run(["command", "word"])`. */
export function commandsInProgram(tokens: readonly Token[], text: string): readonly Command[] {
  return tokens.flatMap((token, index) => {
    const caller = token.group >= 0 ? tokens[token.group - 1] : tokens[index - 1];
    if (token.kind !== "text" || !surroundings.code.shell.includes(caller?.text ?? "")) return [];
    if (/\s/.test(token.text)) return commandsOf(text, token.start, token.start + token.text.length);
    return listedCommand(tokens, index);
  });
}

/** The command that begins with a text of a list and goes on with the next one. */
function listedCommand(tokens: readonly Token[], index: number): readonly Command[] {
  const [first, comma, second] = tokens.slice(index, index + 3);
  if (first?.kind !== "text" || comma?.text !== "," || second?.kind !== "text") return [];
  return [{ words: [wordOfText(first), wordOfText(second)], assignments: [], talks: false }];
}

function wordOfText({ text, start }: Token): Word {
  return { text, raw: text, start, end: start + text.length };
}

/** Words of commands as the texts of a program: a command is one call. */
export function tokensOfCommands(commands: readonly Command[]): readonly Token[] {
  const { http, remote, ruby, readers, tests } = surroundings.shell;
  const asking = new Set([...http, ...remote, ...ruby, ...readers]);
  return commands.flatMap((command, index) => {
    const group = firstGroup - index;
    const name = nameOf(command);
    if (command.talks) return [];
    if (tests.includes(name)) return compared(command, group);
    const words = asking.has(name) ? command.words.slice(1) : command.assignments.map(assigned);
    return words.map(({ text, start }): Token => ({ kind: "text", text, start, group, inText: false }));
  });
}

/** `"$status" = "paused"` as one text, in which neither needs its quotes. */
function compared({ words }: Command, group: number): readonly Token[] {
  const operands = words
    .slice(1)
    .map(({ raw, start, end }) => ({ raw, from: start - (raw.length - (end - start)) / 2 }));
  const [first] = operands;
  if (!first) return [];
  const text = operands.reduce((line, { raw, from }) => line.padEnd(from - first.from) + raw, "");
  return [{ kind: "text", text: masked(text, /["'${}]/g, " "), start: first.from, group, inText: false }];
}

/** Groups of commands go down, so that a command ends where a lower one begins, as calls do. */
const firstGroup = Number.MAX_SAFE_INTEGER;

/** Arguments of commands that match. */
export function argumentUses(commands: readonly Command[], { detection }: Sought<ArgumentDetection>): readonly Use[] {
  const { commands: names, matches, replace } = detection;
  const pattern = new RegExp(matches, "g");
  return commands
    .filter((command) => !command.talks && (!names || names.includes(nameOf(command))))
    .flatMap(({ words }) => words.slice(1))
    .flatMap(({ text, start }) =>
      [...text.matchAll(pattern)].map((found) => {
        const at = start + found.index;
        return { offset: at, ...rewriting(at, at + found[0].length, replace) };
      }),
    );
}

/** Subcommands: the first argument of a command. */
export function commandUses(commands: readonly Command[], { detection }: Sought<CommandDetection>): readonly Use[] {
  const { of, word, replace } = detection;
  const pattern = new RegExp(of);
  return commands
    .filter((command) => !command.talks)
    .flatMap((command) => {
      const called = command.words[1];
      if (!called || called.text !== word || !pattern.test(nameOf(command))) return [];
      return [{ offset: called.start, ...rewriting(called.start, called.end, replace) }];
    });
}

/** Variables whose list has a word: assigned, exported, or handed over by an option such as `-e`. */
export function variableUses(commands: readonly Command[], { detection }: Sought<VariableDetection>): readonly Use[] {
  const { name, lists, drop } = detection;
  return commands
    .flatMap(({ assignments, words, talks }) => [...assignments, ...(talks ? [] : words.slice(1))])
    .filter(({ text }) => text.startsWith(`${name}=`))
    .flatMap((word) => {
      const value = assigned(word.raw.startsWith(name) ? word : { ...word, raw: word.text });
      const left = withoutWord(value.text, lists);
      if (left === undefined) return [];
      return [{ offset: word.start, ...rewriting(value.start, value.end, drop ? left : undefined) }];
    });
}
