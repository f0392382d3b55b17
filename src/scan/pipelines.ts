import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit } from "yaml";
import { globMatcher } from "../base/glob.ts";
import { schedule, vocabulary } from "../model/deprecations.ts";
import { anchorsIn, isTagReference, keysOf, nameOf, namesExtended, stringOf, valueAt, yamlDocuments } from "./yaml.ts";

export interface IncludeGraph {
  readonly included: ReadonlySet<string>;
  readonly pipelines: ReadonlyMap<string, Pipeline>;
}

/** The files that are merged with a file in any pipeline; they determine whether keys can be renamed. */
export interface Pipeline {
  /** True if they include a file that is not in the scan. */
  readonly isOpen: boolean;
  readonly names: ReadonlySet<string>;
  readonly extended: ReadonlySet<string>;
  /** Jobs that nothing else contributes to, and that contribute to nothing else. */
  readonly standalone: ReadonlySet<string>;
}

/** For a file that is scanned on its own. */
export const noIncludes: IncludeGraph = { included: new Set(), pipelines: new Map() };

/** Keywords beside which the old name of one has no effect. */
const newNames = schedule.flatMap(({ detect }) =>
  (detect ?? []).flatMap((each) => (each.by === "yaml" && each.fallback ? (each.rename ?? []) : [])),
);

/**
 * Follows `include: local` from every file that is CI/CD configuration by its name or its content. @param files All
 * files of the scan, with forward slashes. @param read Reads one of them; undefined if it cannot be read.
 */
export function includeGraphOf(files: readonly string[], read: (file: string) => string | undefined): IncludeGraph {
  const followed = followIncludes(files, read);
  const { groups, included } = followed;
  const pipelines = new Map([...new Set(groups.values())].map((group) => [group, pipelineOfGroup(group, followed)]));
  const extended = namesExtendedBeside(followed);
  const pipelineOf = (file: string, { extended: all, ...pipeline }: Pipeline): Pipeline => ({
    ...pipeline,
    extended: extended.get(file) ?? all,
  });
  return {
    included,
    pipelines: new Map([...groups].map(([file, group]) => [file, pipelineOf(file, pipelines.get(group) ?? none)])),
  };
}

interface Followed {
  readonly documents: ReadonlyMap<string, readonly (Node | null)[]>;
  /** The files of the pipelines that each file is merged into, itself among them. */
  readonly groups: ReadonlyMap<string, ReadonlySet<string>>;
  /** The files that each file includes. */
  readonly merged: ReadonlyMap<string, ReadonlySet<string>>;
  /** Files that include one that is not in the scan. */
  readonly open: ReadonlySet<string>;
  readonly included: ReadonlySet<string>;
}

function followIncludes(files: readonly string[], read: (file: string) => string | undefined): Followed {
  const known = new Set(files);
  const documents = new Map<string, readonly (Node | null)[]>();
  const groups = new Map<string, Set<string>>();
  const merged = new Map<string, Set<string>>();
  const open = new Set<string>();
  const included = new Set<string>();
  for (const file of files) if (isConfiguration(file, read)) follow(file);
  return { documents, groups, merged, open, included };

  function follow(file: string): void {
    if (documents.has(file)) return;
    const contents = yamlDocuments(read(file) ?? "") ?? [];
    documents.set(file, contents);
    groups.set(file, new Set([file]));
    for (const { own, triggered } of contents.map(listIncludes)) {
      for (const path of own) {
        const targets = include(path, file);
        if (targets.length === 0) open.add(file);
        for (const each of targets) join(file, each);
      }
      // A child pipeline is not merged with the file that triggers it.
      for (const paths of triggered) {
        const [first, ...others] = paths.flatMap((path) => include(path, file));
        if (first !== undefined) for (const each of others) join(first, each);
      }
    }
  }

  function include(path: string | undefined, from: string): readonly string[] {
    const targets = path === undefined ? [] : resolveInclude(path, from, known);
    for (const each of targets) included.add(each);
    for (const each of targets) follow(each);
    return targets;
  }

  function join(file: string, other: string): void {
    merged.set(file, (merged.get(file) ?? new Set()).add(other));
    const [group, added] = [groups.get(file), groups.get(other)];
    if (!group || !added || group === added) return;
    for (const each of added) {
      group.add(each);
      groups.set(each, group);
    }
  }
}

/**
 * The names that each file's pipelines extend. Two pipelines may include the same file, and give one name different
 * meanings.
 */
function namesExtendedBeside({ documents, merged }: Followed): ReadonlyMap<string, ReadonlySet<string>> {
  const names = new Map<string, Set<string>>();
  const included = new Set([...merged.values()].flatMap((files) => [...files]));
  for (const root of documents.keys()) {
    if (included.has(root)) continue;
    const files = reachable(root, merged);
    const own = [...files].flatMap((file) => (documents.get(file) ?? []).flatMap(listExtended));
    for (const file of files) names.set(file, addAll(names.get(file) ?? new Set(), own));
  }
  return names;
}

function pipelineOfGroup(group: ReadonlySet<string>, { documents, open }: Followed): Pipeline {
  const all = [...group].flatMap((file) => documents.get(file) ?? []);
  return createPipeline(
    all,
    [...group].some((file) => open.has(file)),
  );
}

function reachable(from: string, edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const files = new Set([from]);
  for (const file of files) addAll(files, [...(edges.get(file) ?? [])]);
  return files;
}

function listExtended(document: Node | null): readonly string[] {
  return isMap(document) ? document.items.flatMap(({ value }) => namesExtended(value)) : [];
}

function isConfiguration(file: string, read: (file: string) => string | undefined): boolean {
  const kinds = kindsByName(file);
  if (kinds.has("ci") || !kinds.has("yaml")) return kinds.has("ci");
  const text = read(file) ?? "";
  return /^include\s*:/m.test(text) && canOnlyBeCi(yamlDocuments(text) ?? [], file);
}

/** The pipeline of a configuration that is scanned on its own: its includes are unknown. */
export function pipelineAlone(documents: readonly (Node | null)[]): Pipeline {
  return createPipeline(
    documents,
    documents.some((document) => listIncludes(document).own.length > 0),
  );
}

const none: Pipeline = createPipeline([], false);

function createPipeline(documents: readonly (Node | null)[], isOpen: boolean): Pipeline {
  const pairs = documents.flatMap((document) => (isMap(document) ? document.items : []));
  const names = pairs.map(({ key }) => nameOf(key));
  const extended = new Set(documents.flatMap(listExtended));
  const references = new Set<string>();
  for (const document of documents)
    if (document)
      visit(document, { Seq: (_, node) => void (isTagReference(node) && addAll(references, keysOf(node))) });
  const isUsed = (name: string) =>
    extended.has(name) || references.has(name) || names.indexOf(name) !== names.lastIndexOf(name);
  const standalone = pairs.filter((pair) => !isUsed(nameOf(pair.key)) && isWhole(pair)).map(({ key }) => nameOf(key));
  return {
    isOpen,
    names: new Set(names),
    extended,
    standalone: new Set(standalone),
  };
}

function addAll(set: Set<string>, values: readonly string[]): Set<string> {
  for (const value of values) set.add(value);
  return set;
}

/** True if a job takes nothing from another mapping, and no other takes anything from it. */
function isWhole({ key, value }: Pair): boolean {
  if (nameOf(key).startsWith(".") || !isMap(value) || value.anchor) return false;
  const others = new Set(["<<", "extends", ...newNames]);
  return !value.items.some((pair) => others.has(nameOf(pair.key)));
}

/** Paths that a configuration or its child pipelines include; undefined for other sources. */
function listIncludes(document: Node | null): {
  readonly own: readonly (string | undefined)[];
  readonly triggered: readonly (readonly (string | undefined)[])[];
} {
  if (!isMap(document)) return { own: [], triggered: [] };
  const triggers = document.items.map(({ value }) => valueAt(valueAt(value, "trigger"), "include"));
  const anchors = anchorsIn(document);
  return { own: pathsOf(valueAt(document, "include")), triggered: triggers.map((include) => pathsOf(include)) };

  function pathsOf(value: unknown): readonly (string | undefined)[] {
    const node = isAlias(value) ? anchors(value) : value;
    if (node === undefined || node === null) return [];
    if (isSeq(node)) return node.items.flatMap((item) => pathsOf(item));
    const path = stringOf(isMap(node) ? valueAt(node, "local") : node);
    return [path !== undefined && !/^[a-z]+:\/\//i.test(path) ? path : undefined];
  }
}

/** Paths are relative to the root of the repository, which is the nearest parent folder in which they exist. */
function resolveInclude(path: string, from: string, known: ReadonlySet<string>): readonly string[] {
  const folders = from.split("/").slice(0, -1);
  for (let length = folders.length; length >= 0; length--) {
    const wanted = [...folders.slice(0, length), ...path.split("/").filter((part) => part !== "" && part !== ".")].join(
      "/",
    );
    const paths = matchFiles(wanted, known);
    if (paths.length > 0) return paths;
  }
  return [];
}

function matchFiles(path: string, known: ReadonlySet<string>): readonly string[] {
  if (!path.includes("*")) return known.has(path) ? [path] : [];
  return [...known].filter(includeMatcher(path));
}

const asWritten = { crossing: false, cased: true, dots: true } as const;

/** The only wildcards of includes are stars: `*` matches anything but a slash, `**` also slashes. */
function includeMatcher(path: string): (file: string) => boolean {
  const literal = path.replace(/[?[\]{}\\]/g, "\\$&");
  return globMatcher(literal.replace(/(^|\/)\*\*+(?=[^/*])/g, "$1{**/,}*"), asWritten);
}

/** Globs match the end of a path, regardless of the scan's folder. */
function relativeName(file: string): string {
  return file.replace(/^(?:\.{0,2}\/)+/, "");
}

const matchers = Object.entries(vocabulary.files).map(([kind, globs]) => [kind, matchesAny(globs)] as const);

function matchesAny(globs: Iterable<string>): (file: string) => boolean {
  const all = Array.from(globs, (glob) => globMatcher(glob, { crossing: false, cased: false, dots: true }));
  return (file) => all.some((matches) => matches(file));
}

export function kindsByName(file: string): Set<string> {
  return new Set(matchers.filter(([, matches]) => matches(relativeName(file))).map(([kind]) => kind));
}

/**
 * Whether documents are certainly CI/CD configuration: each top-level key is one of its
 * keywords, hidden, or a job that runs something, and some job has a distinctive key.
 */
export function canOnlyBeCi(documents: readonly (Node | null)[], file: string): boolean {
  if (isOther(relativeName(file))) return false;
  const isNamed = isNamedSo(relativeName(file));
  return documents.some((document) => isCi(document, isNamed));
}

const isOther = matchesAny(vocabulary.ci.others);
const isNamedSo = matchesAny(vocabulary.ci.named);

function isCi(document: Node | null, isNamed: boolean): boolean {
  if (!isMap(document)) return false;
  const entries = document.items.map(({ key, value }) => ({ name: nameOf(key), value: value as Node | null }));
  const jobs = entries.filter(({ name }) => !vocabulary.ci.reserved.has(name));
  const areJobs = jobs.every(({ name, value }) => name.startsWith(".") || isRun(value));
  return (
    areJobs &&
    jobs.some(({ name, value }) => isDistinctive(document, value, isNamed) || isDistinctiveTemplate(name, value))
  );
}

const { keywords, removed, starters, telling } = vocabulary.ci;

/** A job has something to run, and only keys of jobs. */
function isRun(job: Node | null): boolean {
  if (!isMap(job)) return false;
  const names = job.items.map(({ key }) => nameOf(key));
  const areKnown = names.every((name) => [...keywords, ...removed, "<<"].includes(name));
  return areKnown && names.some((name) => starters.has(name) && isStarting(valueAt(job, name)));
}

function isStarting(value: Node | null | undefined): boolean {
  return stringOf(value) !== undefined || isMap(value) || (isSeq(value) && value.items.length > 0);
}

/**
 * Whether its stage is declared, or it has a key that only jobs have. Removed keywords count only in files whose names
 * say that they are CI/CD configuration.
 */
function isDistinctive(document: Node | null, job: Node | null, isNamed: boolean): boolean {
  const stages = [...listItems(valueAt(document, "stages")), ...(isNamed ? listItems(valueAt(document, "types")) : [])];
  const stage = stringOf(valueAt(job, "stage")) ?? (isNamed ? stringOf(valueAt(job, "type")) : undefined);
  return (
    (stage !== undefined && stages.includes(stage)) ||
    (isRun(job) && isMap(job) && job.items.some(({ key }) => telling.has(nameOf(key))))
  );
}

function isDistinctiveTemplate(name: string, value: Node | null): boolean {
  return name.startsWith(".") && isRun(value) && isMap(value) && value.items.length > 1;
}

function listItems(value: Node | null | undefined): readonly string[] {
  return isSeq(value) ? value.items.flatMap((item) => (isScalar(item) ? String(item.value) : [])) : [];
}
