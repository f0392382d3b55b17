import equal from "fast-deep-equal";
import { grouped } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { counted, joinedByAnd } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import type { Desired, Problem, Project } from "../model/types.ts";
import { lineOfField, type PolicyEntry, type Stated } from "./entries.ts";
import { entryIn, type Ruling, rulingFor, rulingOf } from "./layers.ts";
import type { Policy } from "./policies.ts";
import type { Contest } from "./precedence.ts";
import { problemAt } from "./problem.ts";
import { isWide, namedProjects, placeholderOf } from "./projects.ts";
import { compareLayers, isMoreSpecific, type Layer } from "./selection.ts";
import { covers, type GlobSelector } from "./selector.ts";
import { isTemplate } from "./template.ts";

/** An entry that is not in effect in a project, because another policy declares something else. */
export interface Override {
  readonly layer: Layer;
  /** `protected_branch/main`; a field of a singleton is `settings.visibility`. */
  readonly entry: string;
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
  return [...settled, ...open.flatMap((contest) => overridesIn(contest, fill))];
}

export function wideOverrides(policies: readonly Policy[], project: Project): readonly Override[] {
  return overridesOf(rulingFor(policies, project), project).filter(({ layer }) => isWide(layer.policy));
}

const sharedOverrides = memoized(({ contests }: Ruling) => {
  const all = [...contests.entries.values()];
  const isOpen = ({ candidates }: Contest<PolicyEntry>) =>
    candidates.some(({ item: { templates, desired } }) => templates.length > 0 || isTemplate(desired.key));
  const settled = all.filter((contest) => !isOpen(contest));
  return { settled: settled.flatMap((each) => overridesIn(each, ({ desired }) => desired)), open: all.filter(isOpen) };
}, new WeakMap());

/** Compares declarations with the one in effect, of a singleton field by field. Equal secret references are equal. */
function overridesIn(
  { candidates, winner }: Contest<PolicyEntry>,
  fill: (entry: PolicyEntry) => Desired,
): readonly Override[] {
  const effective = fill(winner);
  return candidates.flatMap(({ layer, item: loser }) => {
    if (loser === winner) return [];
    const whole = fill(loser);
    const name = resourceName(whole.kind, whole.key);
    const isByField = loser.desired.key === "" && [whole, effective].every(({ presence }) => presence === "present");
    const parts = isByField ? Object.keys(loser.desired.fields) : [undefined];
    return parts.flatMap((field): readonly Override[] => {
      const by = (field !== undefined && winner.setBy?.get(field)) || winner;
      const winning = candidates.find(({ item }) => item.document === by.document)?.layer;
      if (!winning || by === loser) return [];
      if (field === undefined) {
        if (isInEffect(whole, effective)) return [];
        return [{ layer, entry: name, declares: whole, loses: loser, wins: winner, winning }];
      }
      const declares = { ...whole, fields: { [field]: whole.fields[field] ?? null } };
      if (isInEffect(declares, effective)) return [];
      const [loses, wins] = [lineOfField(loser, field), lineOfField(winner, field)];
      return [{ layer, entry: `${name}.${field}`, declares, loses, wins, winning }];
    });
  });
}

/** True if everything declared is in effect; further fields may be. */
function isInEffect(declares: Desired, effective: Desired): boolean {
  if (declares.presence !== effective.presence) return false;
  return Object.entries(declares.fields).every(([name, value]) => equal(effective.fields[name], value));
}

/**
 * Warnings about layers that are certain before the fleet is known: in named projects, and in globs that the glob of
 * another policy covers.
 */
export function layerWarnings(policies: readonly Policy[]): readonly Problem[] {
  const isEnforced = policies.some(({ enforce }) => enforce);
  const inheriting = policies.flatMap(({ entries }) => entries.filter(({ written }) => written?.inherits));
  if (!isEnforced && inheriting.length === 0 && (policies.length < 2 || !policies.some(isWide))) return [];
  const known = knownRulings(policies);
  return [
    ...(isEnforced ? overriddenByEnforced(known) : []),
    ...narrowedEntries(known),
    ...(inheriting.length > 0 ? idleInherits(policies, inheriting) : []),
  ];
}

/** Entries and variables that only an enforced policy overrides, and enforced ones that another one overrides. */
function overriddenByEnforced(known: readonly KnownRuling[]): readonly Problem[] {
  const lost = known.flatMap(({ ruling, project }) => [...overridesOf(ruling, project), ...lostVariables(ruling)]);
  const reported = lost.filter(({ layer, winning }) => {
    return winning.policy.enforce && (layer.policy.enforce || !isMoreSpecific(winning, layer));
  });
  const distinct = grouped(reported, ({ loses, wins }) => JSON.stringify([loses.place(), wins.place()]));
  return [...distinct.values()].map(([{ entry, loses, wins, winning }]) => {
    const { file, line, column } = wins.place();
    const message = `${entry} is overridden by policy ${winning.policy.name}, which is enforced, at ${file}:${line}:${column}`;
    return problemAt("overridden", message, { document: loses.document, path: loses.path, of: "key" });
  });
}

function narrowedEntries(known: readonly KnownRuling[]): readonly Problem[] {
  const all = known.flatMap(({ ruling }) => findNarrowed(ruling));
  const equal = grouped(all, ({ wide, fields }) => JSON.stringify([wide.place(), fields]));
  return [...equal.values()].map((cases) => {
    const [{ entry, wide, fields }] = cases;
    const { document, path, desired } = entry;
    const { file, line, column } = wide.place();
    const others = new Set(cases.map((each) => each.entry)).size - 1;
    const more =
      others > 0 ? `, and so ${others === 1 ? "does" : "do"} ${counted(others, "other entry", "other entries")}` : "";
    const message = `${resourceName(desired.kind, desired.key)} leaves out ${joinedByAnd(fields)}, which policy ${wide.policy} declares at ${file}:${line}:${column}${more}; add inherit: true to have what it lacks from there`;
    return problemAt("narrowed", message, { document, path, of: "key" });
  });
}

/** Compares each entry with the next one of a policy with a wildcard, from which it could inherit. */
function findNarrowed({ contests }: Ruling) {
  return [...contests.entries.values()].flatMap(({ winner: entry, candidates }) => {
    const wide = candidates.find(({ layer, item }) => item !== entry && isWide(layer.policy))?.item;
    if (!wide || entry.desired.key === "" || entry.written?.inherits) return [];
    if ([wide, entry].some(({ desired }) => desired.presence === "absent")) return [];
    const fields = Object.keys(wide.desired.fields).filter((name) => !Object.hasOwn(entry.desired.fields, name));
    return fields.length > 0 ? [{ entry, wide, fields }] : [];
  });
}

function idleInherits(policies: readonly Policy[], inheriting: readonly PolicyEntry[]): readonly Problem[] {
  const all = policies.flatMap(({ entries }) => entries.filter(({ desired }) => desired.presence === "present"));
  const byIdentity = grouped(all, ({ desired }) => desired.identity);
  return inheriting
    .filter(({ desired }) => !isTemplate(desired.key) && (byIdentity.get(desired.identity) ?? []).length < 2)
    .map(({ document, path, desired }) => {
      const message = `no other policy declares ${resourceName(desired.kind, desired.key)}, so there is nothing to inherit`;
      return problemAt("unused-setting", message, { document, path: [...path, "inherit"], of: "key" });
    });
}

function lostVariables({ contests }: Ruling): readonly Omit<Override, "declares">[] {
  return contests.vars.flatMap(({ winner: wins, candidates: [first, ...others] }) => {
    const lost = others.filter(({ item }) => item.value !== wins.value);
    return lost.map(({ layer, item: loses }) => {
      return { layer, entry: `variable ${loses.name}`, loses, wins, winning: first.layer };
    });
  });
}

interface KnownRuling {
  readonly ruling: Ruling;
  readonly project: Project;
}

function knownRulings(policies: readonly Policy[]): readonly KnownRuling[] {
  const named = namedProjects(policies).map((project) => {
    return { ruling: rulingFor(policies, project), project: placeholderOf(project) };
  });
  const globs = policies.flatMap(({ projects }) => projects.filter((each) => each.form === "glob"));
  const distinct = [...new Map(globs.map((glob) => [glob.written.toLowerCase(), glob])).values()];
  const known = distinct.map((glob) => {
    const layers = policies.flatMap((policy) => layerOver(policy, glob)).sort(compareLayers);
    return { ruling: rulingOf(layers), project: placeholderOf({ name: glob.written.endsWith("/") ? "/" : "" }) };
  });
  return [...named, ...known];
}

/** The layer of a policy that certainly selects all matches of a glob, except for its exceptions. */
function layerOver(policy: Policy, glob: GlobSelector): readonly Layer[] {
  const over = policy.projects.filter((each): each is GlobSelector => each.form === "glob" && covers(each, glob));
  if (over.length === 0 || policy.where || policy.except.some((each) => covers(each, glob))) return [];
  return [{ policy, literal: Math.max(...over.map(({ literal }) => literal)) }];
}
