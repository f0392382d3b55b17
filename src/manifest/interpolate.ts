import { memoized } from "../base/memoize.ts";
import { bareName, describeOwner } from "../model/owner.ts";
import type { Desired, Problem, SecretReference, Value } from "../model/types.ts";
import { isList, isReference, isScalar } from "../model/values.ts";
import { lineOfField, type PolicyEntry } from "./entries.ts";
import { problemAt } from "./problem.ts";
import { interpolatedResource, keyProblems } from "./resource-fields.ts";
import { isPlainPath, referenceFault } from "./secret-reference.ts";
import { isTemplate } from "./template.ts";
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
  const named = isTemplate(entry.desired.key) ? withKey(entry, scope) : { desired: entry.desired, problems: none };
  const { desired } = named;
  const { written, templates } = entry;
  if (!written || templates.length === 0) return named;
  const fields: Record<string, Value> = { ...desired.fields };
  const problems: Problem[] = [...named.problems];
  for (const { name, spot } of spotsOf(entry)) {
    const value = fillValue(desired.fields[name] ?? null, spot, { scope, problems });
    if (value !== undefined) fields[name] = value;
    else delete fields[name];
  }
  const { setBy } = entry;
  const checked = interpolatedResource(written, templates, fields, (name) => setBy?.get(name)?.written ?? written);
  return { desired: { ...desired, fields: checked.fields }, problems: [...problems, ...checked.problems] };
}

const none: readonly Problem[] = [];

/** Interpolates the key of an entry, and checks it. Without a value it stays as it is written. */
export function withKey(entry: PolicyEntry, scope: VariableScope): Filled {
  const { desired, written, document, path } = entry;
  const resolved = scope.interpolate(desired.key, { document, path });
  if (typeof resolved === "string") return { desired, problems: none };
  const { keys, ...named } = entry.keyed(String(resolved.value));
  const own = written ? keyProblems({ ...written, keys }) : none;
  const empty = problemAt("wrong-value", "the key has no text once its variables have values", {
    document,
    path,
    of: "key",
  });
  return { desired: { ...desired, ...named }, problems: named.key === "" ? [empty] : own };
}

type Spot = Parameters<VariableScope["interpolate"]>[1];

/** The fields that are still to be interpolated, and where they stand: the same for every project. */
const spotsOf = memoized(
  (entry: PolicyEntry) =>
    entry.templates.map((name): { name: string; spot: Spot } => ({ name, spot: lineOfField(entry, name) })),
  new WeakMap(),
);

interface Filling {
  readonly scope: VariableScope;
  readonly problems: Problem[];
}

/** Undefined where any part of it has no value. */
function fillValue(value: Value, spot: Spot, filling: Filling): Value | undefined {
  if (isReference(value)) return fillReference(value, { ...spot, path: [...spot.path, "secret"] }, filling);
  if (isTemplate(value)) {
    const resolved = filling.scope.interpolate(value, spot);
    return typeof resolved === "string" ? undefined : resolved.value;
  }
  if (isScalar(value)) return value;
  const below = (part: string | number) => ({ ...spot, path: [...spot.path, part] });
  const parts = isList(value)
    ? value.map((each, index) => [index, fillValue(each, below(index), filling)] as const)
    : Object.entries(value).map(([name, each]) => [name, fillValue(each, below(name), filling)] as const);
  if (parts.some(([, each]) => each === undefined)) return undefined;
  return (isList(value) ? parts.map(([, each]) => each) : Object.fromEntries(parts)) as Value;
}

/** Only the names of secrets are interpolated, because no variable can contain a secret (docs/state.md). */
function fillReference(
  reference: SecretReference,
  spot: Spot,
  { scope: { project, interpolate }, problems }: Filling,
): Value | undefined {
  if (!isTemplate(reference.secret)) return reference;
  const resolved = interpolate(reference.secret, spot);
  if (typeof resolved === "string") return undefined;
  const secret = String(resolved.value);
  const fault =
    project.path === undefined || isPlainPath(bareName(project.path))
      ? referenceFault(secret)
      : `the path of ${describeOwner(project.path)} cannot stand in a secret reference: only letters, digits, _, - and . can`;
  if (fault === undefined) return { ...reference, secret };
  problems.push(problemAt("secret-reference", fault, spot));
  return undefined;
}
