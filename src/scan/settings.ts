import { isMap, isScalar } from "yaml";
import { type VariableDetection, vocabulary } from "../model/deprecations.ts";
import type { Command } from "./shell.ts";
import { assignedWord, type Word } from "./shell.ts";
import { type DetectionOf, rewriting, type Use, withoutWord } from "./text.ts";
import { innerRange, stringOf, valueAt, type YamlEntry } from "./yaml.ts";

/** An environment variable that is given a value. */
export interface VariableSetting {
  readonly name: string;
  readonly value: string;
  /** Offset that is reported. */
  readonly offset: number;
  /** Range of the value, without its quotes. */
  readonly start: number;
  readonly end: number;
  /** An empty value as it would be written here; undefined where it cannot be rewritten. */
  readonly empty: string | undefined;
}

/** Variables that commands set: assignedWord, exported, or passed by an option such as `-e`. */
export function settingsInCommands(commands: readonly Command[]): readonly VariableSetting[] {
  return commands.flatMap(({ assignments, words, printsOnly }) =>
    [...assignments, ...(printsOnly ? [] : words.slice(1))].flatMap(settingOfWord),
  );
}

function settingOfWord(word: Word): readonly VariableSetting[] {
  const name = /^([A-Za-z_]\w*)=/.exec(word.text)?.[1];
  if (name === undefined) return [];
  const { text, start, end } = assignedWord(word.raw.startsWith(name) ? word : { ...word, raw: word.text });
  return [{ name, value: text, offset: word.start, start, end, empty: "" }];
}

/** Variables of CI/CD configuration, and environments of containers. */
export function settingsInYaml(entries: readonly YamlEntry[], text: string): readonly VariableSetting[] {
  const { environments } = vocabulary.yaml;
  return entries.flatMap((entry) => {
    const { path, key, value } = entry;
    const at = path.findLastIndex((part) => environments.has(String(part)));
    const inside = path.slice(at + 1);
    // A matrix is a list of environments.
    const [name, below] = typeof inside[0] === "number" && inside.length > 1 ? inside.slice(1) : inside;
    if (at < 0 || name === undefined) return [];
    if (typeof name === "number") return key ? [] : settingOfItem(entry, text);
    const isValue = below === undefined || below === "value" || typeof below === "number";
    return isValue ? settingOf(name, value, text) : [];
  });
}

/** `- NAME=value`, or `- name: NAME` with its `value`. */
function settingOfItem({ value }: YamlEntry, text: string): readonly VariableSetting[] {
  if (isMap(value)) return settingOf(stringOf(valueAt(value, "name")) ?? "", valueAt(value, "value"), text);
  const range = innerRange(value, text);
  const [whole = "", name = ""] = /^([A-Za-z_]\w*)=/.exec(range ? text.slice(range.start, range.end) : "") ?? [];
  if (!range || whole === "") return [];
  const start = range.start + whole.length;
  return [{ name, value: text.slice(start, range.end), offset: range.start, start, end: range.end, empty: "" }];
}

function settingOf(name: string, value: unknown, text: string): readonly VariableSetting[] {
  const range = innerRange(value, text);
  const string = stringOf(value);
  if (!range || string === undefined || !isScalar(value)) return [];
  const empty = range.isBlock ? undefined : value.type === "PLAIN" ? '""' : "";
  return [{ name, value: string, offset: value.range?.[0] ?? 0, start: range.start, end: range.end, empty }];
}

export function variableUses(
  settings: readonly VariableSetting[],
  { detection }: DetectionOf<VariableDetection>,
): readonly Use[] {
  const { name: wanted, lists, drop } = detection;
  return settings.flatMap(({ name, value, offset, start, end, empty }) => {
    const left = name === wanted ? withoutWord(value, lists) : undefined;
    if (left === undefined) return [];
    const isKept = !drop || empty === undefined;
    return [{ offset, ...rewriting(start, end, isKept ? undefined : left || empty) }];
  });
}
