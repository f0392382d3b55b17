import { isAlias, isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { anchorsIn, nameOf, stringOf, valueAt } from "./yaml-nodes.ts";

/** A pair and its mapping. */
interface PlacedNode {
  readonly key: Scalar;
  readonly value: Node | null;
  readonly holder: YAMLMap;
}

/** Resolves aliases, merge keys, `extends` and `!reference` in one document. */
export interface Resolver {
  readonly root: YAMLMap | undefined;
  /** The target of an alias or a `!reference`; any other node is itself. */
  readonly follow: (node: unknown) => Node | null;
  /** The pairs of a mapping and of those merged into it. */
  readonly pairs: (map: YAMLMap) => readonly PlacedNode[];
  /** The mappings of a merge key's value. */
  readonly merged: (value: unknown) => readonly YAMLMap[];
  /** Whether a mapping has a key, directly, merged or through `extends`. */
  readonly has: (map: YAMLMap, key: string) => boolean;
}

/** The longest chain of aliases, templates and references. */
export const maxDepth = 60;

export function resolverOf(contents: Node | null): Resolver {
  const root = isMap(contents) ? contents : undefined;
  const anchors = anchorsIn(contents);
  const known = new Map<YAMLMap, Map<string, boolean>>();
  return { root, follow, pairs: (map) => pairs(map, new Set()), merged, has: (map, key) => has(map, key, 0) };

  function follow(node: unknown): Node | null {
    let at = node;
    for (let step = 0; step < maxDepth; step++) {
      if (isAlias(at)) at = anchors(at) ?? null;
      else if (isTagReference(at)) at = nodeAtPath(root, keysOf(at));
      else break;
    }
    return isAlias(at) || isTagReference(at) || at === undefined ? null : (at as Node | null);
  }

  function pairs(map: YAMLMap, seen: Set<YAMLMap>): readonly PlacedNode[] {
    if (seen.has(map) || seen.size > maxDepth) return [];
    seen.add(map);
    return map.items.flatMap(({ key, value }): readonly PlacedNode[] => {
      if (!isScalar(key)) return [];
      if (nameOf(key) !== "<<") return [{ key, value: follow(value), holder: map }];
      return merged(value).flatMap((source) => pairs(source, seen));
    });
  }

  function merged(value: unknown): readonly YAMLMap[] {
    const source = follow(value);
    return (isSeq(source) ? source.items.map(follow) : [source]).filter((each): each is YAMLMap => isMap(each));
  }

  function has(map: YAMLMap, name: string, depth: number): boolean {
    const before = known.get(map)?.get(name);
    if (before !== undefined || depth > maxDepth) return before ?? false;
    const own = map.items.some(({ key }) => nameOf(key) === name);
    const found = own || sourcesOf(map).some((source) => has(source, name, depth + 1));
    known.set(map, (known.get(map) ?? new Map<string, boolean>()).set(name, found));
    return found;
  }

  function sourcesOf(map: YAMLMap): readonly YAMLMap[] {
    const mergedMaps = map.items.filter(({ key }) => nameOf(key) === "<<").flatMap(({ value }) => merged(value));
    const templates = namesExtended(map).map((name) => follow(valueAt(root, name)));
    return [...mergedMaps, ...templates.filter((each): each is YAMLMap => isMap(each))];
  }
}

/** Whether a node is a `!reference` tag. */
export function isTagReference(node: unknown): node is YAMLSeq {
  return isSeq(node) && node.tag === "!reference";
}

/** The keys of a `!reference`. */
export function keysOf(reference: YAMLSeq): readonly string[] {
  return reference.items.map(nameOf);
}

/** The node at some keys. */
export function nodeAtPath(root: YAMLMap | undefined, keys: readonly string[]): Node | null {
  return keys.reduce<Node | null | undefined>((node, key) => valueAt(node, key), root) ?? null;
}

/** The templates that a job extends. */
export function namesExtended(job: unknown): readonly string[] {
  const value = valueAt(job, "extends");
  const names = isSeq(value) ? value.items : [value];
  return names.flatMap((name) => stringOf(name) ?? []);
}
