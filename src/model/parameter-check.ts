import { Ajv, type ValidateFunction } from "ajv";
import { type JsonObject, pointerKeys } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { shippedSchema } from "../base/schema-faults.ts";
import { expectedWords } from "../base/type-words.ts";
import { catalogueOf, type Integration, type IntegrationParameter, isRequired } from "./catalogue.ts";

export type FaultKind = "missing" | "unknown" | "type" | "enum" | "pattern";

/** What is wrong with one parameter. `expected` completes the words "expected …"; it never holds the value given. */
export interface ParameterFault {
  readonly parameter: string;
  readonly fault: FaultKind;
  readonly expected: string;
}

const ajv = new Ajv({ ...shippedSchema, allErrors: true, allowUnionTypes: true });

/**
 * All that is wrong with these parameters by the specification: required, unknown, type, enum, `:id` pattern; in the order in
 * which the spec lists parameters, unknown ones last; one fault a parameter. Empty where all is well. A parameter that
 * servers of the release do not require may be missing.
 */
export function parameterFaults(integration: Integration, parameters: JsonObject, release?: string): ParameterFault[] {
  const validate = validatorOf(integration);
  if (validate(parameters)) return [];
  const order = [...integration.parameters.keys()];
  const rank = (fault: ParameterFault) => (fault.fault === "unknown" ? order.length : order.indexOf(fault.parameter));
  const faults = (validate.errors ?? []).map((error) => faultOf(integration, error));
  // A value of the wrong type breaks the enum as well: that is one mistake, and the first one says it.
  const firsts = new Map(faults.toReversed().map((fault) => [fault.parameter, fault]));
  return [...firsts.values()]
    .filter(({ parameter, fault }) => fault !== "missing" || isNeeded(integration, parameter, release))
    .reverse()
    .sort((a, b) => rank(a) - rank(b));
}

function isNeeded({ parameters }: Integration, name: string, release: string | undefined): boolean {
  const parameter = parameters.get(name);
  return parameter !== undefined && isRequired(parameter, release);
}

/** The same for an integration that is known by its slug. @throws RangeError where the catalogue does not have it. */
export function checkParameters(slug: string, parameters: JsonObject, catalogue = catalogueOf()): ParameterFault[] {
  const integration = catalogue.integrations.get(slug);
  if (!integration) throw new RangeError(`unknown slug ${slug}`);
  return parameterFaults(integration, parameters);
}

const validatorOf = memoized((integration: Integration): ValidateFunction => {
  const parameters = [...integration.parameters.values()];
  return ajv.compile({
    type: "object",
    additionalProperties: false,
    required: parameters.filter((p) => p.required).map((p) => p.name),
    properties: Object.fromEntries(parameters.map((p) => [p.name, apiSchema(p)])),
  });
}, new WeakMap());

function apiSchema({ types, enum: allowed, pattern }: IntegrationParameter): object {
  return { type: [...types], ...(allowed && { enum: allowed }), ...(pattern && { pattern }) };
}

function faultOf(
  { slug, parameters }: Integration,
  error: { keyword: string; instancePath: string; params: JsonObject },
): ParameterFault {
  if (error.keyword === "required") {
    const name = String(error.params.missingProperty);
    return { parameter: name, fault: "missing", expected: expectationOf(parameters.get(name)) };
  }
  if (error.keyword === "additionalProperties") {
    return { parameter: String(error.params.additionalProperty), fault: "unknown", expected: `a parameter of ${slug}` };
  }
  const [name = ""] = pointerKeys(error.instancePath);
  return { parameter: name, fault: error.keyword as FaultKind, expected: expectationOf(parameters.get(name)) };
}

/** What a parameter takes, in words that complete "expected …". */
export function expectationOf(parameter: IntegrationParameter | undefined): string {
  if (!parameter) return "a known parameter";
  const words = expectedWords(parameter.types, parameter.enum) ?? "";
  return parameter.pattern && !parameter.enum ? `${words} that contains ${parameter.pattern}` : words;
}
