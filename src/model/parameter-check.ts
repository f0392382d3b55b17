import { expectedWords, isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { type Catalogue, catalogueOf, type Integration, type IntegrationParameter, isRequiredAt } from "./catalogue.ts";
import type { ParameterType } from "./integration.ts";

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
export function parameterFaults(integration: Integration, given: JsonObject, release?: string): ParameterFault[] {
  const { slug, parameters } = integration;
  const faults: ParameterFault[] = [];
  for (const name of Object.keys(given)) {
    const parameter = parameters.get(name);
    if (!parameter) faults.push({ parameter: name, fault: "unknown", expected: `a parameter of ${slug}` });
    else {
      const fault = given[name] === undefined ? undefined : valueFault(parameter, given[name]);
      if (fault) faults.push(fault);
    }
  }
  for (const parameter of listRequired(integration))
    if (given[parameter.name] === undefined && isRequiredAt(parameter, release))
      faults.push({ parameter: parameter.name, fault: "missing", expected: expectationOf(parameter) });
  if (faults.length < 2) return faults;
  const order = [...parameters.keys()];
  const rank = ({ fault, parameter }: ParameterFault) =>
    fault === "unknown" ? order.length : order.indexOf(parameter);
  return faults.sort((a, b) => rank(a) - rank(b));
}

const listRequired = memoized(
  ({ parameters }: Integration) => [...parameters.values()].filter(({ isRequired }) => isRequired),
  new WeakMap(),
);

function valueFault(parameter: IntegrationParameter, value: unknown): ParameterFault | undefined {
  const { name, types, enum: allowed, pattern } = parameter;
  const faultOf = (fault: FaultKind, bound = ""): ParameterFault => {
    return { parameter: name, fault, expected: `${expectationOf(parameter)}${bound}` };
  };
  if (!types.some((type) => isOfType[type](value))) return faultOf("type");
  if (typeof value === "number") {
    const { minimum, maximum } = exactIntegers;
    if (value < minimum) return faultOf("type", ` of at least ${minimum}`);
    if (value > maximum) return faultOf("type", ` of at most ${maximum}`);
  }
  if (typeof value === "string" && pattern !== undefined && !new RegExp(pattern, "u").test(value))
    return faultOf("pattern");
  return allowed && !(allowed as readonly unknown[]).includes(value) ? faultOf("enum") : undefined;
}

const isOfType: Readonly<Record<ParameterType, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  integer: Number.isInteger,
  number: Number.isFinite,
  array: Array.isArray,
  object: isObject,
};

/**
 * Faults in an integration's parameters by the checks of the API. @throws RangeError if the catalogue does not have the
 * slug.
 */
export function checkParameters(
  slug: string,
  parameters: JsonObject,
  catalogue: Catalogue = catalogueOf(),
): ParameterFault[] {
  const integration = catalogue.integrations.get(slug);
  if (!integration) throw new RangeError(`unknown slug ${slug}`);
  return parameterFaults(integration, parameters);
}

/** Larger numbers are rounded when parsed from YAML or JSON, and may differ from what was written. */
export const exactIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** Completes "expected …" for the values of a parameter. */
export function expectationOf(parameter: IntegrationParameter): string {
  const words = expectedWords(parameter.types, parameter.enum) ?? "";
  return parameter.pattern && !parameter.enum ? `${words} that contains ${parameter.pattern}` : words;
}
