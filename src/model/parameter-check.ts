import { expectedWords, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { compile, type SchemaCheck, type SchemaFault } from "../base/schema.ts";
import { type Catalogue, catalogueOf, type Integration, type IntegrationParameter, isRequiredAt } from "./catalogue.ts";

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
    else if (given[name] !== undefined) faults.push(...checkValue(parameter, given[name]));
  }
  for (const parameter of listRequired(integration))
    if (given[parameter.name] === undefined && isRequiredAt(parameter, release))
      faults.push({ parameter: parameter.name, fault: "missing", expected: expectationOf(parameter) });
  return faults.length < 2 ? faults : sortFaults(integration, faults);
}

const listRequired = memoized(
  ({ parameters }: Integration) => [...parameters.values()].filter(({ isRequired }) => isRequired),
  new WeakMap(),
);

function sortFaults({ parameters }: Integration, faults: readonly ParameterFault[]): ParameterFault[] {
  const order = [...parameters.keys()];
  const rank = ({ fault, parameter }: ParameterFault) =>
    fault === "unknown" ? order.length : order.indexOf(parameter);
  return faults.toSorted((a, b) => rank(a) - rank(b));
}

function checkValue(parameter: IntegrationParameter, value: unknown): readonly ParameterFault[] {
  const faults = checkOf(parameter)(value);
  return faults.length === 0 ? none : faults.map((fault) => toFault(parameter, fault));
}

const none: readonly ParameterFault[] = [];

const checkOf = memoized(
  (parameter: IntegrationParameter): SchemaCheck => checkBy(JSON.stringify(parameterSchema(parameter))),
  new WeakMap(),
);

/** Cached by schema: many parameters share one. */
const checkBy = memoized((schema: string): SchemaCheck => compile(JSON.parse(schema)));

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

/** The JSON Schema of a parameter's value in requests. */
export function parameterSchema({ types, enum: allowed, pattern }: IntegrationParameter): object {
  return { type: [...types], ...exactIntegers, ...(allowed && { enum: allowed }), ...(pattern && { pattern }) };
}

/** Larger numbers are rounded when parsed from YAML or JSON, and may differ from what was written. */
export const exactIntegers = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

const faultKinds: Readonly<Record<string, FaultKind>> = { minimum: "type", maximum: "type" };

function toFault(parameter: IntegrationParameter, { keyword }: SchemaFault): ParameterFault {
  const fault = faultKinds[keyword] ?? (keyword as FaultKind);
  return { parameter: parameter.name, fault, expected: `${expectationOf(parameter)}${bounds[keyword] ?? ""}` };
}

const bounds: Readonly<Record<string, string>> = {
  minimum: ` of at least ${exactIntegers.minimum}`,
  maximum: ` of at most ${exactIntegers.maximum}`,
};

/** Completes "expected …" for the values of a parameter. */
export function expectationOf(parameter: IntegrationParameter): string {
  const words = expectedWords(parameter.types, parameter.enum) ?? "";
  return parameter.pattern && !parameter.enum ? `${words} that contains ${parameter.pattern}` : words;
}
