import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import { furthest, isTagReference, keysOf, namesExtended, placeOf, resolverOf } from "./resolver.ts";
import type { Spot } from "./yaml.ts";
import { nameOf, valueAt } from "./yaml-nodes.ts";

/** What other files of one configuration take from this one. */
export interface Taken {
  /** Names of jobs and templates that are extended. */
  readonly extended: ReadonlySet<string>;
  /** Paths in `!reference` tags, by their first name. */
  readonly references: ReadonlyMap<string, readonly Reference[]>;
}

/** A `!reference` tag: the keys that it follows, and the place that takes what it leads to. */
export interface Reference {
  readonly keys: readonly string[];
  readonly path: Spot["path"];
}

/** A CI/CD configuration with aliases, merge keys, `extends` and `!reference` followed. */
interface Configuration {
  /** Each text is a spot at every kind of place that it is taken to; its nodes are those where the text stands. */
  readonly spots: readonly Spot[];
  /** What this document extends and refers to. */
  readonly taken: Taken;
}

/** Reads one document. What no job takes is no part of it, but templates that look like jobs are. */
export function configurationOf(contents: Node | null, others: Taken = nothingTaken): Configuration {
  const resolver = resolverOf(contents);
  const { root, follow } = resolver;
  const extended = extendedIn(contents);
  const references = new Map<string, Reference[]>();
  const spots: Spot[] = [];
  const visited = new Map<Node, Set<string>>();

  for (const { key, value } of root?.items ?? []) if (root && isScalar(key)) enter(key, follow(value), root);
  for (const [name, found] of others.references) for (const reference of found) refer(name, reference);
  return { spots, taken: { extended, references } };

  function enter(key: Scalar, value: Node | null, holder: YAMLMap): void {
    const name = nameOf(key);
    const job = isJob(name, value, extended.has(name) || others.extended.has(name));
    if (name.startsWith(".") && !job) return;
    visit({ path: [name], key, value, holder, inJob: job, resolver }, 0);
  }

  function refer(name: string, { keys, path }: Reference): void {
    const target = root && placeOf(root, keys);
    if (target && valueAt(root, name) !== undefined) {
      visit({ path, value: follow(target), inJob: true, key: undefined, holder: undefined, resolver }, 1);
    }
  }

  function visit(spot: Spot, depth: number): void {
    spots.push(spot);
    below(spot, depth);
  }

  function below(spot: Spot, depth: number): void {
    const { value, path, inJob } = spot;
    if (depth > furthest || (!isMap(value) && !isSeq(value)) || !isNew(value, path, inJob)) return;
    if (isMap(value))
      for (const { key, value: inner } of value.items) if (isScalar(key)) pair(key, inner, value, spot, depth);
    if (isSeq(value))
      for (const [index, item] of value.items.entries()) entry(item, value, [...path, index], inJob, depth);
  }

  function pair(key: Scalar, raw: unknown, holder: YAMLMap, around: Spot, depth: number): void {
    const { path, inJob } = around;
    if (isTagReference(raw)) remember(keysOf(raw), [...path, nameOf(key)]);
    if (nameOf(key) !== "<<") {
      visit({ path: [...path, nameOf(key)], key, value: follow(raw), holder, inJob, resolver }, depth + 1);
    } else for (const source of resolver.merged(raw)) below({ ...around, value: source }, depth + 1);
  }

  function entry(item: unknown, list: YAMLSeq, path: Spot["path"], inJob: boolean, depth: number): void {
    if (isTagReference(item)) remember(keysOf(item), path);
    visit({ path, key: undefined, value: follow(item), holder: undefined, list, inJob, resolver }, depth + 1);
  }

  function remember(keys: readonly string[], path: Spot["path"]): void {
    const [first = ""] = keys;
    references.set(first, [...(references.get(first) ?? []).slice(0, furthest), { keys, path }]);
  }

  function isNew(node: Node, path: Spot["path"], inJob: boolean): boolean {
    const place = placeText(path, inJob);
    const places = visited.get(node) ?? new Set();
    visited.set(node, places);
    if (places.has(place) || places.size > furthest) return false;
    places.add(place);
    return true;
  }
}

const nothingTaken: Taken = { extended: new Set(), references: new Map() };

function extendedIn(contents: Node | null): ReadonlySet<string> {
  if (!isMap(contents)) return new Set();
  return new Set(contents.items.flatMap(({ value }) => namesExtended(value)));
}

/** A hidden key may hold anything that is merged elsewhere: only what is extended, or looks like a job, is one. */
function isJob(name: string, value: Node | null, isExtended: boolean): boolean {
  const { reserved, keywords, removed } = vocabulary.ci;
  if (!isMap(value) || reserved.has(name)) return false;
  if (!name.startsWith(".") || isExtended) return true;
  const names = value.items.map(({ key }) => nameOf(key)).filter((key) => key !== "<<");
  const isKnown = (key: string) => keywords.has(key) || removed.has(key);
  return names.every(isKnown) && names.some((key) => keywords.has(key));
}

function placeText(path: Spot["path"], inJob: boolean): string {
  return path.map((part, index) => (typeof part === "number" ? "*" : index === 0 && inJob ? "@" : part)).join("/");
}
