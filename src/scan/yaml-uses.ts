import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from "yaml";
import { memoized } from "../base/memoize.ts";
import { vocabulary, type YamlDetection } from "../model/deprecations.ts";
import type { Pipeline } from "./pipelines.ts";
import { rewriting, type Source, type Use } from "./text.ts";
import { nameOf, namesExtended, stringOf, valueAt, type YamlEntry } from "./yaml.ts";

export function yamlUses(
  entries: readonly YamlEntry[],
  detection: YamlDetection,
  { text }: Source,
  pipeline: Pipeline,
): readonly Use[] {
  const { found, isElsewhere } = matchEntries(entries, detection);
  return found.map((entry) => {
    const { key, value } = entry;
    const atValue = detection.equals !== undefined || detection.matches !== undefined || key === undefined;
    const offset = (atValue ? value : key)?.range?.[0] ?? 0;
    const reason = detection.fallback ? reasonToKeep(entry, detection, pipeline) : undefined;
    if (reason) return { offset, isLikely: reason === "template", note: notes[reason] };
    return { offset, ...(isElsewhere(entry) ? {} : createFix(entry, detection, text, pipeline)) };
  });
}

const notes = {
  kept: "not rewritten, because the pipeline might change: the new keyword is used, or the job merged with others",
  open: "not rewritten, because a file that includes it, or that it includes, may set the new keyword",
  template: "not rewritten, because a template in another file may set the new keyword",
};

/** Explains why a keyword that takes effect only without its new name is not renamed. */
function reasonToKeep(
  { path, key, value, holder, inJob }: YamlEntry,
  { rename = "" }: YamlDetection,
  pipeline: Pipeline,
): keyof typeof notes | undefined {
  const isMissing = namesExtended(holder).some((name) => !pipeline.names.has(name));
  if (pipeline.isOpen) return inJob && isMissing ? "template" : "open";
  const isPlain = !key?.anchor && !isAlias(value);
  const isOwn = path.length === 2 && isPlain && pipeline.standalone.has(String(path[0]));
  return (inJob ? isOwn : isPlain && !pipeline.names.has(rename)) ? undefined : "kept";
}

/** The entries that a detection matches, and whether a matching text is also used in other places. */
function matchEntries(entries: readonly YamlEntry[], detection: YamlDetection) {
  const segments = detection.path.split("/").map((segment) => segment.split("|"));
  const isTarget = (entry: YamlEntry) => leadsTo(segments, entry.path, entry.inJob);
  const matches = entries.filter((entry) => isTarget(entry) && holds(entry, detection));
  const others = matches.length === 0 ? [] : entries.filter((entry) => !isTarget(entry));
  // Through an anchor, other entries may use the same text with another meaning.
  const elsewhere = new Set(others.map(({ key, value }) => key ?? value));
  return { found: matches, isElsewhere: ({ key, value }: YamlEntry) => elsewhere.has(key ?? value) };
}

function leadsTo(segments: readonly (readonly string[])[], path: YamlEntry["path"], inJob: boolean): boolean {
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

function holds(entry: YamlEntry, detection: YamlDetection): boolean {
  const { key, value } = entry;
  const { is, longer, equals, matches, only, has, unless = {}, any = [], beside = {}, startsWithout } = detection;
  if (is && is !== (isMap(value) ? "mapping" : isSeq(value) ? "list" : "scalar")) return false;
  if (longer !== undefined && !isTooLong(key, longer)) return false;
  if (equals && !equals.includes(stringOf(value) ?? "")) return false;
  if (matches && !patternOf(matches).test(stringOf(value) ?? "")) return false;
  if (only && isMap(value) && !value.items.every(({ key: inner }) => only.includes(nameOf(inner)))) return false;
  if (has && !listScalarKeys(entry).some((name) => has.includes(name))) return false;
  const isSet = ([name, values]: readonly [string, readonly string[]]) => {
    const text = resolvedText(entry, name);
    return text !== undefined && (values.length === 0 || values.includes(text));
  };
  if (Object.entries(unless).some(isSet)) return false;
  const isBeside = ([name, pattern]: [string, string]) =>
    patternOf(pattern).test(stringOf(valueAt(entry.holder, name)) ?? "");
  if (!Object.entries(beside).every(isBeside)) return false;
  if (startsWithout === undefined) return true;
  return (
    isOutOfOrder(entry, startsWithout) && isMap(value) && value.items.some((pair) => any.includes(nameOf(pair.key)))
  );
}

const patternOf = memoized((source: string) => new RegExp(source));

/** Hidden jobs are templates, and have no limit. */
function isTooLong(key: Scalar | undefined, most: number): boolean {
  const name = nameOf(key);
  return !name.startsWith(".") && [...name].length > most;
}

/** Keys with scalar values, including merged ones. */
function listScalarKeys({ value, resolver }: YamlEntry): readonly string[] {
  if (!isMap(value)) return [];
  return resolver.pairs(value).flatMap(({ key, value: inner }) => (isMap(inner) || isSeq(inner) ? [] : [nameOf(key)]));
}

/** The text of a key, including merged ones. */
function resolvedText({ value, resolver }: YamlEntry, name: string): string | undefined {
  const pair = isMap(value) ? resolver.pairs(value).find(({ key }) => nameOf(key) === name) : undefined;
  return pair && (stringOf(pair.value) ?? "");
}

function isOutOfOrder({ value, resolver }: YamlEntry, first: string): boolean {
  if (!isMap(value)) return false;
  const [leading, ...others] = value.items;
  const areDatabases = [leading, ...others].every(
    (pair) => isMap(resolver.follow(pair?.value)) && nameOf(pair?.key) !== "<<",
  );
  return leading !== undefined && areDatabases && nameOf(leading.key) !== first;
}

function createFix(
  entry: YamlEntry,
  detection: YamlDetection,
  text: string,
  { names, isMerged }: Pipeline,
): Pick<Use, "edits"> {
  const { rename, replace, nest, fallback } = detection;
  const { holder, list, resolver } = entry;
  const hasKey = (name: string) => holder !== undefined && resolver.has(holder, name);
  const isTaken = (name: string) =>
    !fallback && (hasKey(name) || (entry.path.length === 1 && (isMerged || names.has(name))));
  if (rename && !isTaken(rename)) return rewritten(entry.key, rename, text);
  if (replace && !(list && itemsOf(list).has(replace))) return rewritten(entry.value, replace, text);
  return nest && isAlone(entry, detection) && isFlat(entry, nest) ? nestMapping(entry, nest, text) : {};
}

const itemsOf = memoized(
  (list: Node): ReadonlySet<string> => new Set(isSeq(list) ? list.items.flatMap((item) => stringOf(item) ?? []) : []),
  new WeakMap(),
);

/** Replaces a scalar's text and keeps its quotes. Block scalars are not rewritten. */
function rewritten(node: Node | null | undefined, replacement: string, text: string): Pick<Use, "edits"> {
  if (!isScalar(node) || !node.range || node.type?.startsWith("BLOCK")) return {};
  const [start, end] = node.range;
  const quote = /^['"]/.exec(text[start] ?? "")?.[0] ?? "";
  return rewriting(start, end, `${quote}${replacement}${quote}`);
}

/** A mapping that is merged with others would change its meaning one level deeper. */
function isAlone({ value, resolver }: YamlEntry, { path }: YamlDetection): boolean {
  if (!isMap(value) || value.anchor) return false;
  const merged = new Set(value.items.map(({ value: inner }) => resolver.follow(inner)));
  return !(resolver.root?.items ?? []).some(
    ({ key, value: other }) => path.split("|").includes(nameOf(key)) && merged.has(other as Node | null),
  );
}

/** A mapping that has the new key, or a merge key, would change its meaning. */
function isFlat({ value }: YamlEntry, name: string): boolean {
  return isMap(value) && !value.items.some(({ key }) => [name, "<<"].includes(nameOf(key)));
}

/** Nests a block mapping under a new key. Flow mappings are not rewritten. */
function nestMapping({ value }: YamlEntry, name: string, text: string): Pick<Use, "edits"> {
  if (!isMap(value) || value.flow || !value.range) return {};
  const [start, end] = value.range;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const indent = text.slice(lineStart, start);
  if (indent.trim() !== "" || indent === "") return {};
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const first = { start, end: start, text: `${name}:${newline}${indent}${indent}` };
  const lines = [...text.slice(start, end).matchAll(/\n(?=[^\r\n])/g)].map(({ index }) => start + index + 1);
  const deeper = lines.filter((at) => text.startsWith(indent, at));
  return { edits: [first, ...deeper.map((at) => ({ start: at, end: at, text: indent }))] };
}
