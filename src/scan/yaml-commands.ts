import { isSeq, type Node } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import { type Command, commandOf } from "./command.ts";
import { commandsOf } from "./shell.ts";
import { plainWord, type Word } from "./shell-words.ts";
import { innerRange, valueAt, type YamlEntry } from "./yaml.ts";

/** Shell commands in a YAML file: scripts, and commands as lists of words. */
export function commandsInYaml(entries: readonly YamlEntry[], text: string, isCi: boolean): readonly Command[] {
  const names = new Set(isCi ? vocabulary.ci.scripts : [...vocabulary.ci.scripts, ...vocabulary.yaml.scripts]);
  return entries.flatMap((entry) => {
    const name = entry.path.findLast((part) => typeof part === "string") ?? "";
    if (!names.has(String(name))) return [];
    return !isCi && isScript(entry) ? wordsAsCommand(entry, text) : commandsOfScalar(entry.value, text);
  });
}

const { arguments: argumentKeys } = vocabulary.yaml;

/** Whether a key contains one command, and not a list of commands. */
function isScript({ path }: YamlEntry): boolean {
  const last = path.at(-1);
  return typeof last === "string" ? last in argumentKeys : String(path.at(-2)) in argumentKeys;
}

/** `command: [sh, -c]` and `args: [script]` of one mapping are one command. */
function wordsAsCommand(entry: YamlEntry, text: string): readonly Command[] {
  const { key, value, holder, path } = entry;
  if (!key) return [];
  const head = argumentKeys[String(path.at(-1))] ?? "";
  const before = head === "" ? undefined : valueAt(holder, head);
  if (!before && !isSeq(value)) return commandsOfScalar(value, text);
  return [commandOf([...commandWords(before, text), ...commandWords(value, text)])];
}

function commandWords(value: Node | null | undefined, text: string): Word[] {
  if (isSeq(value)) return value.items.flatMap((item) => wordOf(item, text));
  return value ? commandsOfScalar(value, text).flatMap(({ words }) => words) : [];
}

function wordOf(item: unknown, text: string): readonly Word[] {
  const range = innerRange(item, text);
  return range ? [plainWord(text.slice(range.start, range.end), range.start)] : [];
}

function commandsOfScalar(value: Node | null, text: string): readonly Command[] {
  const range = innerRange(value, text);
  return range ? commandsOf(text, range.start, range.end, { folded: range.folded }) : [];
}
