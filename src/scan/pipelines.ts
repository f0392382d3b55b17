import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap } from "yaml";
import { globMatcher } from "../base/glob.ts";
import { schedule, vocabulary } from "../model/deprecations.ts";
import { anchorsIn, isTagReference, keysOf, nameOf, namesExtended, stringOf, valueAt, yamlDocuments } from "./yaml.ts";

/** The jobs of a CI/CD configuration; they determine whether keys can be renamed. */
export interface Pipeline {
  /** True if another file may be merged with this one, because it includes one or is included. */
  readonly isOpen: boolean;
  /** The same, for files of the same repository. */
  readonly isMerged: boolean;
  readonly names: ReadonlySet<string>;
  /** Jobs that nothing else in the file contributes to, and that contribute to nothing else. */
  readonly standalone: ReadonlySet<string>;
}

/** Keywords beside which the old name of one has no effect. */
const newNames = schedule.flatMap(({ detect }) =>
  (detect ?? []).flatMap((each) => (each.by === "yaml" && each.fallback ? (each.rename ?? []) : [])),
);

/**
 * The files that CI/CD configurations among these include, also as child pipelines. @param read Reads a file; undefined if
 * it cannot be read.
 */
export function includedFiles(
  files: readonly string[],
  read: (file: string) => string | undefined,
): ReadonlySet<string> {
  const known = new Set(files);
  const followed = new Set<string>();
  const included = new Set<string>();
  for (const file of files) if (isConfiguration(file, read)) follow(file);
  return included;

  function follow(file: string): void {
    if (followed.has(file)) return;
    followed.add(file);
    const paths = (yamlDocuments(read(file) ?? "") ?? []).flatMap(listIncludes);
    for (const target of paths.flatMap((path) => resolveInclude(path, file, known))) {
      included.add(target);
      follow(target);
    }
  }
}

function isConfiguration(file: string, read: (file: string) => string | undefined): boolean {
  const kinds = kindsByName(file);
  if (kinds.has("ci") || !kinds.has("yaml")) return kinds.has("ci");
  const text = read(file) ?? "";
  return /^include\s*:/m.test(text) && canOnlyBeCi(yamlDocuments(text) ?? [], file);
}

export function pipelineOf(documents: readonly (Node | null)[], isIncluded: boolean): Pipeline {
  const isOpen = isIncluded || documents.some((document) => valueAt(document, "include"));
  const isMerged = isIncluded || documents.flatMap(listIncludes).length > 0;
  const pairs = documents.flatMap((document) => (isMap(document) ? document.items : []));
  const names = pairs.map(({ key }) => nameOf(key));
  const extended = new Set(pairs.flatMap(({ value }) => namesExtended(value)));
  const references: string[] = [];
  for (const document of documents)
    if (document)
      visit(document, {
        Seq: (_, node) => void (isTagReference(node) && references.push(...keysOf(node))),
      });
  const isUsed = (name: string) =>
    extended.has(name) || references.includes(name) || names.indexOf(name) !== names.lastIndexOf(name);
  const standalone = pairs.filter((pair) => !isUsed(nameOf(pair.key)) && isWhole(pair)).map(({ key }) => nameOf(key));
  return { isOpen, isMerged, names: new Set(names), standalone: new Set(standalone) };
}

/** True if a job takes nothing from another mapping, and no other takes anything from it. */
function isWhole({ key, value }: Pair): boolean {
  if (nameOf(key).startsWith(".") || !isMap(value) || value.anchor) return false;
  const others = new Set(["<<", "extends", ...newNames]);
  return !value.items.some((pair) => others.has(nameOf(pair.key)));
}

/** Paths that a configuration and its child pipelines include from the same repository. */
function listIncludes(document: Node | null): readonly string[] {
  if (!isMap(document)) return [];
  const anchors = anchorsIn(document);
  const triggers = document.items.map(({ value }) => valueAt(valueAt(value, "trigger"), "include"));
  return [valueAt(document, "include"), ...triggers].flatMap(pathsOf);

  function pathsOf(value: unknown): readonly string[] {
    const node = isAlias(value) ? anchors(value) : value;
    if (isSeq(node)) return node.items.flatMap((item) => pathsOf(item));
    const path = stringOf(isMap(node) ? valueAt(node, "local") : node);
    return path !== undefined && !/^[a-z]+:\/\//i.test(path) ? [path] : [];
  }
}

/** Paths are relative to the root of the repository, which is the nearest parent folder in which they exist. */
function resolveInclude(path: string, from: string, known: ReadonlySet<string>): readonly string[] {
  const folders = from.split("/").slice(0, -1);
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  for (let length = folders.length; length >= 0; length--) {
    const paths = matchFiles([...folders.slice(0, length), ...parts].join("/"), known);
    if (paths.length > 0) return paths;
  }
  return [];
}

/** The only wildcards of includes are stars: `*` matches anything but a slash, `**` also slashes. */
function matchFiles(path: string, known: ReadonlySet<string>): readonly string[] {
  if (!path.includes("*")) return known.has(path) ? [path] : [];
  const literal = path.replace(/[?[\]{}\\]/g, "\\$&").replace(/(^|\/)\*\*+(?=[^/*])/g, "$1{**/,}*");
  return [...known].filter(globMatcher(literal, { crossing: false, cased: true, dots: true }));
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

/** Removed keywords count only in files whose names say that they are CI/CD configuration. */
function isCi(document: Node | null, isNamed: boolean): boolean {
  if (!isMap(document)) return false;
  const jobs = document.items.filter(({ key }) => !vocabulary.ci.reserved.has(nameOf(key)));
  if (!jobs.every(({ key, value }) => nameOf(key).startsWith(".") || isRun(value))) return false;
  const stages = new Set(
    (isNamed ? ["stages", "types"] : ["stages"]).flatMap((key) => {
      const value = valueAt(document, key);
      return isSeq(value) ? value.items.flatMap((item) => (isScalar(item) ? String(item.value) : [])) : [];
    }),
  );
  return jobs.some(({ key, value: job }) => {
    const stage = stringOf(valueAt(job, "stage")) ?? (isNamed ? stringOf(valueAt(job, "type")) : undefined);
    if (stage !== undefined && stages.has(stage)) return true;
    const isTemplate = nameOf(key).startsWith(".") && isMap(job) && job.items.length > 1;
    return isRun(job) && (isTemplate || job.items.some((pair) => telling.has(nameOf(pair.key))));
  });
}

const { keywords, removed, starters, telling } = vocabulary.ci;

/** A job has something to run, and only keys of jobs. */
function isRun(job: unknown): job is YAMLMap {
  if (!isMap(job)) return false;
  const names = job.items.map(({ key }) => nameOf(key));
  const areKnown = names.every((name) => keywords.has(name) || removed.has(name) || name === "<<");
  const isStarting = (name: string) => {
    const value = valueAt(job, name);
    return stringOf(value) !== undefined || isMap(value) || (isSeq(value) && value.items.length > 0);
  };
  return areKnown && names.some((name) => starters.has(name) && isStarting(name));
}
