import type { ArgumentDetection, CommandDetection, VariableDetection } from "../schedule.ts";
import { surroundings } from "../schedule.ts";
import { type Command, commandsOf, nameOf, type Word } from "./shell.ts";
import { rewriting, type Sought, type Use } from "./source.ts";
import { withoutWord } from "./text.ts";
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

/** `docker exec app command` runs what follows some word of it. */
function tails({ words }: Command): readonly Command[] {
  const talk = words.findIndex(({ raw }) => surroundings.shell.talk.includes(raw));
  const heard = talk < 0 ? words : words.slice(0, talk);
  return heard.slice(1).map((_, index) => ({ words: heard.slice(index + 1), assignments: [], talks: false }));
}

/** Words of commands as the texts of a program: a command is one call. */
export function tokensOfCommands(commands: readonly Command[]): readonly Token[] {
  const { http, remote, ruby } = surroundings.shell;
  return commands.flatMap((command, index) => {
    const group = firstGroup - index;
    const name = nameOf(command);
    if (command.talks) return [];
    const isAsking = [...http, ...remote, ...ruby, ...surroundings.shell.readers].includes(name);
    const words = isAsking ? command.words.slice(1) : command.assignments.map(assigned);
    return words.map(({ text, start }): Token => ({ kind: "text", text, start, group, inText: false }));
  });
}

/** Groups of commands go down, so that a command ends where a lower one begins, as calls do. */
const firstGroup = Number.MAX_SAFE_INTEGER;

/** What is assigned, without quotes. */
function assigned({ raw, text, start, end }: Word): Word {
  const equals = raw.indexOf("=") + 1;
  const quoted = /^["']/.test(raw.slice(equals)) ? 1 : 0;
  const from = equals + quoted;
  return { raw: raw.slice(from), text: text.slice(from, text.length - quoted), start: start + from, end: end - quoted };
}

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
      const value = word.raw.startsWith(name)
        ? assigned(word)
        : { ...word, text: word.text.slice(name.length + 1), start: word.start + name.length + 1 };
      const left = withoutWord(value.text, lists);
      if (left === undefined) return [];
      return [
        { offset: word.start, ...rewriting(value.start, value.start + value.text.length, drop ? left : undefined) },
      ];
    });
}
