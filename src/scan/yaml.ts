import { isMap, isScalar, isSeq, type Node, parseAllDocuments, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import type { Resolver } from "./resolver.ts";
import { nameOf } from "./yaml-nodes.ts";

/** A key with its value, or an item of a list, with its path. */
export interface YamlEntry {
  readonly path: readonly (string | number)[];
  readonly key: Scalar | undefined;
  readonly value: Node | null;
  /** The mapping of the key. */
  readonly holder: YAMLMap | undefined;
  /** The list of the item. */
  readonly list?: YAMLSeq;
  readonly resolver: Resolver;
  /** Whether it is a job of a CI/CD configuration, or inside one. */
  readonly inJob: boolean;
}

/** The contents of a text's documents; undefined for invalid YAML. Never throws. */
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

/** The parser has no limit. */
const maxDepth = 500;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > maxDepth) return true;
  }
  return /^[ \t]*(?:[-?:] ){100}/m.test(text);
}

/** Every entry of a document. Aliases are not followed, because their anchors are entries too. */
export function yamlEntries(contents: Node | null, resolver: Resolver): readonly YamlEntry[] {
  const entries: YamlEntry[] = [];
  below(contents, []);
  return entries;

  function below(node: Node | null, path: YamlEntry["path"]): void {
    if (isMap(node)) {
      for (const pair of node.items)
        if (isScalar(pair.key)) visit(pair.key, pair.value, [...path, nameOf(pair.key)], node);
    } else if (isSeq(node)) {
      for (const [index, item] of node.items.entries()) visit(undefined, item, [...path, index], undefined, node);
    }
  }

  function visit(
    key: Scalar | undefined,
    value: unknown,
    path: YamlEntry["path"],
    holder?: YAMLMap,
    list?: YAMLSeq,
  ): void {
    entries.push({ path, key, value: value as Node | null, holder, resolver, inJob: false, ...(list && { list }) });
    below(value as Node | null, path);
  }
}

/** The range of a scalar's characters, without its quotes or its block header. */
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
