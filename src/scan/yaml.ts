import { isAlias, isMap, isScalar, isSeq, type Node, parseAllDocuments, type Scalar } from "yaml";
import { surroundings, type YamlDetection } from "../model/removals.ts";
import { rewriting, type Sought, type Source, type Use } from "./source.ts";
import { type Edit, withoutWord } from "./text.ts";

/** A key with its value, or an item of a list, and the keys and indices that lead to it. */
export interface Spot {
  readonly path: readonly (string | number)[];
  readonly key: Scalar | undefined;
  readonly value: Node | null;
  /** Whether it is, or lies in, a job of a CI/CD configuration. */
  readonly inJob: boolean;
}

/** Every spot of a text's documents; undefined where it is not YAML. An alias is not followed: its anchor is a spot too. */
export function yamlSpots(text: string): readonly Spot[] | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    const documents = parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false, logLevel: "silent" });
    const list = Array.isArray(documents) ? documents : [];
    if (list.some(({ errors }) => errors.length > 0)) return undefined;
    return list.flatMap(({ contents }) => spotsBelow(contents as Node | null, [], false));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The parser's own limit is the memory. */
const deepest = 500;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > deepest) return true;
  }
  return /^[ \t]*(?:[-?:] ){100}/m.test(text);
}

function spotsBelow(node: Node | null, path: Spot["path"], inJob: boolean): readonly Spot[] {
  if (isMap(node)) {
    return node.items.flatMap(({ key, value }) => {
      if (!isScalar(key)) return [];
      const name = String(key.value);
      const job = inJob || (path.length === 0 && isJob(name, value as Node | null));
      return spotAnd(key, value as Node | null, [...path, name], job);
    });
  }
  if (!isSeq(node)) return [];
  return node.items.flatMap((item, index) => spotAnd(undefined, item as Node | null, [...path, index], inJob));
}

function spotAnd(key: Scalar | undefined, value: Node | null, path: Spot["path"], inJob: boolean): readonly Spot[] {
  return [{ path, key, value, inJob }, ...spotsBelow(value, path, inJob)];
}

function isJob(name: string, value: Node | null): boolean {
  const { reserved, keywords } = surroundings.ci;
  if (!isMap(value) || reserved.includes(name)) return false;
  // A hidden key may hold anything that is merged elsewhere; only what looks like a job is one.
  return !name.startsWith(".") || value.items.some(({ key }) => keywords.includes(nameOf(key)));
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : "";
}

/** Whether a document is a CI/CD configuration by what it holds: some job of it has a script. */
export function looksLikeCi(spots: readonly Spot[]): boolean {
  return spots.some(({ path, inJob }) => inJob && path.length === 2 && path[1] === "script");
}

/** Uses in the spots of a YAML file. */
export function yamlUses(
  spots: readonly Spot[],
  { detection }: Sought<YamlDetection>,
  { text }: Source,
): readonly Use[] {
  const segments = detection.path.split("/").map((segment) => segment.split("|"));
  return spots
    .filter((spot) => leadsTo(segments, spot.path, spot.inJob) && holds(spot, detection, spots))
    .map((spot) => useAt(spot, detection, text, spots));
}

function leadsTo(segments: readonly (readonly string[])[], path: Spot["path"], inJob: boolean): boolean {
  const [segment, ...rest] = segments;
  if (!segment) return path.length === 0;
  if (segment[0] === "**") {
    return leadsTo(rest, path, inJob) || (path.length > 0 && leadsTo(segments, path.slice(1), inJob));
  }
  const [first, ...below] = path;
  if (first === undefined) return false;
  const matches = segment.some((word) => (word === surroundings.ci.job ? inJob : word === "*" || word === first));
  return matches && leadsTo(rest, below, inJob);
}

function holds({ key, value }: Spot, detection: YamlDetection, spots: readonly Spot[]): boolean {
  const { is, longer, equals, lists, has, startsWithout } = detection;
  if (is && kindOf(value) !== is) return false;
  if (longer !== undefined && !isTooLong(key, longer)) return false;
  if (equals && !equals.includes(stringOf(value) ?? "")) return false;
  if (lists && withoutWord(stringOf(value) ?? "", lists) === undefined) return false;
  if (has && !keysOf(value, spots).some((name) => has.includes(name))) return false;
  return startsWithout === undefined || isOutOfOrder(value, startsWithout);
}

function kindOf(value: Node | null): YamlDetection["is"] {
  return isMap(value) ? "mapping" : isSeq(value) ? "list" : "scalar";
}

/** Of a job that runs: a hidden one is only a template. */
function isTooLong(key: Scalar | undefined, most: number): boolean {
  const name = nameOf(key);
  return !name.startsWith(".") && [...name].length > most;
}

function stringOf(value: Node | null): string | undefined {
  return isScalar(value) && typeof value.value === "string" ? value.value : undefined;
}

/** Keys of a mapping whose values are scalars, with those that are merged into it. */
function keysOf(value: Node | null, spots: readonly Spot[], depth = 0): readonly string[] {
  if (!isMap(value) || depth > 5) return [];
  return value.items.flatMap(({ key, value: inner }) => {
    if (nameOf(key) === "<<" && isAlias(inner)) return keysOf(anchored(inner.source, spots), spots, depth + 1);
    return isMap(inner) || isSeq(inner) || isAlias(inner) ? [] : [nameOf(key)];
  });
}

function anchored(name: string, spots: readonly Spot[]): Node | null {
  return spots.find(({ value }) => (isMap(value) || isSeq(value)) && value.anchor === name)?.value ?? null;
}

function isOutOfOrder(value: Node | null, first: string): boolean {
  if (!isMap(value)) return false;
  const [leading, ...others] = value.items;
  const areDatabases = [leading, ...others].every(
    (pair) => isMap(pair?.value) || (isAlias(pair?.value) && nameOf(pair?.key) !== "<<"),
  );
  return leading !== undefined && areDatabases && nameOf(leading.key) !== first;
}

function useAt(spot: Spot, detection: YamlDetection, text: string, spots: readonly Spot[]): Use {
  const atValue = detection.equals !== undefined || detection.lists !== undefined || spot.key === undefined;
  const node = atValue ? spot.value : spot.key;
  const offset = node?.range?.[0] ?? 0;
  return { offset, ...fixOf(spot, detection, text, spots) };
}

function fixOf(spot: Spot, detection: YamlDetection, text: string, spots: readonly Spot[]): Pick<Use, "edits"> {
  const { rename, replace, drop, lists = "", nest } = detection;
  if (rename && !hasSibling(spot, rename, spots)) return rewritten(spot.key, rename, text);
  if (replace && !hasItem(spot, replace, spots)) return rewritten(spot.value, replace, text);
  if (drop) return rewritten(spot.value, withoutWord(stringOf(spot.value) ?? "", lists) ?? "", text);
  return nest && isAlone(spot, detection, spots) && isFlat(spot, nest) ? nested(spot, nest, text) : {};
}

/** A name that is there already, or the same item in one list, is no mechanical replacement. */
function hasSibling({ path }: Spot, name: string, spots: readonly Spot[]): boolean {
  const wanted = [...path.slice(0, -1), name].join("\0");
  return spots.some((other) => other.path.join("\0") === wanted);
}

function hasItem({ path, key }: Spot, text: string, spots: readonly Spot[]): boolean {
  if (key !== undefined) return false;
  const list = path.slice(0, -1).join("\0");
  return spots.some((other) => other.path.slice(0, -1).join("\0") === list && stringOf(other.value) === text);
}

/** Other text for a scalar, in the quotes that it has. A block scalar is left to a person. */
function rewritten(node: Node | null | undefined, replacement: string, text: string): Pick<Use, "edits"> {
  if (!isScalar(node) || !node.range || node.type?.startsWith("BLOCK")) return {};
  const [start, end] = node.range;
  const quote = /^['"]/.exec(text[start] ?? "")?.[0] ?? (replacement === "" ? '"' : "");
  return rewriting(start, end, `${quote}${replacement}${quote}`);
}

/** What others are merged from, or is merged from such a one, means something else one level deeper. */
function isAlone({ value }: Spot, { path }: YamlDetection, spots: readonly Spot[]): boolean {
  if (!isMap(value) || value.anchor) return false;
  const names = path.split("|");
  const merged = value.items.flatMap(({ value: inner }) => (isAlias(inner) ? [anchored(inner.source, spots)] : []));
  return !spots.some((other) => names.includes(String(other.path[0])) && merged.includes(other.value));
}

/** Beside the new key, or beside what a merge brings, a nested mapping would say something else. */
function isFlat({ value }: Spot, name: string): boolean {
  return isMap(value) && !value.items.some(({ key }) => [name, "<<"].includes(nameOf(key)));
}

/** Puts a block mapping one level deeper, below a new key. A flow mapping is left to a person. */
function nested({ value }: Spot, name: string, text: string): Pick<Use, "edits"> {
  if (!isMap(value) || value.flow || !value.range) return {};
  const [start, end] = value.range;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const indent = text.slice(lineStart, start);
  if (indent.trim() !== "" || indent === "") return {};
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = [...text.slice(start, end).matchAll(/\n(?=[^\r\n])/g)].map(({ index }) => start + index + 1);
  const deeper = lines
    .filter((at) => text.slice(at).startsWith(indent))
    .map((at): Edit => ({ start: at, end: at, text: indent }));
  return { edits: [{ start, end: start, text: `${name}:${newline}${indent}${indent}` }, ...deeper] };
}
