import { variablesIn } from "../manifest/deciding-lines.ts";
import type { PolicyEntry } from "../manifest/entries.ts";
import type { Policy, Variable } from "../manifest/policies.ts";
import { decidingVariables } from "../manifest/precedence.ts";
import { matchingLayers } from "../manifest/selection.ts";
import { isOwn } from "./edit-targets.ts";
import { type Manifests, policyOf, type ResourceRef } from "./manifests.ts";

/** The variable, followed through other variables, whose value a parameter is; undefined for any other expression. */
export function decidingVariable(
  entry: PolicyEntry | undefined,
  manifests: Manifests,
  { project }: ResourceRef,
  name: string,
): Variable | undefined {
  const { winners: vars } = decidingVariables(matchingLayers(manifests.policies, project));
  const seen = new Set<Variable>();
  let found = variableIn(entry?.written?.parameters[name], vars);
  for (let next = found; next && !seen.has(next); next = variableIn(next.value, vars)) {
    seen.add(next);
    found = next;
  }
  return found;
}

function variableIn(value: unknown, vars: ReadonlyMap<string, Variable>): Variable | undefined {
  const [name] = variablesIn(value);
  return name !== undefined && /^\$\{[^}]*\}$/.test(String(value)) ? vars.get(name) : undefined;
}

/** Whether no policy for another project sets or uses a variable. */
export function isUsedAlone(manifests: Manifests, variable: Variable, { project }: ResourceRef): boolean {
  const policy = policyOf(manifests, variable);
  if (policy && isOwn(policy, project)) return true;
  return manifests.policies.every((each) => isOwn(each, project) || !mentions(each, variable.name));
}

function mentions({ vars, entries }: Policy, name: string): boolean {
  const values = [
    ...vars.map(({ value }) => value),
    ...entries.flatMap(({ written }) => Object.values(written?.parameters ?? {})),
  ];
  return values.some((value) => variablesIn(value).includes(name));
}
