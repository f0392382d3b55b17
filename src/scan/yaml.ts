import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import type { Resolver } from "./resolver.ts";

/** A key with its value, or an item of a list, and the keys and indices that lead to it. */
export interface Spot {
  readonly path: readonly (string | number)[];
  readonly key: Scalar | undefined;
  readonly value: Node | null;
  /** The mapping that the key stands in. */
  readonly holder: YAMLMap | undefined;
  /** The list that the item stands in. */
  readonly list?: YAMLSeq;
  /** Answers questions about its document. */
  readonly resolver: Resolver;
  /** Whether it is, or lies in, a job of a CI/CD configuration. */
  readonly inJob: boolean;
}

/** The contents of a text's documents; undefined where it is not YAML. Never throws. */
export function yamlDocuments(text: string): readonly (Node | null)[] | undefined {
  if (isTooDeep(text)) return undefined;
  try {
    const documents = parseAllDocuments(text, { prettyErrors: false, uniqueKeys: false, logLevel: "silent" });
    const list = Array.isArray(documents) ? documents : [];
    if (list.some(({ errors }) => errors.length > 0)) return undefined;
    return list.map(({ contents }) => contents as Node | null);
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

/** Every spot of a document as it is written: an alias is not followed, since its anchor is a spot too. */
export function yamlSpots(contents: Node | null, resolver: Resolver): readonly Spot[] {
  const spots: Spot[] = [];
  below(contents, []);
  return spots;

  function below(node: Node | null, path: Spot["path"]): void {
    if (isMap(node)) {
      for (const pair of node.items)
        if (isScalar(pair.key)) visit(pair.key, pair.value, [...path, nameOf(pair.key)], node);
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) visit(undefined, item, [...path, index], undefined, node);
    }
  }

  function visit(key: Scalar | undefined, value: unknown, path: Spot["path"], holder?: YAMLMap, list?: YAMLSeq): void {
    spots.push({ path, key, value: value as Node | null, holder, resolver, inJob: false, ...(list && { list }) });
    below(value as Node | null, path);
  }
}

/** The text of a key; empty for what is none. */
export function nameOf(key: unknown): string {
  if (!isScalar(key)) return "";
  // A merge key that is tagged as one is a symbol.
  return typeof key.value === "symbol" ? (key.value.description ?? "") : String(key.value);
}

/** The text of a scalar that is one. */
export function stringOf(value: unknown): string | undefined {
  return isScalar(value) && typeof value.value === "string" ? value.value : undefined;
}

/** The value that a mapping has for a key itself. */
export function valueAt(map: unknown, name: string): Node | null | undefined {
  return pairAt(map, name)?.value as Node | null | undefined;
}

/** The last of equal keys counts. */
function pairAt(map: unknown, name: string): Pair | undefined {
  return isMap(map) ? map.items.findLast(({ key }) => nameOf(key) === name) : undefined;
}

/** Nodes by the names of their anchors. */
export function anchorsIn(contents: Node | null): ReadonlyMap<string, Node> {
  const anchors = new Map<string, Node>();
  collect(contents);
  return anchors;

  function collect(node: unknown): void {
    if (isAlias(node) || node === null || typeof node !== "object") return;
    if ((isMap(node) || isSeq(node) || isScalar(node)) && node.anchor) anchors.set(node.anchor, node);
    if (isMap(node)) for (const { key, value } of node.items) for (const part of [key, value]) collect(part);
    if (isSeq(node)) for (const item of node.items) collect(item);
  }
}

/** The stretch of a scalar's own characters, without its quotes or its block header; undefined for what is none. */
export function innerRange(
  value: unknown,
  text: string,
): { readonly start: number; readonly end: number; readonly folded: boolean; readonly isBlock: boolean } | undefined {
  if (!isScalar(value) || !value.range) return undefined;
  const [start, end] = value.range;
  const type = value.type ?? "PLAIN";
  if (type.startsWith("QUOTE")) return { start: start + 1, end: end - 1, folded: true, isBlock: false };
  if (!type.startsWith("BLOCK")) return { start, end, folded: true, isBlock: false };
  return { start: text.indexOf("\n", start) + 1, end, folded: type === "BLOCK_FOLDED", isBlock: true };
}
