import equal from "fast-deep-equal";
import { type Integration, type IntegrationParameter, isRequiredAt, quirksAt } from "../../model/catalogue.ts";
import { comparableScalar } from "../../model/field-meaning.ts";
import { type ParameterFault, parameterFaults } from "../../model/parameter-check.ts";
import type { Fields, Live, Plain, Scalar, Value } from "../../model/types.ts";
import { inlineText, isList, isReference, isScalar } from "../../model/values.ts";
import type { ImportedEntry, ImportedValue } from "./policy.ts";

/** An integration as a policy declares it, or a sentence on why no policy can. */
export type ImportedIntegration = { readonly entry: ImportedEntry } | { readonly left: string };

type Parameters = ReadonlyMap<string, IntegrationParameter>;

/**
 * An active integration as a policy would declare it without a difference: every reported parameter that is set and not
 * at its default, deprecated ones in their new form, and blanks for required ones that are not reported.
 */
export function importIntegration(integration: Integration, live: Live, release: string): ImportedIntegration {
  const { parameters } = integration;
  const { values, remarks } = replaceDeprecated(parameters, reportedValues(parameters, live, release), live.fields);
  const faults = parameterFaults(integration, Object.fromEntries(values), release);
  const required = faults.filter(({ parameter }) => isNeeded(parameters.get(parameter), release));
  const unwritable = required.find(({ parameter }) => !parameters.get(parameter)?.types.includes("string"));
  if (unwritable) return { left: `${live.key} is left out: ${unwritable.parameter} is required and not reported` };
  const optional = faults.filter((fault) => !required.includes(fault));
  const reported = [...remarks, ...optional.map((fault) => describeFault(fault, parameters, values))];
  const fields = orderFields(parameters, values, faults, release);
  return {
    entry: {
      kind: live.kind,
      key: live.key,
      fields,
      defaults: listDefaults(integration, fields, live),
      remarks: [...reported, ...describeHidden(parameters, live, fields, release)],
    },
  };
}

function liveFields(parameters: Parameters, live: Live): Fields {
  return parameters.has("active") ? { ...live.fields, active: live.active } : live.fields;
}

function reportedValues(parameters: Parameters, live: Live, release: string): Map<string, Plain> {
  const values = new Map<string, Plain>();
  const fields = liveFields(parameters, live);
  for (const [name, parameter] of parameters) {
    const value = fields[name];
    if (value === undefined || isUnset(value)) continue;
    const spelled = isScalar(value) ? spelledAs(parameter, value, release) : toList(parameter, value);
    if (spelled !== undefined) values.set(name, spelled);
  }
  return values;
}

/** The reported values that are omitted as defaults, if a policy can declare them; an unset text is empty. */
function listDefaults(
  integration: Integration,
  declared: ReadonlyMap<string, ImportedValue>,
  live: Live,
): ReadonlyMap<string, ImportedValue> {
  const { parameters } = integration;
  const fields = liveFields(parameters, live);
  const values = [...parameters].flatMap(([name, parameter]): [string, Plain][] => {
    const value = fields[name];
    if (value === undefined || isReference(value) || declared.has(name) || parameter.secret || parameter.deprecated)
      return [];
    const isText = parameter.types[0] === "string" && value !== null;
    return [[name, isScalar(value) ? (isText ? String(value) : comparableScalar(parameter, value)) : value]];
  });
  const faulty = new Set(parameterFaults(integration, Object.fromEntries(values)).map(({ parameter }) => parameter));
  return new Map(values.filter(([name]) => !faulty.has(name)).map(([name, value]) => [name, { form: "value", value }]));
}

function isUnset(value: Value): boolean {
  return value === null || value === "" || (isList(value) && value.length === 0);
}

/** Returns lists unchanged; undefined for other values that no parameter can have. */
function toList({ types }: IntegrationParameter, value: Value): Plain | undefined {
  return types.includes("array") && isList(value) && !isReference(value) ? value : undefined;
}

/** The value in the type of its parameter; undefined if omitting it has the same meaning. */
function spelledAs(parameter: IntegrationParameter, value: Scalar, release: string) {
  const { types, default: standard = findUnset(parameter, release) } = parameter;
  const normalised = (one: Scalar) => comparableScalar(parameter, one);
  const [type] = types;
  if (normalised(value) === "" || (standard !== undefined && normalised(standard) === normalised(value)))
    return undefined;
  return type === "string" ? String(value) : normalised(value);
}

/** The value that servers assume for an event flag that was never set. */
function findUnset(parameter: IntegrationParameter, release: string): Scalar | undefined {
  const { route } = parameter;
  return route && "unset" in route && !quirksAt(parameter, release).has("required") ? route.unset : undefined;
}

/** Fields in the catalogue's order; required ones without a valid value are blanks. */
function orderFields(
  parameters: Parameters,
  values: ReadonlyMap<string, Plain>,
  faults: readonly ParameterFault[],
  release: string,
): ReadonlyMap<string, ImportedValue> {
  const faulty = new Set(faults.map(({ parameter }) => parameter));
  const fields = new Map<string, ImportedValue>();
  for (const [name, parameter] of parameters) {
    const value = values.get(name);
    if (value !== undefined && !faulty.has(name)) fields.set(name, { form: "value", value });
    else if (isRequiredAt(parameter, release))
      fields.set(name, { form: "blank", why: describeBlank(parameter.secret, value), reference: "" });
  }
  return fields;
}

function isNeeded(parameter: IntegrationParameter | undefined, release: string): boolean {
  return parameter !== undefined && isRequiredAt(parameter, release);
}

function describeBlank(secret: boolean, value: Plain | undefined): string {
  if (secret) return "set this: a secret";
  return value === undefined ? "set this: required, not reported" : "set this: the value on the server is not valid";
}

/** Repeats a value only if it cannot contain a secret. */
function describeFault(
  { parameter: name, expected }: ParameterFault,
  parameters: Parameters,
  values: ReadonlyMap<string, Plain>,
) {
  const parameter = parameters.get(name);
  const closed = parameter && !parameter.secret && (parameter.enum || !parameter.types.includes("string"));
  const got = closed ? `the server has ${JSON.stringify(values.get(name))}` : "the server has another value";
  return `${name} is left out: expected ${expected}, ${got}`;
}

/** Parameters that servers do not report, and that may be set. */
function describeHidden(
  parameters: Parameters,
  live: Live,
  fields: ReadonlyMap<string, ImportedValue>,
  release: string,
): readonly string[] {
  const unreported = [...parameters.values()].filter(
    (parameter) =>
      (parameter.secret || quirksAt(parameter, release).has("hidden")) &&
      !fields.has(parameter.name) &&
      live.fields[parameter.name] === undefined,
  );
  return unreported.length > 0 ? [`not reported, may be set: ${unreported.map(({ name }) => name).join(", ")}`] : [];
}

type Values = ReadonlyMap<string, Plain>;

/** Values without deprecated parameters, with a remark for each that had no replacement. */
export interface WithoutDeprecated {
  readonly values: Values;
  readonly remarks: readonly string[];
}

/**
 * Replaces deprecated parameters. If the server reports the replacement
 * with another value, that value is kept and the deprecated parameter is left out.
 */
export function replaceDeprecated(
  parameters: ReadonlyMap<string, IntegrationParameter>,
  reported: Values,
  live: Fields,
): WithoutDeprecated {
  const values = new Map(reported);
  const remarks: string[] = [];
  for (const [name, value] of reported) {
    const old = parameters.get(name);
    if (!old?.deprecated) continue;
    values.delete(name);
    const replacement = [...parameters.values()].find((other) => replaces(other, old));
    const newValue = replacement && replacementValue(old, value, replacement);
    const reportedValue = replacement && live[replacement.name];
    if (replacement && newValue !== undefined && (reportedValue === undefined || reportedValue === newValue))
      values.set(replacement.name, newValue);
    else
      remarks.push(
        `${name}: ${inlineText(value)} is deprecated (${old.deprecationMessage ?? "deprecated"}) and left out`,
      );
  }
  return { values, remarks };
}

/** Two parameters that select the branches for notifications are the same setting. */
function replaces(other: IntegrationParameter, old: IntegrationParameter): boolean {
  return !other.deprecated && other.route?.role === "branches" && old.route?.role === "branches";
}

function replacementValue(
  old: IntegrationParameter,
  value: Plain,
  { route }: IntegrationParameter,
): string | undefined {
  if (route?.role !== "branches" || old.route?.role !== "branches") return undefined;
  const reach = old.route.reach[inlineText(value)];
  return Object.keys(route.reach).find((newValue) => equal(route.reach[newValue], reach));
}
