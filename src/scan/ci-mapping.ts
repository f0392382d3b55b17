import { isMap, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from "yaml";
import { isTagReference, keysOf, maxDepth, type Resolver } from "./resolver.ts";
import { nameOf } from "./yaml-nodes.ts";

/** A key that counts only where another one is not set, once a configuration is merged. */
export interface Fallback {
  readonly old: string;
  readonly now: string;
  readonly inJob: boolean;
}

/** One way to read a configuration, where readers differ or not all is known. */
export interface MergeRules {
  /** Which of equal keys wins: the mapping's own, as YAML's merge type has it, or the later one, as Psych reads it. */
  readonly wins: "own" | "later";
  /** Whether includes with rules are there. */
  readonly conditional: boolean;
  /** Keys that are read by their new names. */
  readonly renamed: ReadonlySet<Scalar>;
}

/** A text, a list of texts, or null for a key without a value. */
export type CiValue = string | readonly string[] | null;

/** What a mapping comes to, as far as it matters here. */
export interface CiFields {
  readonly values: ReadonlyMap<string, CiValue>;
  /** Every old key that takes part, whether it counts or not. */
  readonly keys: ReadonlySet<Scalar>;
}

/** The fields of nothing. */
export const noFields: CiFields = { values: new Map(), keys: new Set() };

/** Deep merges of mappings whose values are scalars and lists: the later wins. */
export function mergedFields(parts: readonly CiFields[]): CiFields {
  if (parts.length < 2) return parts[0] ?? noFields;
  return {
    values: new Map(parts.flatMap(({ values }) => [...values])),
    keys: new Set(parts.flatMap(({ keys }) => [...keys])),
  };
}

type KeyedPair = Pair<Scalar, unknown>;

/** The pairs of a mapping with those that are merged into it, the one that wins last. Reads each mapping once. */
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

/** The fields of a mapping whose names are asked for. */
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

/** What the value of a key begins with that a `!reference` gives; the keys that it follows stand behind it. */
export const referenceMark = "!reference ";

function readValue(node: unknown, resolver: Resolver): CiValue {
  if (isTagReference(node)) return `${referenceMark}${JSON.stringify(keysOf(node))}`;
  const value = resolver.follow(node);
  if (isSeq(value)) return value.items.flatMap((item) => readValue(item, resolver) ?? []).flat();
  if (isMap(value)) return "{}";
  return isScalar(value) && value.value !== null && value.value !== undefined ? String(value.value) : null;
}
