import equal from "fast-deep-equal";
import { type Integration, type IntegrationParameter, isRequiredAt, quirksAt } from "../../model/catalogue.ts";
import { comparable, comparableScalar, typesOf, wireValue } from "../../model/field-meaning.ts";
import { fieldCheck } from "../../model/kind-schema.ts";
import { expectationOf } from "../../model/parameter-check.ts";
import type { FieldSchema } from "../../model/resource-kind.ts";
import type { Fields, Live, Plain, Scalar, Value } from "../../model/types.ts";
import { inlineText, isList, isReference, isScalar } from "../../model/values.ts";
import { blank, type ImportedEntry } from "./policy.ts";

/** A resource as a policy declares it, or a sentence on why no policy can. */
export type ImportedResource = { readonly entry: ImportedEntry } | { readonly left: string };

/**
 * An active integration as a policy would declare it without a difference: every reported parameter that is set and not
 * at its default, deprecated ones in their new form, and blanks for required ones that are not reported.
 */
export function importIntegration(integration: Integration, live: Live, release: string): ImportedResource {
  const { parameters } = integration;
  const reported: Fields = parameters.has("active") ? { ...live.fields, active: live.active } : live.fields;
  const spelled = [...parameters].flatMap(([name, parameter]): [string, Plain][] => {
    const value = spelledAs(parameter, reported[name], release);
    return value === undefined ? [] : [[name, value]];
  });
  const { values, remarks } = replaceDeprecated(parameters, new Map(spelled), live.fields);
  const fields = new Map<string, Value>();
  const defaults = new Map<string, Value>();
  const faulty: string[] = [];
  const hidden: string[] = [];
  for (const [name, parameter] of parameters) {
    const [value, current] = [values.get(name), reported[name]];
    if (value !== undefined && isPossible(parameter, value)) fields.set(name, value);
    else if (isRequiredAt(parameter, release)) {
      if (!parameter.types.includes("string"))
        return { left: `${live.key} is left out: ${name} is required and not reported` };
      const unsecret = value === undefined ? "required, not reported" : "the value on the server is not valid";
      fields.set(name, blank(parameter.secret ? "a secret" : unsecret));
    } else {
      if (value !== undefined) faulty.push(describeFault(parameter, value));
      const standard = parameter.secret || parameter.deprecated ? undefined : declarableDefault(parameter, current);
      if (standard !== undefined) defaults.set(name, standard);
      const isHidden = parameter.secret || quirksAt(parameter, release).has("hidden");
      if (isHidden && live.fields[name] === undefined) hidden.push(name);
    }
  }
  const unknown = hidden.length > 0 ? [`not reported, may be set: ${hidden.join(", ")}`] : [];
  const { kind, key } = live;
  return { entry: { kind, key, fields, defaults, remarks: [...remarks, ...faulty, ...unknown] } };
}

/** A reported value that is omitted as a default, if a policy can declare it; an unset text is empty. */
export function declarableDefault(field: FieldSchema, value: Value | undefined): Plain | undefined {
  if (value === undefined || isReference(value)) return undefined;
  const isTyped = value === null || (isScalar(value) && ["boolean", "integer"].includes(typesOf(field)[0] ?? ""));
  const stated = isTyped ? comparable(field, value) : value;
  return stated === null || !isPossible(field, stated) ? undefined : stated;
}

/** True if a policy can declare the live value: servers may have others. */
export function isPossible(field: FieldSchema, value: Value | undefined): boolean {
  if (value === undefined || isReference(value)) return true;
  return fieldCheck(field)(wireValue(field, value)).length === 0;
}

/**
 * The value in the type of its parameter; undefined if it is unset, if omitting it has the same meaning, and for lists
 * and mappings that the parameter cannot have.
 */
function spelledAs(parameter: IntegrationParameter, value: Value | undefined, release: string): Plain | undefined {
  const { types, route } = parameter;
  // The value that servers assume for an event flag that was never set.
  const unset = route && "unset" in route && !quirksAt(parameter, release).has("required") ? route.unset : undefined;
  const { default: standard = unset } = parameter;
  if (value === undefined || isReference(value)) return undefined;
  if (!isScalar(value)) return types.includes("array") && isList(value) && value.length > 0 ? value : undefined;
  const normalised = (one: Scalar) => comparableScalar(parameter, one);
  if (value === null || value === "" || normalised(value) === "") return undefined;
  if (standard !== undefined && normalised(standard) === normalised(value)) return undefined;
  return types[0] === "string" ? String(value) : normalised(value);
}

/** Repeats a value only if it cannot contain a secret. */
function describeFault(parameter: IntegrationParameter, value: Value): string {
  const isClosed = !parameter.secret && (parameter.enum || !parameter.types.includes("string"));
  const got = isClosed ? `the server has ${JSON.stringify(value)}` : "the server has another value";
  return `${parameter.name} is left out: expected ${expectationOf(parameter)}, ${got}`;
}

/**
 * Replaces deprecated parameters, with a remark for each that has no replacement. If the server reports the replacement
 * with another value, that value is kept and the deprecated parameter is left out.
 */
export function replaceDeprecated(
  parameters: ReadonlyMap<string, IntegrationParameter>,
  reported: ReadonlyMap<string, Value>,
  live: Fields,
): { readonly values: ReadonlyMap<string, Value>; readonly remarks: readonly string[] } {
  const values = new Map(reported);
  const remarks: string[] = [];
  for (const [name, value] of reported) {
    const old = parameters.get(name);
    if (!old?.deprecated || isReference(value)) continue;
    values.delete(name);
    const replacement = [...parameters.values()].find(
      ({ deprecated, route }) => !deprecated && route?.role === "branches",
    );
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
function replacementValue(old: IntegrationParameter, value: Plain, { route }: IntegrationParameter) {
  if (route?.role !== "branches" || old.route?.role !== "branches") return undefined;
  const reach = old.route.reach[inlineText(value)];
  return Object.keys(route.reach).find((newValue) => equal(route.reach[newValue], reach));
}
