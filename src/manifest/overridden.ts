import { grouped } from "../base/grouped.ts";
import type { Problem, Project } from "../model/types.ts";
import { type Ruling, rulingFor, rulingOf } from "./layers.ts";
import { type Override, overridesOf } from "./overrides.ts";
import type { Policy } from "./policies.ts";
import { problemAt } from "./problem.ts";
import { namedProjects, probeOf } from "./projects.ts";
import { compareLayers, isMoreSpecific, type Layer } from "./selection.ts";
import { covers, type GlobSelector } from "./selector.ts";

/**
 * Warnings for entries and variables that would hold if another policy were not enforced, and for enforced ones that
 * another enforced policy overrides. Only what is certain before the fleet is known: in named projects, and in globs that
 * both policies select.
 */
export function overriddenByEnforced(policies: readonly Policy[]): readonly Problem[] {
  if (!policies.some(({ enforce }) => enforce)) return [];
  const lost = knownRulings(policies).flatMap(({ ruling, project }) => [
    ...overridesOf(ruling, project),
    ...lostVariables(ruling),
  ]);
  const reported = lost.filter(({ layer, winning }) => {
    return winning.policy.enforce && (layer.policy.enforce || !isMoreSpecific(winning, layer));
  });
  const distinct = grouped(reported, ({ loses, wins }) => JSON.stringify([loses.place(), wins.place()]));
  return [...distinct.values()].flatMap(([first]) => (first ? [overridden(first)] : []));
}

type Lost = Pick<Override, "layer" | "entry" | "loses" | "wins" | "winning">;

function overridden({ entry, loses, wins, winning: { policy } }: Lost): Problem {
  const { file, line, column } = wins.place();
  const message = `${entry} is overridden by policy ${policy.name}, which is enforced, at ${file}:${line}:${column}`;
  return problemAt("overridden", message, { document: loses.document, path: loses.path, of: "key" });
}

function lostVariables({ layers, vars }: Ruling): readonly Lost[] {
  return layers.flatMap((layer) =>
    layer.policy.vars.flatMap((loses) => {
      const wins = vars.get(loses.name);
      const winning = layers.find(({ policy }) => policy.document === wins?.document);
      if (!wins || !winning || wins.value === loses.value) return [];
      return [{ layer, entry: `variable ${loses.name}`, loses, wins, winning }];
    }),
  );
}

/** The layers of named projects and of globs, as far as they are certain. */
function knownRulings(policies: readonly Policy[]): readonly { readonly ruling: Ruling; readonly project: Project }[] {
  const named = namedProjects(policies).map((project) => {
    return { ruling: rulingFor(policies, project), project: probeOf(project) };
  });
  const globs = policies.flatMap(({ projects }) => projects.filter((each) => each.form === "glob"));
  const distinct = [...new Map(globs.map((glob) => [glob.written.toLowerCase(), glob])).values()];
  const known = distinct.map((glob) => {
    const layers = policies.flatMap((policy) => layerOver(policy, glob)).sort(compareLayers);
    return { ruling: rulingOf(layers), project: probeOf({ name: glob.written.endsWith("/") ? "/" : "" }) };
  });
  return [...named, ...known];
}

/** The layer of a policy that surely selects what a glob matches, except where it excepts some of it. */
function layerOver(policy: Policy, glob: GlobSelector): readonly Layer[] {
  const over = policy.projects.filter((each): each is GlobSelector => each.form === "glob" && covers(each, glob));
  if (over.length === 0 || policy.except.some((each) => covers(each, glob))) return [];
  return [{ policy, literal: Math.max(...over.map(({ literal }) => literal)) }];
}
