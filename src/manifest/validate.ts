import { groupedAs } from "../base/grouped.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { foreignGlob, foreignSlug } from "../model/dialect-evidence.ts";
import { ownerName } from "../model/owner.ts";
import type { Problem, Project } from "../model/types.ts";
import { isReference, isScalar, referencesWithin } from "../model/values.ts";
import type { Document } from "./document.ts";
import { expiryProblems, isExpired } from "./expiry.ts";
import { merge, rulingOf } from "./layers.ts";
import { readMigrations } from "./migrations.ts";
import { layerWarnings } from "./overrides.ts";
import { type Policies, type Policy, readPolicies } from "./policies.ts";
import type { Path } from "./positions.ts";
import { duplicateNames, problemAt, sortedProblems } from "./problem.ts";
import { namedProjects, needsLookup, placeholderOf } from "./projects.ts";
import { type PlanRule, readRules } from "./rules.ts";
import type { Providers } from "./secret-providers.ts";
import { builtInSchemes, isProvided, schemeOf } from "./secret-reference.ts";
import { compareLayers, type Layer, literalOf, matchingLayers } from "./selection.ts";
import { readTests } from "./tests.ts";
import { type Loaded, notifyReferences, workspaceFile } from "./workspace.ts";

/** The policies of a workspace that apply on a day, and all problems that can be found offline, sorted by position. */
export interface Validated extends Policies {
  readonly expired: readonly Policy[];
  readonly rules: readonly PlanRule[];
}

/**
 * Validates a workspace without any request (docs/manifests.md), for a day in UTC such as 2027-06-30; without a day
 * nothing has expired. Never throws for invalid manifests.
 */
export function validate(
  loaded: Pick<Loaded, "documents" | "problems" | "workspace" | "providers" | "settings">,
  today = "",
): Validated {
  const { policies: all, problems, plaintext } = readPolicies(loaded);
  const policies = all.filter((policy) => !isExpired(policy, today));
  const expired = all.filter((policy) => isExpired(policy, today));
  const { rules, problems: ruleProblems } = readRules(loaded.documents);
  const { catalogue } = loaded.workspace;
  const found = [
    ...loaded.problems,
    ...problems,
    ...readMigrations(loaded).problems,
    ...ruleProblems,
    ...readTests(loaded.documents).problems,
    ...rules.flatMap((rule) => [...inExceptions(rule, catalogue), ...inExpression(rule, catalogue)]),
    ...duplicateNames("duplicate-policy", "a policy", all),
    ...namedProjectProblems(policies),
    ...globProblems(policies),
    ...layerWarnings(policies),
    ...(today === "" ? [] : expiryProblems(all, rules, today)),
    ...providerProblems(policies, loaded.providers, loaded.settings),
  ];
  // Without settings, for example in an empty file, the server is unknown, so nothing can be checked for it.
  const errors = loaded.problems.filter(({ severity }) => severity === "error");
  const isUnknown = !loaded.settings && errors.some(({ place }) => place?.file === workspaceFile);
  // A mistake that affects several projects is reported once, at its position.
  return {
    policies,
    expired,
    rules,
    plaintext,
    problems: sortedProblems(isUnknown ? loaded.problems : found).map(({ project: _, ...problem }) => problem),
  };
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ severity }) => severity === "error");
}

function namedProjectProblems(policies: readonly Policy[]): readonly Problem[] {
  const partial = needsLookup(policies);
  const defining = definitions(policies);
  return namedProjects(policies).flatMap((project) => {
    const layers = matchingLayers(policies, project);
    // A single policy without interpolations has no ties, and no problems that depend on the project.
    if (layers.length < 2 && layers.every(({ policy }) => !policy.hasTemplates)) return [];
    const elsewhere = partial ? definedOutside(layers, defining, (policy) => mayAlsoMatch(policy, project)) : undefined;
    return merge(rulingOf(layers), placeholderOf(project), elsewhere).problems;
  });
}

/** True if a policy may match a project under its other name, which only the server knows. */
function mayAlsoMatch({ projects, where }: Policy, { path }: Project): boolean {
  return where !== undefined || projects.some(({ form }) => (path === undefined ? form !== "id" : form === "id"));
}

/** The projects of a glob are not known yet, but policies with the same glob certainly match the same projects. */
function globProblems(policies: readonly Policy[]): readonly Problem[] {
  const defining = definitions(policies);
  return [...layersByGlob(policies).values()].flatMap((layers) => {
    return merge(
      rulingOf(layers),
      placeholderOf({ name: ownerName(layers[0]?.policy.of ?? "project", "") }),
      definedOutside(layers, defining),
    ).problems.map((problem) => ({ ...problem, project: "" }));
  });
}

/**
 * The policies of each glob, in lower case, to check unknown projects. With `where`, any selector represents unknown
 * projects, and only policies with the same condition certainly match the same ones.
 */
export function layersByGlob(policies: readonly Policy[]): ReadonlyMap<string, readonly Layer[]> {
  const groups = new Map<string, Map<Policy, Layer>>();
  for (const policy of policies) {
    const { where, projects } = policy;
    for (const selector of projects) {
      if (selector.form !== "glob" && !where) continue;
      const name = `${selector.written.toLowerCase()}${where ? ` where ${where.text.trim().replace(/\s+/g, " ")}` : ""}`;
      const group = groups.get(name) ?? new Map<Policy, Layer>();
      groups.set(name, group.set(policy, { policy, literal: literalOf(selector) }));
    }
  }
  return new Map([...groups].map(([glob, layers]) => [glob, [...layers.values()].sort(compareLayers)]));
}

type Definitions = ReadonlyMap<string, readonly Policy[]>;

function definitions(policies: readonly Policy[]): Definitions {
  const found = policies.flatMap((policy) => policy.vars.map(({ name }) => ({ name, policy })));
  return groupedAs(found, ({ name, policy }) => [name, policy]);
}

/** True if a policy that may match too, once projects are known, sets the variable to another value. */
function definedOutside(
  layers: readonly Layer[],
  defining: Definitions,
  mayMatch: (policy: Policy) => boolean = () => true,
): (variable: string) => boolean {
  const inside = new Set(layers.map(({ policy }) => policy));
  const isOutside = (policy: Policy) => !inside.has(policy) && mayMatch(policy);
  return memoized((variable) => (defining.get(variable) ?? []).some(isOutside));
}

/** Names of other dialects, which match nothing. */
function inExceptions({ except, document }: PlanRule, catalogue: Catalogue): readonly Problem[] {
  return except.flatMap((glob, index) => {
    const why = foreignGlob(glob, catalogue);
    return why ? [problemAt("unknown-integration", why, { document, path: ["except", index] })] : [];
  });
}

/** Names of other dialects in strings. Only a warning: one may be compared with something other than a slug. */
function inExpression({ when, document }: PlanRule, catalogue: Catalogue): readonly Problem[] {
  return [...when.matchAll(/(["'])([a-z0-9-]+)\1/g)].flatMap(({ index, 2: text = "" }): Problem[] => {
    const why = foreignSlug(text, catalogue);
    if (!why) return [];
    const place = document.within(["when"], when, index + 1);
    return [{ ...problemAt("unknown-integration", why, { document, path: ["when"] }), severity: "warning", place }];
  });
}

/**
 * Problems of references to undefined providers, and of the providers file if a reference needs it. Without such a file,
 * only likely misspellings are reported.
 */
function providerProblems(
  policies: readonly Policy[],
  providers: Providers | undefined,
  settings?: Document,
): Problem[] {
  const uses = [...policies.flatMap(listUses), ...(settings ? notifyUses(settings) : [])];
  if (uses.length === 0) return [];
  const broken = providers?.problems.some(({ severity }) => severity === "error");
  return [...(providers?.problems ?? []), ...(broken ? [] : uses.flatMap((use) => checkProvider(use, providers)))];
}

interface Use {
  readonly scheme: string;
  readonly document: Document;
  readonly path: Path;
}

function listUses({ entries }: Policy): Use[] {
  const found: Use[] = [];
  for (const { desired, document, path, written } of entries) {
    if (!written) continue;
    for (const name of Object.keys(desired.fields)) {
      const value = desired.fields[name];
      if (value === undefined || isScalar(value)) continue;
      const provided = referencesWithin(value).filter(({ secret }) => isProvided(secret));
      const inside = isReference(value) ? [name, "secret"] : [name];
      for (const { secret } of provided) found.push({ ...schemeOf(secret), document, path: [...path, ...inside] });
    }
  }
  return found;
}

function notifyUses(document: Document): Use[] {
  const provided = notifyReferences(document).filter(({ secret }) => isProvided(secret));
  return provided.map(({ secret, path }) => ({ ...schemeOf(secret), document, path }));
}

function checkProvider({ scheme, ...at }: Use, providers: Providers | undefined): Problem[] {
  if (providers?.known.has(scheme)) return [];
  const unknown = `no provider ${scheme} is defined`;
  const words = builtInSchemes.filter((word) => word !== "manifest");
  if (providers) {
    const meant = didYouMean(scheme, [...providers.known.keys(), ...words]);
    return [problemAt("secret-provider", `${unknown} in the file that EVENKEEL_SECRET_PROVIDERS names${meant}`, at)];
  }
  const meant = nearest(scheme, words);
  if (meant === undefined) return [];
  const problem = problemAt("secret-provider", `${unknown} here; did you mean ${meant}?`, at);
  return [{ ...problem, severity: "warning" }];
}
