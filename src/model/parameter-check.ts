import type { JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { compile, type SchemaCheck, type SchemaFault } from "../base/schema.ts";
import { expectedWords } from "../base/type-words.ts";
import { catalogueOf, type Integration, type IntegrationParameter, isRequired } from "./catalogue.ts";

export type FaultKind = "missing" | "unknown" | "type" | "enum" | "pattern";

/** An error in one parameter. `expected` completes "expected …" and never contains the given value. */
export interface ParameterFault {
  readonly parameter: string;
  readonly fault: FaultKind;
  readonly expected: string;
}

/**
 * Checks parameters by the specification: required, unknown, type, enum, `:id` pattern. Returns at most one fault per
 * parameter, in the order of the specification, with unknown parameters last. Parameters that servers of the release do not
 * require may be missing.
 */
export function parameterFaults(integration: Integration, parameters: JsonObject, release?: string): ParameterFault[] {
  const faults = checkOf(integration)(parameters).map((fault) => faultOf(integration, fault));
  if (faults.length === 0) return [];
  const order = [...integration.parameters.keys()];
  const rank = (fault: ParameterFault) => (fault.fault === "unknown" ? order.length : order.indexOf(fault.parameter));
  return faults
    .filter(({ parameter, fault }) => fault !== "missing" || isNeeded(integration, parameter, release))
    .sort((a, b) => rank(a) - rank(b));
}

function isNeeded({ parameters }: Integration, name: string, release: string | undefined): boolean {
  const parameter = parameters.get(name);
  return parameter !== undefined && isRequired(parameter, release);
}

/** The faults of these parameters alone, of those that have a value. */
export function valueFaults(
  integration: Integration,
  parameters: JsonObject,
  names: readonly string[],
): ParameterFault[] {
  return names.flatMap((name) => {
    const parameter = integration.parameters.get(name);
    if (!parameter || parameters[name] === undefined) return [];
    return valueCheckOf(parameter)(parameters[name]).map((fault) => faultOf(integration, { ...fault, path: [name] }));
  });
}

const valueCheckOf = memoized(
  (parameter: IntegrationParameter): SchemaCheck => compile(apiSchema(parameter)),
  new WeakMap(),
);

/** The same for an integration given by its slug. @throws RangeError if the catalogue does not have it. */
export function checkParameters(slug: string, parameters: JsonObject, catalogue = catalogueOf()): ParameterFault[] {
  const integration = catalogue.integrations.get(slug);
  if (!integration) throw new RangeError(`unknown slug ${slug}`);
  return parameterFaults(integration, parameters);
}

const checkOf = memoized((integration: Integration): SchemaCheck => {
  const parameters = [...integration.parameters.values()];
  return compile({
    type: "object",
    additionalProperties: false,
    required: parameters.filter((p) => p.required).map((p) => p.name),
    properties: Object.fromEntries(parameters.map((p) => [p.name, apiSchema(p)])),
  });
}, new WeakMap());

function apiSchema({ types, enum: allowed, pattern }: IntegrationParameter): object {
  return { type: [...types], ...exactIntegers, ...(allowed && { enum: allowed }), ...(pattern && { pattern }) };
}

/** Larger numbers are rounded when parsed from YAML or JSON, and may differ from what was written. */
const exactIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

const faultKinds: Readonly<Record<string, FaultKind>> = {
  required: "missing",
  additionalProperties: "unknown",
  minimum: "type",
  maximum: "type",
};

function faultOf({ slug, parameters }: Integration, { keyword, path }: SchemaFault): ParameterFault {
  const parameter = String(path[0]);
  const fault = faultKinds[keyword] ?? (keyword as FaultKind);
  const wanted = `${expectationOf(parameters.get(parameter))}${bounds[keyword] ?? ""}`;
  return { parameter, fault, expected: fault === "unknown" ? `a parameter of ${slug}` : wanted };
}

const bounds: Readonly<Record<string, string>> = {
  minimum: ` of at least ${exactIntegers.minimum}`,
  maximum: ` of at most ${exactIntegers.maximum}`,
};

/** Completes "expected …" for the values of a parameter. */
export function expectationOf(parameter: IntegrationParameter | undefined): string {
  if (!parameter) return "a known parameter";
  const words = expectedWords(parameter.types, parameter.enum) ?? "";
  return parameter.pattern && !parameter.enum ? `${words} that contains ${parameter.pattern}` : words;
}
