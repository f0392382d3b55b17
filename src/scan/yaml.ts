import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { ifPossible } from "../base/exit.ts";
import { vocabulary } from "../model/deprecations.ts";

/** A key with its value, or an item of a list, with its path. */
export interface YamlEntry {
  readonly path: readonly (string | number)[];
  readonly key: Scalar | undefined;
  readonly value: Node | null;
  readonly holder: YAMLMap | undefined;
  readonly list?: YAMLSeq;
  readonly resolver: Resolver;
  /** True if it is a job of a CI/CD configuration, or inside one. */
  readonly inJob: boolean;
}

/** The contents of a text's documents; undefined for invalid YAML. Never throws. */
export function yamlDocuments(text: string): readonly (Node | null)[] | undefined {
  if (isTooDeep(text)) return undefined;
  const options = { prettyErrors: false, uniqueKeys: false, logLevel: "silent" } as const;
  const documents = ifPossible(() => [...parseAllDocuments(text, options)], RangeError);
  if (!documents || documents.some(({ errors }) => errors.length > 0)) return undefined;
  return documents.map(({ contents }) => contents as Node | null);
}

/** The parser has no limit. */
const maxNesting = 500;

function isTooDeep(text: string): boolean {
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = bracket === "[" || bracket === "{" ? depth + 1 : Math.max(0, depth - 1);
    if (depth > maxNesting) return true;
  }
  return /^[ \t]*(?:[-?:] ){100}/m.test(text);
}

/** The range of a scalar's characters, without its quotes or its block header. */
export function innerRange(value: unknown, text: string) {
  if (!isScalar(value) || !value.range) return undefined;
  const [start, end] = value.range;
  const type = value.type ?? "PLAIN";
  if (type.startsWith("QUOTE")) return { start: start + 1, end: end - 1, folded: true, isBlock: false };
  if (!type.startsWith("BLOCK")) return { start, end, folded: true, isBlock: false };
  return { start: text.indexOf("\n", start) + 1, end, folded: type === "BLOCK_FOLDED", isBlock: true };
}

/** The text of a scalar key; empty for any other node. */
export function nameOf(key: unknown): string {
  if (!isScalar(key)) return "";
  // A merge key that is tagged as one is a symbol.
  return typeof key.value === "symbol" ? (key.value.description ?? "") : String(key.value);
}

export function stringOf(value: unknown): string | undefined {
  return isScalar(value) && typeof value.value === "string" ? value.value : undefined;
}

/** The value of a key; the last of duplicate keys wins. */
export function valueAt(map: unknown, name: string): Node | null | undefined {
  const pair = isMap(map) ? map.items.findLast(({ key }) => nameOf(key) === name) : undefined;
  return pair?.value as Node | null | undefined;
}

/** Resolves an alias: the nearest node before it with its anchor. */
export function anchorsIn(contents: Node | null): (alias: Alias) => Node | undefined {
  const anchors = new Map<string, Node[]>();
  if (contents)
    visit(contents, {
      Node: (_, node) => {
        if (node.anchor) anchors.set(node.anchor, [...(anchors.get(node.anchor) ?? []), node]);
      },
    });
  return ({ source, range }) => {
    const nodes = anchors.get(source) ?? [];
    const isBefore = (node: Node) => (node.range?.[0] ?? 0) <= (range?.[0] ?? Infinity);
    return nodes.length < 2 ? nodes[0] : nodes.findLast(isBefore);
  };
}

interface ResolvedPair {
  readonly key: Scalar;
  readonly value: Node | null;
}

/** Resolves aliases, merge keys, `extends` and `!reference` in one document. */
interface Resolver {
  readonly root: YAMLMap | undefined;
  /** Resolves an alias or a `!reference`; returns other nodes unchanged. */
  readonly follow: (node: unknown) => Node | null;
  readonly pairs: (map: YAMLMap) => readonly ResolvedPair[];
  /** The mappings of a merge key's value. */
  readonly merged: (value: unknown) => readonly YAMLMap[];
  /** True if a mapping has a key, directly, merged or through `extends`. */
  readonly has: (map: YAMLMap, key: string) => boolean;
}

/** The longest chain of aliases, templates and references. */
const maxDepth = 60;

function resolverOf(contents: Node | null): Resolver {
  const root = isMap(contents) ? contents : undefined;
  const anchors = anchorsIn(contents);
  const known = new Map<YAMLMap, Map<string, boolean>>();
  return { root, follow, pairs: (map) => pairs(map, new Set()), merged, has: (map, key) => has(map, key, 0) };

  function follow(node: unknown): Node | null {
    let at = node;
    for (let step = 0; step < maxDepth; step++) {
      if (isAlias(at)) at = anchors(at) ?? null;
      else if (isTagReference(at)) at = keysOf(at).reduce<Node | null | undefined>(valueAt, root) ?? null;
      else break;
    }
    return isAlias(at) || isTagReference(at) || at === undefined ? null : (at as Node | null);
  }

  function pairs(map: YAMLMap, seen: Set<YAMLMap>): readonly ResolvedPair[] {
    if (seen.has(map) || seen.size > maxDepth) return [];
    seen.add(map);
    return map.items.flatMap(({ key, value }): readonly ResolvedPair[] => {
      if (!isScalar(key)) return [];
      if (nameOf(key) !== "<<") return [{ key, value: follow(value) }];
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
    const result = own || sourcesOf(map).some((source) => has(source, name, depth + 1));
    known.set(map, (known.get(map) ?? new Map<string, boolean>()).set(name, result));
    return result;
  }

  function sourcesOf(map: YAMLMap): readonly YAMLMap[] {
    const mergedMaps = map.items.filter(({ key }) => nameOf(key) === "<<").flatMap(({ value }) => merged(value));
    const templates = namesExtended(map).map((name) => follow(valueAt(root, name)));
    return [...mergedMaps, ...templates.filter((each): each is YAMLMap => isMap(each))];
  }
}

export function isTagReference(node: unknown): node is YAMLSeq {
  return isSeq(node) && node.tag === "!reference";
}

export function keysOf(reference: YAMLSeq): readonly string[] {
  return reference.items.map(nameOf);
}

export function namesExtended(job: unknown): readonly string[] {
  const value = valueAt(job, "extends");
  const names = isSeq(value) ? value.items : [value];
  return names.flatMap((name) => stringOf(name) ?? []);
}

/** Every entry of a document. Aliases are not followed, because their anchors are entries too. */
export function yamlEntries(contents: Node | null): readonly YamlEntry[] {
  const reader = entryReader(resolverOf(contents), false);
  reader.visitBelow({ path: [], key: undefined, value: contents, holder: undefined, inJob: false }, 0);
  return reader.entries;
}

/**
 * The entries of a CI/CD configuration, with aliases, merge keys and `!reference` followed: a text has one for each
 * kind of location in which it is used. Hidden keys that no job uses are left out, unless they look like jobs.
 */
export function configurationEntries(contents: Node | null, isIncluded: boolean): readonly YamlEntry[] {
  const resolver = resolverOf(contents);
  const { root, follow } = resolver;
  const extended = new Set((root?.items ?? []).flatMap(({ value }) => namesExtended(value)));
  const reader = entryReader(resolver, true);
  for (const { key, value } of root?.items ?? []) {
    if (!root || !isScalar(key)) continue;
    const name = nameOf(key);
    const inJob = isJob(name, follow(value), extended.has(name), isIncluded);
    if (!name.startsWith(".") || inJob)
      reader.visit({ path: [name], key, value: follow(value), holder: root, inJob }, 0);
  }
  return reader.entries;
}

type Visited = Omit<YamlEntry, "resolver">;

function entryReader(resolver: Resolver, follows: boolean) {
  const entries: YamlEntry[] = [];
  const visited = new Map<Node, Set<string>>();
  return { entries, visit, visitBelow };

  function visit(entry: Visited, depth: number): void {
    entries.push({ ...entry, resolver });
    visitBelow(entry, depth);
  }

  function visitBelow(entry: Visited, depth: number): void {
    const { value, path, inJob } = entry;
    if (!isMap(value) && !isSeq(value)) return;
    if (follows && (depth > maxDepth || !isNew(value, path, inJob))) return;
    for (const [index, item] of value.items.entries()) {
      const pair = isMap(value) ? (item as Pair) : undefined;
      const key = isScalar(pair?.key) ? pair.key : undefined;
      if (pair && !key) continue;
      if (follows && key && nameOf(key) === "<<") {
        for (const source of resolver.merged(pair?.value)) visitBelow({ ...entry, value: source }, depth + 1);
        continue;
      }
      const node = pair ? pair.value : item;
      const followed = follows ? resolver.follow(node) : (node as Node | null);
      const around = isMap(value) ? { holder: value } : { holder: undefined, list: value };
      visit({ path: [...path, key ? nameOf(key) : index], key, value: followed, inJob, ...around }, depth + 1);
    }
  }

  function isNew(node: Node, path: YamlEntry["path"], inJob: boolean): boolean {
    const location = path.map((part, index) => (typeof part === "number" ? "*" : index === 0 && inJob ? "@" : part));
    const locations = visited.get(node) ?? new Set();
    visited.set(node, locations);
    if (locations.has(location.join("/")) || locations.size > maxDepth) return false;
    locations.add(location.join("/"));
    return true;
  }
}

/**
 * A hidden key may have any content: it is a job if it is extended, or has only keys of jobs. In an included file, these
 * may all be removed ones.
 */
function isJob(name: string, value: Node | null, isExtended: boolean, isIncluded: boolean): boolean {
  const { reserved, keywords, removed } = vocabulary.ci;
  if (!isMap(value) || reserved.has(name)) return false;
  if (!name.startsWith(".") || isExtended) return true;
  const names = value.items.map(({ key }) => nameOf(key)).filter((key) => key !== "<<");
  const isKnown = (key: string) => keywords.has(key) || removed.has(key);
  return names.every(isKnown) && (isIncluded || names.some((key) => keywords.has(key)));
}
