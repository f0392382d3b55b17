import { isMap, isScalar, isSeq, type Node } from "yaml";
import { type VariableDetection, vocabulary } from "../model/deprecations.ts";
import { type Address, addressIn, type Evidence, isAddress, type Mention, parametersIn, readIn } from "./addresses.ts";
import { assignedWord, type Command, commandNameOf, commandOf, commandsOf, plainWord, type Word } from "./shell.ts";
import { rewriting, type TextFragment, type Use, withHoles, withoutWord } from "./text.ts";
import { innerRange, stringOf, valueAt, type YamlEntry } from "./yaml.ts";

/** Shell commands in a YAML file: scripts, and commands as lists of words. */
export function commandsInYaml(entries: readonly YamlEntry[], text: string, isCi: boolean): readonly Command[] {
  const names = new Set(isCi ? vocabulary.ci.scripts : [...vocabulary.ci.scripts, ...vocabulary.yaml.scripts]);
  return entries.flatMap((entry) => {
    const name = entry.path.findLast((part) => typeof part === "string") ?? "";
    if (!names.has(String(name))) return [];
    return !isCi && isScript(entry) ? wordsAsCommand(entry, text) : commandsOfScalar(entry.value, text);
  });
}

const argumentKeys: Readonly<Record<string, string>> = vocabulary.yaml.arguments;

/** True if a key contains one command, and not a list of commands. */
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
  return [commandOf([...readCommandWords(before, text), ...readCommandWords(value, text)])];
}

function readCommandWords(value: Node | null | undefined, text: string): Word[] {
  if (isSeq(value))
    return value.items.flatMap((item) => {
      const range = innerRange(item, text);
      return range ? [plainWord(text.slice(range.start, range.end), range.start)] : [];
    });
  return value ? commandsOfScalar(value, text).flatMap(({ words }) => words) : [];
}

function commandsOfScalar(value: Node | null, text: string): readonly Command[] {
  const range = innerRange(value, text);
  return range ? commandsOf(text, range.start, range.end, { folded: range.folded }) : [];
}

/** A word of a command, with interpolations in double quotes as holes. */
interface Argument extends TextFragment {
  readonly raw: string;
}

const { http, readers } = vocabulary.shell;

/** Requests of a script, and fields of responses that the same pipeline reads. */
export function mentionsInCommands(commands: readonly Command[], evidence: Evidence): readonly Mention[] {
  const mentions: (readonly Mention[])[] = [];
  let called: readonly Address[] = [];
  let piped: readonly Argument[] = [];
  for (const command of commands) {
    const name = commandNameOf(command);
    const words = command.words.slice(1).map(toArgument);
    // A literal that is an address by itself counts wherever it is used.
    const assigned = command.assignments.map(assignedWord).map((word) => addressIn(word, word.text, evidence));
    mentions.push(assigned.flatMap((found) => (found?.base === "api" ? found.mentions : [])));
    if (http.has(name)) {
      const requests = words.flatMap((word) => findRequest(word, evidence, name === "glab"));
      called = requests.flatMap(({ about, address }) => (about === "path" ? [address] : [])).slice(0, maxAddresses);
      mentions.push(requests, sentTo(called, [...piped, ...words]));
    } else if (readers.has(name)) {
      for (const address of called) mentions.push(words.flatMap((word) => readIn(word, address)));
    }
    piped = command.feeds ? words.filter(({ raw }) => /\n|^["']?[[{]/.test(raw)) : [];
    if (!command.feeds) called = [];
  }
  return mentions.flat();
}

/** Each is combined with all parameters of its command. */
const maxAddresses = 50;

/** Single quotes prevent expansion; only a word quoted as a whole has lost its quotes. */
function toArgument({ raw, text, start, end }: Word): Argument {
  const inner = raw.length === end - start + 2 ? raw.slice(1, -1) : raw;
  return { text: raw.startsWith("'") ? text : withHoles(inner), raw: inner, start };
}

/** `glab api` sends requests to this API alone. */
function findRequest(word: Argument, evidence: Evidence, isOwn: boolean): readonly Mention[] {
  const { mentions = [] } = addressIn(word, word.raw, evidence, () => (isOwn ? "/api/v4" : undefined)) ?? {};
  return isOwn ? mentions.map((each) => ({ ...each, address: { ...each.address, sure: true } })) : mentions;
}

function sentTo(called: readonly Address[], words: readonly Argument[]): readonly Mention[] {
  const bodies = words.filter(({ text }) => !/^[A-Za-z-]+:\s/.test(text) && !isAddress(text));
  const sent = bodies.flatMap(parametersIn);
  return called.flatMap((address) => sent.map((each): Mention => ({ about: "sent", address, ...each })));
}

export interface VariableSetting {
  readonly name: string;
  readonly value: string;
  /** Offset for the finding. */
  readonly offset: number;
  /** Range of the value, without its quotes. */
  readonly start: number;
  readonly end: number;
  /** The replacement for an empty value; undefined if it cannot be rewritten. */
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
    return isValue ? toSetting(name, value, text) : [];
  });
}

/** `- NAME=value`, or `- name: NAME` with its `value`. */
function settingOfItem({ value }: YamlEntry, text: string): readonly VariableSetting[] {
  if (isMap(value)) return toSetting(stringOf(valueAt(value, "name")) ?? "", valueAt(value, "value"), text);
  const range = innerRange(value, text);
  const [whole = "", name = ""] = /^([A-Za-z_]\w*)=/.exec(range ? text.slice(range.start, range.end) : "") ?? [];
  if (!range || whole === "") return [];
  const start = range.start + whole.length;
  return [{ name, value: text.slice(start, range.end), offset: range.start, start, end: range.end, empty: "" }];
}

function toSetting(name: string, value: unknown, text: string): readonly VariableSetting[] {
  const range = innerRange(value, text);
  const string = stringOf(value);
  if (!range || string === undefined || !isScalar(value)) return [];
  const empty = range.isBlock ? undefined : value.type === "PLAIN" ? '""' : "";
  return [{ name, value: string, offset: value.range?.[0] ?? 0, start: range.start, end: range.end, empty }];
}

export function variableUses(settings: readonly VariableSetting[], detection: VariableDetection): readonly Use[] {
  const { name: wanted, lists, drop } = detection;
  return settings.flatMap(({ name, value, offset, start, end, empty }) => {
    const left = name === wanted ? withoutWord(value, lists) : undefined;
    if (left === undefined) return [];
    const isKept = !drop || empty === undefined;
    return [{ offset, ...rewriting(start, end, isKept ? undefined : left || empty) }];
  });
}
