import { type Node, type Scalar, visit } from "yaml";
import { type CrossReferences, configurationOf, type Reference } from "./ci.ts";
import { filesIncluded, type Included, includesIn } from "./include-entries.ts";
import type { CiFile, Include } from "./pipeline.ts";
import { canOnlyBeCi, kindsByName } from "./recognise.ts";
import { fallbackDetections, keysInOrder, type Verdict, verdictsOf } from "./renames.ts";
import { isTagReference, keysOf, resolverOf } from "./resolver.ts";
import { yamlDocuments } from "./yaml.ts";
import { nameOf, valueAt } from "./yaml-nodes.ts";
import { renamableKeys } from "./yaml-uses.ts";

/** How the CI/CD configurations of a scan include and reference each other. */
export interface IncludeGraph extends CrossReferences {
  /** Files that are included by another one. */
  readonly included: ReadonlySet<string>;
  /** By file, the effect of renaming each of its keys, in the order of the keys. */
  readonly verdicts: ReadonlyMap<string, Verdicts>;
  /** By file, the names of jobs in the pipelines that include it. */
  readonly names: ReadonlyMap<string, ReadonlySet<string>>;
}

type Verdicts = readonly (Verdict | undefined)[];

/** For a file that is scanned by itself. */
export const noIncludes: IncludeGraph = {
  included: new Set(),
  extended: new Set(),
  references: new Map(),
  verdicts: new Map(),
  names: new Map(),
};

/** A file that is being read; its includes are added as they are found. */
interface ReadFile extends CiFile {
  readonly documents: readonly (Node | null)[];
  readonly includes: Include[];
}

/**
 * Follows `include: local` from every file that is CI/CD configuration by its name or its content.
 * @param files All files of the scan, with forward slashes.
 * @param read Reads one of them; undefined where it cannot be read.
 */
export function includeGraphOf(files: readonly string[], read: (file: string) => string | undefined): IncludeGraph {
  const known = new Set(files);
  const configurations = new Map<string, ReadFile>();
  const children: CiFile[] = [];
  const included = new Set<string>();
  const crossReferences = collector();
  for (const name of files) if (isConfiguration(name)) follow(name);
  const roots = [...configurations].flatMap(([name, file]) => (isRoot(name) ? [file] : []));
  const pipelines = [...roots, ...children];
  return {
    included,
    extended: crossReferences.extended,
    references: crossReferences.references,
    verdicts: verdictsIn(configurations, pipelines, crossReferences),
    names: namesIn(configurations, pipelines),
  };

  function isConfiguration(name: string): boolean {
    const kinds = kindsByName(name);
    if (kinds.has("ci") || !kinds.has("yaml")) return kinds.has("ci");
    const text = read(name) ?? "";
    return /^include\s*:/m.test(text) && canOnlyBeCi(yamlDocuments(text) ?? [], name);
  }

  function isRoot(name: string): boolean {
    return !included.has(name) || /(?:^|\/)\.gitlab-ci\.ya?ml$/.test(name);
  }

  function follow(name: string): CiFile {
    const before = configurations.get(name);
    if (before) return before;
    const file = fileOf(yamlDocuments(read(name) ?? "") ?? []);
    configurations.set(name, file);
    for (const document of file.documents) {
      crossReferences.add(configurationOf(document).crossReferences);
      const { own, triggered } = includesIn(document);
      for (const each of own) file.includes.push(includeOf(each, name));
      for (const child of triggered)
        children.push({ resolver: undefined, references: [], includes: child.map((each) => includeOf(each, name)) });
    }
    return file;
  }

  function includeOf({ path, isConditional }: Included, from: string): Include {
    const found = path === undefined ? [] : filesIncluded(path, from, known);
    for (const each of found) included.add(each);
    return { files: found.map(follow), isOpen: found.length === 0, isConditional };
  }
}

/** Of several documents the platform reads the first, or the second if the first is a header. */
function fileOf(documents: readonly (Node | null)[]): ReadFile {
  const [first, second] = documents.filter((document) => document !== null);
  const counted = second && valueAt(first, "spec") !== undefined ? second : first;
  const references: (readonly string[])[] = [];
  if (counted) visit(counted, { Seq: (_, node) => void (isTagReference(node) && references.push(keysOf(node))) });
  return { documents, includes: [], references, resolver: counted && resolverOf(counted) };
}

interface Collector extends CrossReferences {
  readonly add: (crossReferences: CrossReferences) => void;
}

function collector(): Collector {
  const extended = new Set<string>();
  const references = new Map<string, readonly Reference[]>();
  return { extended, references, add };

  function add(crossReferences: CrossReferences): void {
    for (const name of crossReferences.extended) extended.add(name);
    for (const [name, found] of crossReferences.references)
      references.set(name, [...(references.get(name) ?? []), ...found].slice(0, 60));
  }
}

function verdictsIn(
  files: ReadonlyMap<string, ReadFile>,
  pipelines: readonly CiFile[],
  crossReferences: CrossReferences,
): ReadonlyMap<string, Verdicts> {
  const documents = [...files.values()].flatMap((file) => file.documents);
  const verdicts = verdictsOf(pipelines, renamableIn(documents, crossReferences));
  return new Map([...files].map(([name, file]) => [name, keysInOrder(file.documents).map((key) => verdicts.get(key))]));
}

function renamableIn(documents: readonly (Node | null)[], crossReferences: CrossReferences): (key: Scalar) => boolean {
  const keys = documents.flatMap((document) => {
    const { entries } = configurationOf(document, crossReferences);
    return fallbackDetections.flatMap((detection) => renamableKeys(entries, detection));
  });
  const known = new Set(keys);
  return (key) => known.has(key);
}

/** The effect of renaming each key of a configuration that is scanned by itself. */
export function verdictsAlone(documents: readonly (Node | null)[]): Verdicts {
  const file = fileOf(documents);
  const entries = documents.flatMap((document) => includesIn(document).own);
  const includes = entries.map(({ isConditional }) => ({ files: [], isOpen: true, isConditional }));
  const files = new Map([["", { ...file, includes }]]);
  return verdictsIn(files, [...files.values()], { extended: new Set(), references: new Map() }).get("") ?? [];
}

function namesIn(
  files: ReadonlyMap<string, ReadFile>,
  pipelines: readonly CiFile[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<CiFile, Set<string>>();
  for (const pipeline of pipelines) {
    const parts = [...partsOf(pipeline, new Set())];
    const own = parts.flatMap(({ resolver }) => (resolver?.root?.items ?? []).map(({ key }) => nameOf(key)));
    for (const part of parts) names.set(part, new Set([...(names.get(part) ?? []), ...own]));
  }
  return new Map([...files].map(([name, file]) => [name, names.get(file) ?? new Set()]));
}

function partsOf(file: CiFile, seen: Set<CiFile>): ReadonlySet<CiFile> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const each of file.includes.flatMap(({ files }) => files)) partsOf(each, seen);
  return seen;
}
