import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { compareTexts } from "../base/text-format.ts";
import { idNameOf } from "../model/identity.ts";
import type { Project } from "../model/types.ts";
import type { Policy } from "./policies.ts";
import type { Selector } from "./selector.ts";

export interface Layer {
  readonly policy: Policy;
  /** Infinity for an ID or a path, else the number of literal characters of the glob. */
  readonly literal: number;
}

/** True if a layer is more specific, regardless of `enforce`. */
export function isMoreSpecific(a: Layer, b: Layer): boolean {
  return a.literal === b.literal ? a.policy.priority > b.policy.priority : a.literal > b.literal;
}

export function overrules(a: Layer, b: Layer): boolean {
  return a.policy.enforce === b.policy.enforce ? isMoreSpecific(a, b) : a.policy.enforce;
}

/** True if neither of two layers overrides the other. */
export function isLevel(a: Layer, b: Layer): boolean {
  return !overrules(a, b) && !overrules(b, a);
}

/** Compares layers by precedence. Equal ones are ordered by name, which does not affect the result. */
export function compareLayers(a: Layer, b: Layer): number {
  if (overrules(a, b)) return -1;
  return overrules(b, a) ? 1 : compareTexts(a.policy.name, b.policy.name);
}

export function sameLayers(some: readonly Layer[], others: readonly Layer[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ policy, literal }, index) => policy === others[index]?.policy && literal === others[index].literal)
  );
}

export function isSelected(policies: readonly Policy[], project: Project): boolean {
  return matchingLayers(policies, project).length > 0;
}

export function matchingLayers(policies: readonly Policy[], project: Project): readonly Layer[] {
  return coveringLayers(policies, project).filter(({ policy }) => admits(policy, project));
}

function admits({ where, includesArchived }: Policy, project: Project): boolean {
  return (includesArchived || !project.archived) && (where === undefined || where.evaluate(project) === true);
}

export function isCovered(policies: readonly Policy[], project: Project): boolean {
  return coveringLayers(policies, project).length > 0;
}

export function conditionalPolicies(policies: readonly Policy[], project: Project): readonly Policy[] {
  return coveringLayers(policies, project).flatMap(({ policy }) => (policy.where ? policy : []));
}

function coveringLayers(policies: readonly Policy[], project: Project): readonly Layer[] {
  const index = indexOf(policies);
  const id = idNameOf(project);
  const path = project.path?.toLowerCase();
  return toLayers(candidates(index, id, path)).filter(({ policy }) => !isExcepted(policy, id, path));
}

function toLayers(lines: readonly Line[]): readonly Layer[] {
  const [first] = lines;
  if (first && lines.length === 1) return [{ policy: first.policy, literal: literalOf(first.selector) }];
  const layers = new Map<Policy, number>();
  for (const { policy, selector } of lines) {
    layers.set(policy, Math.max(literalOf(selector), layers.get(policy) ?? 0));
  }
  return Array.from(layers, ([policy, literal]) => ({ policy, literal })).sort(compareLayers);
}

export function literalOf(selector: Selector): number {
  return selector.form === "glob" ? selector.literal : Number.POSITIVE_INFINITY;
}

function isExcepted(policy: Policy, id: string | undefined, path: string | undefined): boolean {
  return policy.except.length > 0 && candidates(exceptionsOf(policy), id, path).length > 0;
}

export function isMatch(selector: Selector, project: Project): boolean {
  return isMatchOf(selector, idNameOf(project), project.path?.toLowerCase());
}

function isMatchOf(selector: Selector, id: string | undefined, path: string | undefined): boolean {
  if (selector.form === "id") return selector.written === id;
  if (path === undefined) return false;
  return selector.form === "path" ? selector.path === path : selector.matches(path);
}

interface Line {
  readonly policy: Policy;
  readonly selector: Selector;
}

interface Index {
  readonly ids: ReadonlyMap<string, readonly Line[]>;
  readonly paths: ReadonlyMap<string, readonly Line[]>;
  readonly folders: ReadonlyMap<string, readonly Line[]>;
}

const indexOf = memoized(
  (policies: readonly Policy[]): Index =>
    createIndex(policies.flatMap((policy) => policy.projects.map((selector) => ({ policy, selector })))),
  new WeakMap(),
);

const exceptionsOf = memoized(
  (policy: Policy): Index => createIndex(policy.except.map((selector) => ({ policy, selector }))),
  new WeakMap(),
);

function createIndex(lines: readonly Line[]): Index {
  return {
    ids: grouped(lines, ({ selector }) => (selector.form === "id" ? selector.written : undefined)),
    paths: grouped(lines, ({ selector }) => (selector.form === "path" ? selector.path : undefined)),
    folders: grouped(lines, ({ selector }) => (selector.form === "glob" ? selector.base : undefined)),
  };
}

function candidates({ ids, paths, folders }: Index, id: string | undefined, path: string | undefined): readonly Line[] {
  const byId = id === undefined ? none : (ids.get(id) ?? none);
  if (path === undefined) return byId;
  const globs = linesOver(folders, path).filter(({ selector }) => isMatchOf(selector, id, path));
  return [...byId, ...(paths.get(path) ?? none), ...globs];
}

function linesOver(folders: Index["folders"], folder: string): readonly Line[] {
  const found: Line[] = [];
  for (let end = 0; end >= 0 && folders.size > 0; end = nextFolder(folder, end))
    found.push(...(folders.get(folder.slice(0, end)) ?? none));
  return found;
}

const none: readonly Line[] = [];

/** The end of the next folder in a path: `""`, `a`, `a/b` and `a/b/c` for `a/b/c`; -1 after the path itself. */
function nextFolder(path: string, end: number): number {
  if (end === path.length) return -1;
  const next = path.indexOf("/", end + 1);
  return next < 0 ? path.length : next;
}
