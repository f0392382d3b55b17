import picomatch from "picomatch";
import { isMap, isScalar, isSeq, type Node } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import { nameOf, stringOf, valueAt } from "./yaml-nodes.ts";

/** Globs are about the end of a path, wherever the scan began. */
function relativeName(file: string): string {
  return file.replace(/^(?:\.{0,2}\/)+/, "");
}

const matchers = Object.entries(vocabulary.files).map(
  ([kind, globs]) => [kind, picomatch([...globs], { dot: true, nocase: true })] as const,
);

/** The kinds of file that one is by its name. */
export function kindsByName(file: string): Set<string> {
  return new Set(matchers.filter(([, matches]) => matches(relativeName(file))).map(([kind]) => kind));
}

/**
 * Whether documents are a CI/CD configuration because they can be nothing else: each top-level key is one of its
 * keywords, a hidden one or a job that runs something, and some word shows what it is.
 */
export function canOnlyBeCi(documents: readonly (Node | null)[], file: string): boolean {
  if (isOther(relativeName(file))) return false;
  const isNamed = isNamedSo(relativeName(file));
  return documents.some((document) => isCi(document, isNamed));
}

const isOther = picomatch([...vocabulary.ci.others], { dot: true, nocase: true });
const isNamedSo = picomatch([...vocabulary.ci.named], { dot: true, nocase: true });

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

/** A job names what it runs, and has no key that jobs do not have. */
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
 * Its stage is one of those that the file lists, or it has a word that nothing else has. The words that were removed report
 * so much only in a file that is named after what it is for.
 */
function isDistinctive(document: Node | null, job: Node | null, isNamed: boolean): boolean {
  const stages = [...itemsOf(valueAt(document, "stages")), ...(isNamed ? itemsOf(valueAt(document, "types")) : [])];
  const stage = stringOf(valueAt(job, "stage")) ?? (isNamed ? stringOf(valueAt(job, "type")) : undefined);
  return (
    (stage !== undefined && stages.includes(stage)) ||
    (isRun(job) && isMap(job) && job.items.some(({ key }) => telling.has(nameOf(key))))
  );
}

function isDistinctiveTemplate(name: string, value: Node | null): boolean {
  return name.startsWith(".") && isRun(value) && isMap(value) && value.items.length > 1;
}

function itemsOf(value: Node | null | undefined): readonly string[] {
  return isSeq(value) ? value.items.flatMap((item) => (isScalar(item) ? String(item.value) : [])) : [];
}
