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
  return coveringLayers(policies, project).filter(({ policy: { where, includesArchived } }) => {
    return (includesArchived || !project.archived) && (where === undefined || where.evaluate(project) === true);
  });
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
  const lines = [`#${id}`, ...listFolders(path)].flatMap((key) => index.get(key) ?? none);
  const isExcepted = ({ except }: Policy) => except.some((selector) => isMatchOf(selector, id, path));
  return toLayers(lines.filter(({ selector }) => isMatchOf(selector, id, path))).filter(
    ({ policy }) => !isExcepted(policy),
  );
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

const none: readonly Line[] = [];

/** Selectors by path, by the folder of everything that they match, or by `#` and ID. */
const indexOf = memoized((policies: readonly Policy[]): ReadonlyMap<string, readonly Line[]> => {
  const lines = policies.flatMap((policy) => policy.projects.map((selector): Line => ({ policy, selector })));
  return grouped(lines, ({ selector }) => {
    if (selector.form === "id") return `#${selector.written}`;
    return selector.form === "path" ? selector.path : selector.base;
  });
}, new WeakMap());

/** `""`, `a`, `a/b` and `a/b/c` for `a/b/c`. */
function listFolders(path: string | undefined): readonly string[] {
  if (path === undefined) return [];
  return ["", ...Array.from(path.matchAll(/(?<=.)\/|$/g), ({ index }) => path.slice(0, index))];
}
