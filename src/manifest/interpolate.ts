import { memoized } from "../base/memoize.ts";
import { bareName, describeOwner } from "../model/owner.ts";
import { valueFaults } from "../model/parameter-check.ts";
import type { Desired, Problem, SecretReference, Value } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import type { PolicyEntry } from "./entries.ts";
import { parameterProblem, type WrittenIntegration } from "./parameters.ts";
import { problemAt } from "./problem.ts";
import { isPlainPath, referenceFault } from "./secret-reference.ts";
import type { VariableScope } from "./variable-scope.ts";

interface Filled {
  readonly desired: Desired;
  readonly problems: readonly Problem[];
}

/**
 * Interpolates the fields of an entry and checks their types. Fields without a value are omitted, but the entry is kept,
 * because otherwise its resource would count as not listed.
 */
export function fill(entry: PolicyEntry, scope: VariableScope): Filled {
  const { desired, written, templates } = entry;
  if (!written || templates.length === 0) return { desired, problems: [] };
  const fields: Record<string, Value> = { ...desired.fields };
  const problems: Problem[] = [];
  for (const { name, spot } of spotsOf(entry)) {
    const filled = fillField(desired.fields[name], spot, scope);
    if (filled && "fault" in filled) problems.push(filled.fault);
    if (filled && "value" in filled) fields[name] = filled.value;
    else delete fields[name];
  }
  return { desired: { ...desired, fields }, problems: [...problems, ...faultsOf(written, templates, fields)] };
}

type Spot = Parameters<VariableScope["interpolate"]>[1];

/** The fields that are still to be interpolated, and where they stand: the same for every project. */
const spotsOf = memoized(
  ({ document, path, templates }: PolicyEntry) =>
    templates.map((name): { name: string; spot: Spot } => ({ name, spot: { document, path: [...path, name] } })),
  new WeakMap(),
);

type FilledField = { readonly value: Value } | { readonly fault: Problem } | undefined;

function fillField(field: Value | undefined, spot: Spot, scope: VariableScope): FilledField {
  if (isReference(field)) return fillReference(field, { ...spot, path: [...spot.path, "secret"] }, scope);
  const resolved = scope.interpolate(String(field), spot);
  return typeof resolved === "string" ? undefined : resolved;
}

/** Only the names of secrets are interpolated, because no variable can contain a secret (docs/state.md). */
function fillReference(reference: SecretReference, spot: Spot, { project, interpolate }: VariableScope): FilledField {
  const resolved = interpolate(reference.secret, spot);
  if (typeof resolved === "string") return undefined;
  const secret = String(resolved.value);
  const fault =
    project.path === undefined || isPlainPath(bareName(project.path))
      ? referenceFault(secret)
      : `the path of ${describeOwner(project.path)} cannot stand in a secret reference: only letters, digits, _, - and . can`;
  return fault === undefined
    ? { value: { ...reference, secret } }
    : { fault: problemAt("secret-reference", fault, spot) };
}

function faultsOf(
  written: WrittenIntegration,
  templates: readonly string[],
  fields: Readonly<Record<string, Value>>,
): readonly Problem[] {
  return valueFaults(written.integration, fields, templates)
    .filter(({ parameter }) => !isReference(fields[parameter]))
    .map((fault) => parameterProblem(fault, written, fields));
}
