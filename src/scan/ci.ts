import { isMap, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import { maxDepth, nameOf, namesExtended, type Resolver, resolverOf, type YamlEntry } from "./yaml.ts";

/**
 * The entries of a CI/CD configuration, with aliases, merge keys and `!reference` followed: a text has one for each kind
 * of location at which it is used. Hidden keys that no job uses are left out, unless they look like jobs.
 * @param extendedElsewhere Names that other files extend.
 */
export function configurationEntries(
  contents: Node | null,
  extendedElsewhere: ReadonlySet<string>,
): readonly YamlEntry[] {
  const resolver = resolverOf(contents);
  const { root, follow } = resolver;
  const extended = new Set((root?.items ?? []).flatMap(({ value }) => namesExtended(value)));
  const reader = new ConfigurationReader(resolver);
  for (const { key, value } of root?.items ?? []) {
    if (!root || !isScalar(key)) continue;
    const name = nameOf(key);
    const inJob = isJob(name, follow(value), extended.has(name) || extendedElsewhere.has(name));
    if (!name.startsWith(".") || inJob)
      reader.visit({ path: [name], key, value: follow(value), holder: root, inJob }, 0);
  }
  return reader.entries;
}

type Visited = Omit<YamlEntry, "resolver">;

class ConfigurationReader {
  readonly entries: YamlEntry[] = [];
  readonly #resolver: Resolver;
  readonly #visited = new Map<Node, Set<string>>();

  constructor(resolver: Resolver) {
    this.#resolver = resolver;
  }

  visit(entry: Visited, depth: number): void {
    this.entries.push({ ...entry, resolver: this.#resolver });
    this.#visitBelow(entry, depth);
  }

  #visitBelow(entry: Visited, depth: number): void {
    const { value, path, inJob } = entry;
    if (depth > maxDepth || (!isMap(value) && !isSeq(value)) || !this.#isNew(value, path, inJob)) return;
    if (isMap(value))
      for (const { key, value: raw } of value.items) if (isScalar(key)) this.#visitPair(key, raw, value, entry, depth);
    if (!isSeq(value)) return;
    for (const [index, raw] of value.items.entries()) {
      const item = this.#resolver.follow(raw);
      this.visit(
        { path: [...path, index], key: undefined, value: item, holder: undefined, list: value, inJob },
        depth + 1,
      );
    }
  }

  #visitPair(key: Scalar, raw: unknown, holder: YAMLMap, around: Visited, depth: number): void {
    const { follow, merged } = this.#resolver;
    const { inJob } = around;
    const path = [...around.path, nameOf(key)];
    if (nameOf(key) !== "<<") this.visit({ path, key, value: follow(raw), holder, inJob }, depth + 1);
    else for (const source of merged(raw)) this.#visitBelow({ ...around, value: source }, depth + 1);
  }

  #isNew(node: Node, path: YamlEntry["path"], inJob: boolean): boolean {
    const location = path.map((part, index) => (typeof part === "number" ? "*" : index === 0 && inJob ? "@" : part));
    const locations = this.#visited.get(node) ?? new Set();
    this.#visited.set(node, locations);
    if (locations.has(location.join("/")) || locations.size > maxDepth) return false;
    locations.add(location.join("/"));
    return true;
  }
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
