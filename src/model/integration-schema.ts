import type { Integration, IntegrationParameter, ParameterType, QuirkSpan } from "./integration.ts";
import type { FieldSchema } from "./resource-kind.ts";
import type { Environment, Scalar, Tier } from "./types.ts";

interface ParameterSchema extends FieldSchema {
  $ref?: string;
  anyOf?: ApiType[];
  enum?: string[];
  default?: Scalar;
  "x-optional-from"?: string;
  "x-observed-initial"?: Scalar;
  "x-observed-pattern"?: string;
  "x-observed-instead"?: string;
  "x-observed-with"?: string;
  "x-facts"?: QuirkSpan[];
}

interface ApiType {
  $ref?: string;
  type?: ParameterType | ParameterType[];
  enum?: string[];
  pattern?: string;
}

/** An integration in the schema. */
export interface IntegrationSchema {
  title: string;
  description: string;
  required?: string[];
  properties: Record<string, ParameterSchema>;
  "x-tier"?: Tier;
  "x-introduced"?: string;
  "x-removed"?: string;
  "x-environment"?: Environment;
  "x-omitted"?: string[];
  "x-observed-apart"?: boolean;
  "x-observed-off"?: boolean;
  "x-observed-alone"?: boolean;
  "x-undeclared"?: Record<string, string>;
  "x-always"?: Record<string, Scalar>;
}

/** Definitions that the schema refers to. */
export type Definitions = Readonly<Record<string, ParameterSchema>>;

/** The integration of a schema entry, without names of other dialects. */
export function integrationIn(
  slug: string,
  entry: IntegrationSchema,
  definitions: Definitions,
): Omit<Integration, "foreignNames"> {
  const required = new Set(entry.required);
  const parameters = Object.entries(entry.properties).map(
    ([name, parameter]) => [name, parameterOf(name, resolved(parameter, definitions), required.has(name))] as const,
  );
  return {
    slug,
    title: entry.title,
    description: entry.description,
    tier: entry["x-tier"] ?? "free",
    introduced: entry["x-introduced"],
    removed: entry["x-removed"],
    environment: entry["x-environment"],
    omitted: entry["x-omitted"] ?? [],
    apart: entry["x-observed-apart"] ?? false,
    staysOff: entry["x-observed-off"] ?? false,
    alone: entry["x-observed-alone"] ?? false,
    parameters: new Map(parameters),
    fields: { required: entry.required ?? [], properties: Object.fromEntries(parameters) },
    undeclared: new Map(Object.entries(entry["x-undeclared"] ?? {})),
    always: new Map(Object.entries(entry["x-always"] ?? {})),
  };
}

function resolved(parameter: ParameterSchema, definitions: Definitions): ParameterSchema {
  const name = parameter.$ref?.replace("#/definitions/", "");
  return (name && definitions[name]) || parameter;
}

function parameterOf(name: string, parameter: ParameterSchema, required: boolean): IntegrationParameter {
  const { anyOf: [api = {}] = [], $ref: _, ...field } = parameter;
  const type = api.type ?? "string";
  return {
    ...field,
    "x-level": field["x-level"] ?? "properties",
    ...(api.enum && { enum: api.enum }),
    ...(api.pattern !== undefined && { pattern: api.pattern }),
    type,
    name,
    types: [type].flat(),
    isRequired: required || parameter["x-optional-from"] !== undefined,
    optionalFrom: parameter["x-optional-from"],
    introduced: parameter["x-introduced"],
    removed: parameter["x-removed"],
    secret: parameter.writeOnly ?? false,
    returned: parameter["x-returned"] ?? false,
    description: parameter.description ?? "",
    level: parameter["x-level"] ?? "properties",
    list: parameter["x-list"],
    route: parameter["x-route"],
    observed: new Set(parameter["x-observed"]),
    quirks: parameter["x-facts"] ?? [],
    initial: parameter["x-observed-initial"],
    valid: {
      pattern: parameter["x-observed-pattern"],
      instead: parameter["x-observed-instead"],
      with: parameter["x-observed-with"],
    },
  };
}
