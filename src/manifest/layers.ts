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
  return desiredBy(effectiveRuling(policies, project, expired), project);
}

/** What decides over a project: which policies match it. A fleet has many projects, and few of these. */
export interface EffectiveRuling {
  readonly ruling: Ruling;
  /** The expired layers that match, and what held with them. */
  readonly expired?: { readonly layers: readonly Layer[]; readonly ruling: Ruling };
}

/** What {@link desiredBy} needs to know of the policies. */
export function effectiveRuling(
  policies: readonly Policy[],
  project: Project,
  expired: readonly Policy[] = [],
): EffectiveRuling {
  const layers = matchingLayers(policies, project);
  const ended = expired.length > 0 ? matchingLayers(expired, project) : [];
  const known = effectiveRulingsOf(policies);
  const key = `${keyOf(layers)}|${keyOf(ended)}`;
  const effective = known.get(key) ?? newEffectiveRuling(layers, ended, project);
  known.set(key, effective);
  return effective;
}

function newEffectiveRuling(layers: readonly Layer[], ended: readonly Layer[], project: Project): EffectiveRuling {
  const ruling = shared(rulingOf(layers), project);
  if (ended.length === 0) return { ruling };
  return { ruling, expired: { layers: ended, ruling: rulingOf([...layers, ...ended].sort(compareLayers)) } };
}

/** As {@link desiredOf}, for what decides over the project. */
export function desiredBy({ ruling, expired }: EffectiveRuling, project: Project): Merged {
  const merged = mergedFor(ruling, project);
  if (!expired) return merged;
  const before = mergedFor(expired.ruling, project).desired;
  return { ...merged, desired: { ...merged.desired, expired: endedIn(before, merged.desired, expired.layers) } };
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
  /** Sorted by kind and key. */
  readonly resources: readonly Desired[];
  /** Those of them that are still to be interpolated, by their index. */
  readonly open: readonly (readonly [index: number, entry: PolicyEntry])[];
  readonly ties: readonly Problem[];
}

function rulingOf(layers: readonly Layer[]): Ruling {
  const vars = decidingVariables(layers);
  const entries = decidingEntries(layers);
  const sorted = [...entries.winners.values()].sort((a, b) => byKindAndKey(a.desired, b.desired));
  return {
    ...spokenOf(layers),
    vars: vars.winners,
    resources: sorted.map(({ desired }) => desired),
    open: [...sorted.entries()].filter(([, { templates }]) => templates.length > 0),
    ties: [...vars.problems, ...entries.problems],
  };
}

/** The same for the same layers. */
function keyOf(layers: readonly Layer[]): string {
  return layers.map(({ policy, literal }) => `${numberOf(policy)}:${literal}`).join();
}

const effectiveRulingsOf = memoized((_: readonly Policy[]) => new Map<string, EffectiveRuling>(), new WeakMap());

let policiesSeen = 0;
const numberOf = memoized((_: Policy) => ++policiesSeen, new WeakMap());

/** Interpolates the entries that do not depend on the project, except those with problems. */
function shared(ruling: Ruling, project: Project): Ruling {
  const values = new Map([...ruling.vars].map(([name, { value }]) => [name, value]));
  const scope = createScope(project, ruling.vars, nowhere);
  const resources = [...ruling.resources];
  const open = ruling.open.filter(([index, entry]) => {
    if (entry.templates.some((name) => namesProject(entry.desired.fields[name], values))) return true;
    const { desired, problems } = fill(entry, scope);
    if (problems.length > 0) return true;
    resources[index] = desired;
    return false;
  });
  return scope.problems().length === 0 ? { ...ruling, resources, open } : ruling;
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
  const resources = [...ruling.resources];
  for (const [index, entry] of ruling.open) {
    const { desired, problems } = fill(entry, scope);
    faults.push(...problems);
    resources[index] = desired;
  }
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
