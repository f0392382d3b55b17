import { isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import {
  type Address,
  addressMentions,
  type Evidence,
  type Mention,
  matchAddress,
  parametersIn,
  resolveAddress,
  wantedNames,
} from "./addresses.ts";
import { type Command, commandOf, commandsOf, plainWord, type Word } from "./shell.ts";
import { masked, type TextFragment } from "./text.ts";
import { innerRange, nameOf, stringOf, valueAt, type YamlEntry } from "./yaml.ts";

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
  if (isSeq(value)) return value.items.flatMap((item) => wordsOf(item, text));
  return value ? commandsOfScalar(value, text).flatMap(({ words }) => words) : [];
}

function wordsOf(item: unknown, text: string): readonly Word[] {
  const range = innerRange(item, text);
  return range ? [plainWord(text.slice(range.start, range.end), range.start)] : [];
}

function commandsOfScalar(value: Node | null, text: string): readonly Command[] {
  const range = innerRange(value, text);
  return range ? commandsOf(text, range.start, range.end, { folded: range.folded }) : [];
}

/** Requests of playbook modules: `uri: { url, body }`. */
export function mentionsInModules(entries: readonly YamlEntry[], text: string, evidence: Evidence): readonly Mention[] {
  const { requests } = vocabulary.yaml;
  return entries.flatMap(({ path, key, value }) =>
    key && isMap(value) && requests.has(String(path.at(-1))) ? mentionsOf(value, text, evidence) : [],
  );
}

function mentionsOf(module: YAMLMap, text: string, evidence: Evidence): readonly Mention[] {
  const piece = pieceIn(valueAt(module, "url"), text);
  const written = piece && matchAddress(piece.text, piece.text);
  const address = written && resolveAddress(written, evidence);
  if (!piece || !written || !address) return [];
  return [...addressMentions(piece, written, address), ...bodyOf(module, text, address)];
}

function bodyOf(module: YAMLMap, text: string, address: Address): readonly Mention[] {
  const body = valueAt(module, "body");
  const piece = pieceIn(body, text);
  if (piece) return parametersIn(piece).map((each) => ({ about: "sent", address, ...each }));
  if (!isMap(body)) return [];
  return body.items.flatMap(({ key, value }): readonly Mention[] => {
    const name = nameOf(key);
    const range = innerRange(value, text);
    if (!wantedNames.has(name) || !range || !isScalar(key)) return [];
    const [string, own] = isScalar(value) ? [stringOf(value), value.anchor === undefined] : [undefined, false];
    const place = { nameOffset: key.range?.[0] ?? range.start, offset: range.start };
    return [{ about: "sent", address, name, value: string, ...place, isVariable: !own }];
  });
}

/** A scalar with template placeholders as holes. */
function pieceIn(value: unknown, text: string): TextFragment | undefined {
  const range = innerRange(value, text);
  return range && { text: masked(text.slice(range.start, range.end), /\{\{.*?\}\}/g), start: range.start };
}
