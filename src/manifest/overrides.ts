import equal from "fast-deep-equal";
import { memoized } from "../base/memoize.ts";
import { resourceName } from "../model/address.ts";
import type { Desired, Project } from "../model/types.ts";
import { lineOfField, type PolicyEntry, type Stated } from "./entries.ts";
import { entryIn, type Ruling, rulingFor } from "./layers.ts";
import type { Policy } from "./policies.ts";
import type { Layer } from "./selection.ts";
import { isTemplate } from "./template.ts";

/** An entry that is not in effect in a project, because another policy declares something else. */
export interface Override {
  readonly layer: Layer;
  /** `protected_branch/main`; a field of a singleton is `settings.visibility`. */
  readonly entry: string;
  /** The overridden declaration; for a singleton, one field. */
  readonly declares: Desired;
  readonly loses: Stated;
  readonly wins: Stated;
  readonly winning: Layer;
}

/** The overrides of a project. Those common to all projects with these layers are shared. */
export function overridesOf(ruling: Ruling, project: Project): readonly Override[] {
  const { settled, open } = sharedOverrides(ruling);
  if (open.length === 0) return settled;
  const fill = entryIn(ruling, project);
  return [...settled, ...open.flatMap((contest) => compareContest(contest, fill))];
}

export function wideOverrides(policies: readonly Policy[], project: Project): readonly Override[] {
  return overridesOf(rulingFor(policies, project), project).filter(({ layer }) => isWide(layer.policy));
}

/** True if a policy has a wildcard among its selectors. */
export function isWide({ projects }: Policy): boolean {
  return projects.some(({ form }) => form === "glob");
}

interface Contest {
  readonly layer: Layer;
  readonly loser: PolicyEntry;
  readonly winning: Layer;
  readonly winner: PolicyEntry;
  readonly field?: string;
}

const sharedOverrides = memoized((ruling: Ruling) => {
  const contests = ruling.layers.flatMap((layer) =>
    layer.policy.entries.flatMap((entry) => listContests(ruling, layer, entry)),
  );
  const isSettled = ({ loser, winner }: Contest) => !isOpen(loser) && !isOpen(winner);
  return {
    settled: contests.filter(isSettled).flatMap((contest) => compareContest(contest, ({ desired }) => desired)),
    open: contests.filter((contest) => !isSettled(contest)),
  };
}, new WeakMap());

function isOpen({ templates, desired }: PolicyEntry): boolean {
  return templates.length > 0 || isTemplate(desired.key);
}

function listContests({ winners, layers }: Ruling, layer: Layer, loser: PolicyEntry): readonly Contest[] {
  const winner = winners.get(loser.desired.identity);
  if (!winner || winner === loser) return [];
  const contest = (by: PolicyEntry, field?: string): readonly Contest[] => {
    const winning = layers.find(({ policy }) => policy.document === by.document);
    return winning && by !== loser ? [{ layer, loser, winner, winning, ...(field !== undefined && { field }) }] : [];
  };
  const isByField = loser.desired.key === "" && [loser, winner].every(({ desired }) => desired.presence === "present");
  if (!isByField) return contest(winner);
  return Object.keys(loser.desired.fields).flatMap((name) => contest(winner.setBy?.get(name) ?? winner, name));
}

/** Compares declarations: equal secret references are equal. */
function compareContest(
  { layer, loser, winner, winning, field }: Contest,
  fill: (entry: PolicyEntry) => Desired,
): readonly Override[] {
  const [whole, effective] = [fill(loser), fill(winner)];
  const { [field ?? ""]: value = null } = whole.fields;
  const declares = field === undefined ? whole : { ...whole, fields: { [field]: value } };
  if (isInEffect(declares, effective)) return [];
  const name = resourceName(declares.kind, declares.key);
  return [
    {
      layer,
      entry: field === undefined ? name : `${name}.${field}`,
      declares,
      loses: field === undefined ? loser : lineOfField(loser, field),
      wins: field === undefined ? winner : lineOfField(winner, field),
      winning,
    },
  ];
}

/** True if everything declared is in effect; further fields may be. */
function isInEffect(declares: Desired, effective: Desired): boolean {
  if (declares.presence !== effective.presence) return false;
  return Object.entries(declares.fields).every(([name, value]) => equal(effective.fields[name], value));
}
