import { isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from "yaml";
import { isTagReference, keysOf, maxDepth, type Resolver } from "./resolver.ts";
import { nameOf } from "./yaml-nodes.ts";

/** An old key, in effect only where the new one is not set in the merged configuration. */
export interface Fallback {
  readonly old: string;
  readonly now: string;
  readonly inJob: boolean;
}

/** How a configuration is merged: parsers differ, and conditional includes may be absent. */
export interface MergeRules {
  /** Which of duplicate keys wins: the mapping's own (YAML merge type) or the later one (Psych). */
  readonly wins: "own" | "later";
  /** Whether includes with rules are present. */
  readonly conditional: boolean;
  /** Keys that are read as if they were renamed. */
  readonly renamed: ReadonlySet<Scalar>;
}

/** A text, a list of texts, or null for a key without a value. */
export type CiValue = string | readonly string[] | null;

/** The relevant fields of a mapping. */
export interface CiFields {
  readonly values: ReadonlyMap<string, CiValue>;
  /** Every old key in it, whether it is in effect or not. */
  readonly keys: ReadonlySet<Scalar>;
}

export const noFields: CiFields = { values: new Map(), keys: new Set() };

/** Merges mappings; later fields override earlier ones. */
export function mergedFields(parts: readonly CiFields[]): CiFields {
  if (parts.length < 2) return parts[0] ?? noFields;
  return {
    values: new Map(parts.flatMap(({ values }) => [...values])),
    keys: new Set(parts.flatMap(({ keys }) => [...keys])),
  };
}

type KeyedPair = Pair<Scalar, unknown>;

/** Reads the pairs of a mapping and of those merged into it; the pair that wins comes last. Cached. */
export function pairsReader({ merged }: Resolver, wins: MergeRules["wins"]): (map: YAMLMap) => readonly KeyedPair[] {
  const known = new Map<YAMLMap, readonly KeyedPair[]>();
  return (map) => read(map, 0);

  function read(map: YAMLMap, depth: number): readonly KeyedPair[] {
    const before = known.get(map);
    if (before || depth > maxDepth) return before ?? [];
    known.set(map, []);
    const pairs = map.items.filter((pair): pair is KeyedPair => isScalar(pair.key));
    const merging = pairs.filter(isMerge);
    const own = pairs.filter((pair) => !isMerge(pair));
    const inOrder = wins === "own" ? [...merging.toReversed(), ...own] : pairs;
    const all = inOrder.flatMap((pair) => (isMerge(pair) ? sources(pair, depth) : [pair]));
    const result = [...new Set(all.toReversed())].reverse();
    known.set(map, result);
    return result;
  }

  /** Of the sources in a list the earlier wins. */
  function sources({ value }: KeyedPair, depth: number): readonly KeyedPair[] {
    return merged(value)
      .toReversed()
      .flatMap((source) => read(source, depth + 1));
  }
}

function isMerge({ key }: KeyedPair): boolean {
  return nameOf(key) === "<<";
}

/** The fields that fallbacks are about, and `extends`. */
export function fieldsOf(
  pairs: readonly KeyedPair[],
  resolver: Resolver,
  fallbacks: readonly Fallback[],
  renamed: MergeRules["renamed"],
): CiFields {
  const names = new Map(fallbacks.flatMap(({ old, now }) => [[old, now] as const, [now, now] as const]));
  const values = new Map<string, CiValue>();
  const keys = new Set<Scalar>();
  for (const { key, value } of pairs) {
    const name = nameOf(key);
    const now = names.get(name);
    if (now !== undefined && now !== name) keys.add(key);
    if (now !== undefined || name === "extends") {
      values.set(renamed.has(key) ? (now ?? name) : name, readValue(value, resolver));
    }
  }
  return { values, keys };
}

/** Prefix of a value that is a `!reference`, followed by its keys in JSON. */
export const referenceMark = "!reference ";

function readValue(node: unknown, resolver: Resolver): CiValue {
  if (isTagReference(node)) return `${referenceMark}${JSON.stringify(keysOf(node))}`;
  const value = resolver.follow(node);
  if (isSeq(value)) return value.items.flatMap((item) => readValue(item, resolver) ?? []).flat();
  if (isMap(value)) return "{}";
  return isScalar(value) && value.value !== null && value.value !== undefined ? String(value.value) : null;
}
