import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import { memoized } from "../base/memoize.ts";
import { vocabulary, type YamlDetection } from "../model/deprecations.ts";
import type { Verdict } from "./renames.ts";
import { rewriting, type Sought, type Source, type Use } from "./source.ts";
import type { Edit } from "./text.ts";
import type { Spot } from "./yaml.ts";
import { nameOf, stringOf, valueAt } from "./yaml-nodes.ts";

/** What other files say about renaming keys. */
export interface Renaming {
  /** Of a key that counts only where its new name is not set. */
  readonly verdictOf: (key: Scalar) => Verdict | undefined;
  /** Names of jobs in the pipelines that the file is part of. */
  readonly names: ReadonlySet<string>;
}

/** Uses in the spots of a YAML file. */
export function yamlUses(
  spots: readonly Spot[],
  { detection }: Sought<YamlDetection>,
  { text }: Source,
  renaming: Renaming,
): readonly Use[] {
  const { found, isElsewhere } = meantIn(spots, detection);
  return found.map((spot) => {
    const offset = placeOf(spot, detection);
    const verdict = detection.fallback && spot.key ? (renaming.verdictOf(spot.key) ?? "kept") : "exact";
    if (verdict !== "exact") return { offset, isLikely: verdict === "unknown", note: notes[verdict] };
    return { offset, ...(isElsewhere(spot) ? {} : fixOf(spot, detection, text, renaming)) };
  });
}

const notes: Readonly<Record<Exclude<Verdict, "exact">, string>> = {
  kept: "not rewritten, because the pipeline would change: the new keyword is set, or the old one referenced, elsewhere",
  open: "not rewritten, because an included file that is not in the scan may set the new keyword",
  unknown: "not rewritten, because a template that is not in the scan may set the new keyword",
};

/** The keys that a detection renames where nothing in other files speaks against it. */
export function renamableKeys(spots: readonly Spot[], detection: YamlDetection): readonly Scalar[] {
  const { rename = "" } = detection;
  const { found, isElsewhere } = meantIn(spots, detection);
  return found.flatMap((spot) => {
    const { key, holder } = spot;
    const isPlain = key !== undefined && !key.type?.startsWith("BLOCK") && !key.anchor;
    return isPlain && !holder?.has(rename) && !isElsewhere(spot) ? [key] : [];
  });
}

/** The spots that a detection means, and whether one's text is taken to a place as well that is not meant. */
function meantIn(spots: readonly Spot[], detection: YamlDetection) {
  const segments = detection.path.split("/").map((segment) => segment.split("|"));
  const meant = (spot: Spot) => leadsTo(segments, spot.path, spot.inJob);
  const found = spots.filter((spot) => meant(spot) && holds(spot, detection));
  const others = found.length === 0 ? [] : spots.filter((spot) => !meant(spot));
  const elsewhere = new Set(others.map(nodeOf));
  return { found, isElsewhere: (spot: Spot) => elsewhere.has(nodeOf(spot)) };
}

/** The text that a spot is about: an anchor may take it to places where it means something else. */
function nodeOf({ key, value }: Spot): Node | null {
  return key ?? value;
}

function leadsTo(segments: readonly (readonly string[])[], path: Spot["path"], inJob: boolean): boolean {
  const [segment, ...rest] = segments;
  if (!segment) return path.length === 0;
  if (segment[0] === "**") {
    return leadsTo(rest, path, inJob) || (path.length > 0 && leadsTo(segments, path.slice(1), inJob));
  }
  const [first, ...below] = path;
  if (first === undefined) return false;
  const matches = segment.some((word) => (word === vocabulary.ci.job ? inJob : word === "*" || word === first));
  return matches && leadsTo(rest, below, inJob);
}

function holds(spot: Spot, detection: YamlDetection): boolean {
  const { key, value, resolver } = spot;
  const { is, longer, equals, matches, only, has, unless = {}, any = [], beside = {}, startsWithout } = detection;
  if (is && kindOf(value) !== is) return false;
  if (longer !== undefined && !isTooLong(key, longer)) return false;
  if (equals && !equals.includes(stringOf(value) ?? "")) return false;
  if (matches && !patternOf(matches).test(stringOf(value) ?? "")) return false;
  if (only && isMap(value) && !value.items.every(({ key: inner }) => only.includes(nameOf(inner)))) return false;
  if (has && !scalarKeysOf({ value, resolver }).some((name) => has.includes(name))) return false;
  if (Object.entries(unless).some(([name, values]) => isOneOf(textOf({ value, resolver }, name), values))) return false;
  const isBeside = ([name, pattern]: [string, string]) =>
    patternOf(pattern).test(stringOf(valueAt(spot.holder, name)) ?? "");
  if (!Object.entries(beside).every(isBeside)) return false;
  return startsWithout === undefined || (isOutOfOrder({ value, resolver }, startsWithout) && hasAny(value, any));
}

const patternOf = memoized((source: string) => new RegExp(source));

function kindOf(value: Node | null): YamlDetection["is"] {
  return isMap(value) ? "mapping" : isSeq(value) ? "list" : "scalar";
}

/** Of a job that runs: a hidden one is only a template. */
function isTooLong(key: Scalar | undefined, most: number): boolean {
  const name = nameOf(key);
  return !name.startsWith(".") && [...name].length > most;
}

type Resolved = Pick<Spot, "value" | "resolver">;

/** Keys of a mapping whose values are scalars, with those that are merged into it. */
function scalarKeysOf({ value, resolver }: Resolved): readonly string[] {
  if (!isMap(value)) return [];
  return resolver.pairs(value).flatMap(({ key, value: inner }) => (isMap(inner) || isSeq(inner) ? [] : [nameOf(key)]));
}

/** The text of a key, with those that are merged in. */
function textOf({ value, resolver }: Resolved, name: string): string | undefined {
  const pair = isMap(value) ? resolver.pairs(value).find(({ key }) => nameOf(key) === name) : undefined;
  return pair && (stringOf(pair.value) ?? "");
}

function isOneOf(text: string | undefined, values: readonly string[]): boolean {
  return text !== undefined && (values.length === 0 || values.includes(text));
}

function hasAny(value: Node | null, names: readonly string[]): boolean {
  return isMap(value) && value.items.some(({ key }) => names.includes(nameOf(key)));
}

function isOutOfOrder({ value, resolver }: Resolved, first: string): boolean {
  if (!isMap(value)) return false;
  const [leading, ...others] = value.items;
  const areDatabases = [leading, ...others].every(
    (pair) => isMap(resolver.follow(pair?.value)) && nameOf(pair?.key) !== "<<",
  );
  return leading !== undefined && areDatabases && nameOf(leading.key) !== first;
}

function placeOf({ key, value }: Spot, { equals, matches }: YamlDetection): number {
  const atValue = equals !== undefined || matches !== undefined || key === undefined;
  return (atValue ? value : key)?.range?.[0] ?? 0;
}

function fixOf(spot: Spot, detection: YamlDetection, text: string, { names }: Renaming): Pick<Use, "edits"> {
  const { rename, replace, nest, fallback } = detection;
  const isTaken = (name: string) => !fallback && (hasKey(spot, name) || (spot.path.length === 1 && names.has(name)));
  if (rename && !isTaken(rename)) return rewritten(spot.key, rename, text);
  if (replace && !hasItem(spot, replace)) return rewritten(spot.value, replace, text);
  return nest && isAlone(spot, detection) && isFlat(spot, nest) ? nested(spot, nest, text) : {};
}

/** A name that is there already is no mechanical replacement. */
function hasKey({ holder, resolver }: Spot, name: string): boolean {
  return holder !== undefined && resolver.has(holder, name);
}

/** Nor is an item that the list has already. */
function hasItem({ list }: Spot, text: string): boolean {
  return list !== undefined && itemsOf(list).has(text);
}

const itemsOf = memoized(
  (list: Node): ReadonlySet<string> => new Set(isSeq(list) ? list.items.flatMap((item) => stringOf(item) ?? []) : []),
  new WeakMap(),
);

/** Other text for a scalar, in the quotes that it has. A block scalar is left to a person. */
function rewritten(node: Node | null | undefined, replacement: string, text: string): Pick<Use, "edits"> {
  if (!isScalar(node) || !node.range || node.type?.startsWith("BLOCK")) return {};
  const [start, end] = node.range;
  const quote = /^['"]/.exec(text[start] ?? "")?.[0] ?? "";
  return rewriting(start, end, `${quote}${replacement}${quote}`);
}

/** What others are merged from, or is merged from such a one, means something else one level deeper. */
function isAlone({ value, resolver }: Spot, { path }: YamlDetection): boolean {
  if (!isMap(value) || value.anchor) return false;
  const merged = new Set(value.items.map(({ value: inner }) => resolver.follow(inner)));
  return !(resolver.root?.items ?? []).some(
    ({ key, value: other }) => path.split("|").includes(nameOf(key)) && merged.has(other as Node | null),
  );
}

/** Beside the new key, or beside what a merge brings, a nested mapping would say something else. */
function isFlat({ value }: Spot, name: string): boolean {
  return isMap(value) && !value.items.some(({ key }) => [name, "<<"].includes(nameOf(key)));
}

/** Puts a block mapping one level deeper, below a new key. A flow mapping is left to a person. */
function nested({ value }: Spot, name: string, text: string): Pick<Use, "edits"> {
  if (!isMap(value) || value.flow || !value.range) return {};
  const [start] = value.range;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const indent = text.slice(lineStart, start);
  if (indent.trim() !== "" || indent === "") return {};
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const first = { start, end: start, text: `${name}:${newline}${indent}${indent}` };
  return { edits: [first, ...deeper(value, indent, text)] };
}

function deeper({ range }: YAMLMap, indent: string, text: string): readonly Edit[] {
  const [start = 0, end = 0] = range ?? [];
  const lines = [...text.slice(start, end).matchAll(/\n(?=[^\r\n])/g)].map(({ index }) => start + index + 1);
  return lines.filter((at) => text.startsWith(indent, at)).map((at) => ({ start: at, end: at, text: indent }));
}
