import equal from "fast-deep-equal";
import { memoized } from "../base/memoize.ts";
import { compareTexts } from "../base/text-format.ts";
import type { Desired, DesiredProject, Kind, Origin, Problem, Project } from "../model/types.ts";
import type { PolicyEntry } from "./entries.ts";
import { fill } from "./interpolate.ts";
import type { Policy, Variable } from "./policies.ts";
import { decidingEntries, decidingVariables } from "./precedence.ts";
import { compareLayers, type Layer, matchingLayers } from "./selection.ts";
import { namesProject } from "./template.ts";
import { createScope, type StandIn } from "./variable-scope.ts";

/** Desired state of one project, and the problems that only this project has. */
export interface Merged {
  readonly desired: DesiredProject;
  readonly problems: readonly Problem[];
}

/**
 * Merges all policies for one project: the most specific layer takes effect, entry by entry (docs/manifests.md).
 * Expired policies have no effect; the result lists resources that changed because they expired.
 */
export function desiredOf(policies: readonly Policy[], project: Project, expired: readonly Policy[] = []): Merged {
  const layers = matchingLayers(policies, project);
  const merged = mergedFor(rulingFor(policies, layers, project), project);
  const ended = expired.length > 0 ? matchingLayers(expired, project) : [];
  if (ended.length === 0) return merged;
  const before = merge([...layers, ...ended].sort(compareLayers), project).desired;
  return { ...merged, desired: { ...merged.desired, expired: endedIn(before, merged.desired, ended) } };
}

/** The resources that changed when these layers expired, and the location of the `until` that ended each. */
function endedIn(before: DesiredProject, now: DesiredProject, ended: readonly Layer[]): ReadonlyMap<string, Origin> {
  const current = new Map(now.resources.map((resource) => [resource.identity, resource]));
  const changed = before.resources.filter((resource) => !isSame(resource, current.get(resource.identity)));
  return new Map(changed.map(({ identity }) => [identity, endOf(identity, ended)]));
}

function isSame(a: Desired, b: Desired | undefined): boolean {
  return a.presence === b?.presence && equal(a.fields, b.fields);
}

/** If no expired policy declares the resource itself, a variable of one does. */
function endOf(identity: string, ended: readonly Layer[]): Origin {
  const policies = ended.map(({ policy }) => policy);
  const speaking = policies.find(({ entries }) => entries.some((entry) => entry.desired.identity === identity));
  const document = (speaking ?? policies.find(({ vars }) => vars.length > 0) ?? policies[0])?.document;
  return { place: () => document?.place(["until"], "key") ?? { file: "", line: 1, column: 1 } };
}

/**
 * Merges layers for one project. `elsewhere`: whether layers that are not known yet may define a variable; values that
 * use it are not checked. `otherwise`: placeholders for unknown facts of the project.
 */
export function merge(
  layers: readonly Layer[],
  project: Project,
  elsewhere: (variable: string) => boolean = nowhere,
  otherwise?: StandIn,
): Merged {
  return mergedFor(rulingOf(layers), project, elsewhere, otherwise);
}

const nowhere = () => false;

/** The part of the merged state that does not depend on the project. */
interface Ruling extends Pick<DesiredProject, "kinds" | "exclusive"> {
  readonly vars: ReadonlyMap<string, Variable>;
  /** Sorted by kind and key. Entries that are the same in every project are already interpolated. */
  readonly entries: readonly (PolicyEntry | Desired)[];
  readonly ties: readonly Problem[];
}

function rulingOf(layers: readonly Layer[]): Ruling {
  const vars = decidingVariables(layers);
  const entries = decidingEntries(layers);
  return {
    ...spokenOf(layers),
    vars: vars.winners,
    entries: [...entries.winners.values()].sort((a, b) => byKindAndKey(a.desired, b.desired)),
    ties: [...vars.problems, ...entries.problems],
  };
}

/** Cached by the set of layers, because a fleet has many projects and few such sets. */
function rulingFor(policies: readonly Policy[], layers: readonly Layer[], project: Project): Ruling {
  const known = rulingsOf(policies);
  const key = layers.map(({ policy, literal }) => `${numberOf(policy)}:${literal}`).join();
  const ruling = known.get(key) ?? shared(rulingOf(layers), project);
  known.set(key, ruling);
  return ruling;
}

const rulingsOf = memoized((_: readonly Policy[]) => new Map<string, Ruling>(), new WeakMap());

let policiesSeen = 0;
const numberOf = memoized((_: Policy) => ++policiesSeen, new WeakMap());

/** Interpolates the entries that do not depend on the project, except those with problems. */
function shared(ruling: Ruling, project: Project): Ruling {
  const values = new Map([...ruling.vars].map(([name, { value }]) => [name, value]));
  const scope = createScope(project, ruling.vars, nowhere);
  const entries = ruling.entries.map((entry) => {
    if (!("templates" in entry) || entry.templates.some((name) => namesProject(entry.desired.fields[name], values)))
      return entry;
    const { desired, problems } = fill(entry, scope);
    return problems.length === 0 ? desired : entry;
  });
  return scope.problems().length === 0 ? { ...ruling, entries } : ruling;
}

function mergedFor(
  ruling: Ruling,
  project: Project,
  elsewhere: (variable: string) => boolean = nowhere,
  otherwise?: StandIn,
): Merged {
  const { kinds, exclusive } = ruling;
  const scope = createScope(project, ruling.vars, elsewhere, otherwise);
  const faults: Problem[] = [];
  const resources = ruling.entries.map((entry) => {
    if (!("templates" in entry)) return entry;
    const { desired, problems } = fill(entry, scope);
    faults.push(...problems);
    return desired;
  });
  const problems = [...ruling.ties, ...scope.problems(), ...faults];
  return {
    desired: { project, resources, kinds, exclusive },
    problems: problems.map((problem) => ({ ...problem, project: project.name })),
  };
}

/** Merges layers without interpolation, for unknown projects: `${…}` stays as written. */
export function mergeAsWritten(layers: readonly Layer[], name: string): DesiredProject {
  const { winners } = decidingEntries(layers);
  const resources = [...winners.values()].map(({ desired }) => desired).sort(byKindAndKey);
  return { project: { name }, resources, ...spokenOf(layers) };
}

function byKindAndKey(a: Desired, b: Desired): number {
  return compareTexts(a.kind, b.kind) || compareTexts(a.key, b.key);
}

function spokenOf(layers: readonly Layer[]): Pick<DesiredProject, "kinds" | "exclusive"> {
  const policies = layers.map(({ policy }) => policy).toSorted((a, b) => compareTexts(a.name, b.name));
  const exclusive = new Map<Kind, Origin>();
  for (const [kind, origin] of policies.flatMap((policy) => [...policy.exclusive])) {
    if (!exclusive.has(kind)) exclusive.set(kind, origin);
  }
  return { kinds: new Set(policies.flatMap((policy) => [...policy.kinds])), exclusive };
}
