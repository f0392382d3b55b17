import type { ObservedQuirk } from "./dialect.ts";
import type { RouteColumn } from "./events.ts";
import type { Integration, IntegrationParameter, ParameterType, QuirkSpan } from "./integration.ts";
import type { Environment, Scalar, Tier } from "./types.ts";

interface ParameterSchema {
  $ref?: string;
  description?: string;
  anyOf?: ApiType[];
  default?: Scalar;
  deprecated?: boolean;
  deprecationMessage?: string;
  writeOnly?: boolean;
  "x-returned"?: boolean;
  "x-introduced"?: string;
  "x-optional-from"?: string;
  "x-level"?: "top";
  "x-list"?: "comma" | "whitespace";
  "x-set"?: boolean;
  "x-url"?: boolean;
  "x-host"?: boolean;
  "x-route"?: RouteColumn;
  "x-removed"?: string;
  "x-observed"?: ObservedQuirk[];
  "x-observed-initial"?: Scalar;
  "x-observed-fallback"?: string;
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
    undeclared: new Map(Object.entries(entry["x-undeclared"] ?? {})),
    always: new Map(Object.entries(entry["x-always"] ?? {})),
  };
}

function resolved(parameter: ParameterSchema, definitions: Definitions): ParameterSchema {
  const name = parameter.$ref?.replace("#/definitions/", "");
  return (name && definitions[name]) || parameter;
}

function parameterOf(name: string, parameter: ParameterSchema, required: boolean): IntegrationParameter {
  const api = parameter.anyOf?.[0] ?? {};
  return {
    name,
    types: [api.type ?? "string"].flat(),
    required: required || parameter["x-optional-from"] !== undefined,
    optionalFrom: parameter["x-optional-from"],
    enum: api.enum,
    pattern: api.pattern,
    default: parameter.default,
    introduced: parameter["x-introduced"],
    removed: parameter["x-removed"],
    deprecated: parameter.deprecated ? (parameter.deprecationMessage ?? "deprecated") : undefined,
    secret: parameter.writeOnly ?? false,
    returned: parameter["x-returned"] ?? false,
    description: parameter.description ?? "",
    level: parameter["x-level"] ?? "properties",
    list: parameter["x-list"],
    set: parameter["x-set"] ?? false,
    url: parameter["x-url"] ?? false,
    destination: Boolean(parameter["x-url"] || parameter["x-host"]) || parameter["x-route"]?.role === "recipients",
    route: parameter["x-route"],
    observed: new Set(parameter["x-observed"]),
    quirks: parameter["x-facts"] ?? [],
    initial: parameter["x-observed-initial"],
    fallback: parameter["x-observed-fallback"],
    valid: {
      pattern: parameter["x-observed-pattern"],
      instead: parameter["x-observed-instead"],
      with: parameter["x-observed-with"],
    },
  };
}
