import picomatch from "picomatch";
import { isMap, isScalar, isSeq, type Node } from "yaml";
import { vocabulary } from "../model/deprecations.ts";
import { nameOf, stringOf, valueAt } from "./yaml.ts";

/** Globs match the end of a path, wherever the scan started. */
function relativeName(file: string): string {
  return file.replace(/^(?:\.{0,2}\/)+/, "");
}

const matchers = Object.entries(vocabulary.files).map(
  ([kind, globs]) => [kind, picomatch([...globs], { dot: true, nocase: true })] as const,
);

/** The kinds of a file, by its name. */
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
