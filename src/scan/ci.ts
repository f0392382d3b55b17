import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap, type YAMLSeq } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import { isTagReference, keysOf, maxDepth, namesExtended, nodeAtPath, type Resolver, resolverOf } from "./resolver.ts";
import type { YamlEntry } from "./yaml.ts";
import { nameOf, valueAt } from "./yaml-nodes.ts";

/** What other files of one configuration use from this one. */
export interface CrossReferences {
  /** Names of jobs and templates that are extended. */
  readonly extended: ReadonlySet<string>;
  /** `!reference` tags by the first of their keys. */
  readonly references: ReadonlyMap<string, readonly Reference[]>;
}

/** A `!reference` tag: the keys that it follows, and the path at which it is used. */
export interface Reference {
  readonly keys: readonly string[];
  readonly path: YamlEntry["path"];
}

/** A CI/CD configuration with aliases, merge keys, `extends` and `!reference` followed. */
interface Configuration {
  /** A text has one entry for each kind of location at which it is used; all of them have its own nodes. */
  readonly entries: readonly YamlEntry[];
  /** What this document extends and refers to. */
  readonly crossReferences: CrossReferences;
}

/** Reads one document. Hidden keys that no job uses are left out, unless they look like jobs. */
export function configurationOf(contents: Node | null, others: CrossReferences = noCrossReferences): Configuration {
  const reader = new ConfigurationReader(resolverOf(contents), extendedIn(contents));
  reader.read(others);
  return { entries: reader.entries, crossReferences: reader };
}

class ConfigurationReader implements CrossReferences {
  readonly entries: YamlEntry[] = [];
  readonly extended: ReadonlySet<string>;
  readonly references = new Map<string, Reference[]>();
  readonly #resolver: Resolver;
  readonly #visited = new Map<Node, Set<string>>();

  constructor(resolver: Resolver, extended: ReadonlySet<string>) {
    this.#resolver = resolver;
    this.extended = extended;
  }

  read(others: CrossReferences): void {
    const { root, follow } = this.#resolver;
    for (const { key, value } of root?.items ?? [])
      if (root && isScalar(key)) this.#topLevel(key, follow(value), root, others.extended);
    for (const [name, references] of others.references)
      for (const reference of references) this.#referTo(name, reference);
  }

  #topLevel(key: Scalar, value: Node | null, holder: YAMLMap, extendedElsewhere: ReadonlySet<string>): void {
    const name = nameOf(key);
    const inJob = isJob(name, value, this.extended.has(name) || extendedElsewhere.has(name));
    if (!name.startsWith(".") || inJob) this.#visit({ path: [name], key, value, holder, inJob }, 0);
  }

  #referTo(name: string, { keys, path }: Reference): void {
    const { root, follow } = this.#resolver;
    const target = root && nodeAtPath(root, keys);
    if (!target || valueAt(root, name) === undefined) return;
    this.#visit({ path, value: follow(target), inJob: true, key: undefined, holder: undefined }, 1);
  }

  #visit(entry: Omit<YamlEntry, "resolver">, depth: number): void {
    this.entries.push({ ...entry, resolver: this.#resolver });
    this.#visitBelow(entry, depth);
  }

  #visitBelow(entry: Omit<YamlEntry, "resolver">, depth: number): void {
    const { value, path, inJob } = entry;
    if (depth > maxDepth || (!isMap(value) && !isSeq(value)) || !this.#isNew(value, path, inJob)) return;
    if (isMap(value))
      for (const { key, value: raw } of value.items) if (isScalar(key)) this.#visitPair(key, raw, entry, depth);
    if (isSeq(value))
      for (const [index, item] of value.items.entries()) this.#visitItem(item, value, [...path, index], inJob, depth);
  }

  #visitPair(key: Scalar, raw: unknown, around: Omit<YamlEntry, "resolver">, depth: number): void {
    const { follow, merged } = this.#resolver;
    const { inJob, value } = around;
    const holder = isMap(value) ? value : undefined;
    const path = [...around.path, nameOf(key)];
    if (isTagReference(raw)) this.#remember(keysOf(raw), path);
    if (nameOf(key) !== "<<") this.#visit({ path, key, value: follow(raw), holder, inJob }, depth + 1);
    else for (const source of merged(raw)) this.#visitBelow({ ...around, value: source }, depth + 1);
  }

  #visitItem(item: unknown, list: YAMLSeq, path: YamlEntry["path"], inJob: boolean, depth: number): void {
    if (isTagReference(item)) this.#remember(keysOf(item), path);
    const value = this.#resolver.follow(item);
    this.#visit({ path, key: undefined, value, holder: undefined, list, inJob }, depth + 1);
  }

  #remember(keys: readonly string[], path: YamlEntry["path"]): void {
    const [first = ""] = keys;
    this.references.set(first, [...(this.references.get(first) ?? []).slice(0, maxDepth), { keys, path }]);
  }

  #isNew(node: Node, path: YamlEntry["path"], inJob: boolean): boolean {
    const location = locationKey(path, inJob);
    const locations = this.#visited.get(node) ?? new Set();
    this.#visited.set(node, locations);
    if (locations.has(location) || locations.size > maxDepth) return false;
    locations.add(location);
    return true;
  }
}

const noCrossReferences: CrossReferences = { extended: new Set(), references: new Map() };

function extendedIn(contents: Node | null): ReadonlySet<string> {
  if (!isMap(contents)) return new Set();
  return new Set(contents.items.flatMap(({ value }) => namesExtended(value)));
}

/** A hidden key may hold anything: only one that is extended, or that has only keys of jobs, is a job. */
function isJob(name: string, value: Node | null, isExtended: boolean): boolean {
  const { reserved, keywords, removed } = vocabulary.ci;
  if (!isMap(value) || reserved.has(name)) return false;
  if (!name.startsWith(".") || isExtended) return true;
  const names = value.items.map(({ key }) => nameOf(key)).filter((key) => key !== "<<");
  const isKnown = (key: string) => keywords.has(key) || removed.has(key);
  return names.every(isKnown) && names.some((key) => keywords.has(key));
}

function locationKey(path: YamlEntry["path"], inJob: boolean): string {
  return path.map((part, index) => (typeof part === "number" ? "*" : index === 0 && inJob ? "@" : part)).join("/");
}
