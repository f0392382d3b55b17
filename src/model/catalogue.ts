import schema from "../../schemas/integrations.schema.json" with { type: "json" };
import { memoized } from "../base/memoize.ts";
import type { EventKind, RouteColumn } from "./events.ts";
import type { Environment, Scalar, Tier } from "./types.ts";

/**
 * What there is to configure on a server, in the names of one dialect: the questions asked of
 * `schemas/integrations.schema.json`, the only place where a slug or a parameter stands. In it, the first alternative of
 * a parameter's `anyOf` is what the API takes; the others are what a manifest may write in its stead (a secret
 * reference, an interpolation).
 */
export interface Catalogue {
  /** Whose names these are: `neutral` for the specification's own. */
  readonly dialect: string;
  /** Every integration, by slug, in the order of the file. */
  readonly integrations: ReadonlyMap<string, Integration>;
  /** The flags that a row of the integrations list shows, in the order of the spec (spec: Integration (list item)). */
  readonly listedFlags: readonly string[];
  /** The kinds of event, in the order of the spec. A parameter that turns one on is called `…_events`. */
  readonly events: ReadonlyMap<string, EventKind>;
}

export interface Integration {
  readonly slug: string;
  readonly title: string;
  readonly description: string;
  readonly tier: Tier;
  /** Release that brought it, and the one that took it away. */
  readonly introduced: string | undefined;
  readonly removed: string | undefined;
  /** The only environment that has it. */
  readonly environment: Environment | undefined;
  /** List fields that the single GET lacks. */
  readonly omitted: readonly string[];
  /**
   * Deployed servers keep its settings apart from its record: a change of them alone does not move `updated_at`, and
   * those never set are answered as null.
   */
  readonly apart: boolean;
  readonly parameters: ReadonlyMap<string, IntegrationParameter>;
}

export type ParameterType = "string" | "boolean" | "integer";

export interface IntegrationParameter {
  readonly name: string;
  /** One type, or two where the spec lists one and describes another: the described one first. */
  readonly types: readonly ParameterType[];
  readonly required: boolean;
  readonly enum: readonly string[] | undefined;
  readonly pattern: string | undefined;
  readonly default: Scalar | undefined;
  /** Release that brought it, where that is later than its integration. */
  readonly introduced: string | undefined;
  /** What to do instead, where the parameter is deprecated. */
  readonly deprecated: string | undefined;
  readonly secret: boolean;
  /** A secret that the spec shows in its single GET nevertheless. */
  readonly returned: boolean;
  readonly description: string;
  /** `top`: beside `id` and `active` in a response; `properties`: inside its `properties`. */
  readonly level: "top" | "properties";
  /** How its value is a list in one string; the order of such a list means nothing. */
  readonly list: "comma" | "whitespace" | undefined;
  /** An address; some servers strip a trailing slash from it. */
  readonly url: boolean;
  /** Whether it decides where something is sent to: an address, a host or recipients. */
  readonly destination: boolean;
  /** What it decides about who is notified of an event, where it decides anything. */
  readonly route: RouteColumn | undefined;
  /** What deployed servers do with it, where that differs from the spec (`serve --behaviour observed`). */
  readonly observed: ReadonlySet<ObservedQuirk>;
}

/**
 * `hidden`: stored, never returned. `dropped`: accepted, not stored. `slash`: one trailing slash stripped.
 * `trimmed`: leading and trailing white space stripped. `required`: some servers refuse a write without it.
 */
export type ObservedQuirk = "hidden" | "dropped" | "slash" | "trimmed" | "required";

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
  "x-level"?: "top";
  "x-list"?: "comma" | "whitespace";
  "x-url"?: boolean;
  "x-host"?: boolean;
  "x-route"?: RouteColumn;
  "x-observed"?: ObservedQuirk[];
}

interface ApiType {
  $ref?: string;
  type?: ParameterType | ParameterType[];
  enum?: string[];
  pattern?: string;
}

interface IntegrationSchema {
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
}

/** A schema of integrations, as far as the catalogue reads it. */
export interface IntegrationsSchema {
  readonly definitions: Readonly<Record<string, unknown>>;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly "x-listed": readonly string[];
  readonly "x-events": Readonly<Record<string, unknown>>;
}

/** The names that a workspace speaks which states no dialect. */
export const neutral = "neutral";

/** The catalogue of a dialect; one value for each. @throws RangeError for a dialect that nobody knows. */
export const catalogueOf: (dialect?: string) => Catalogue = (dialect = neutral) => catalogueNamed(dialect);

const catalogueNamed = memoized((dialect: string) => catalogueFrom(schema, dialect));

/** The catalogue that a schema comes to. */
export function catalogueFrom(schema: IntegrationsSchema, dialect: string): Catalogue {
  const definitions = schema.definitions as Readonly<Record<string, ParameterSchema>>;
  const entries = Object.entries(schema.properties as Record<string, IntegrationSchema>);
  return {
    dialect,
    integrations: new Map(entries.map(([slug, entry]) => [slug, integrationOf(slug, entry, definitions)])),
    listedFlags: schema["x-listed"],
    events: new Map(Object.entries(schema["x-events"] as Record<string, EventKind>)),
  };
}

type Definitions = Readonly<Record<string, ParameterSchema>>;

function integrationOf(slug: string, entry: IntegrationSchema, definitions: Definitions): Integration {
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
    parameters: new Map(parameters),
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
    required,
    enum: api.enum,
    pattern: api.pattern,
    default: parameter.default,
    introduced: parameter["x-introduced"],
    deprecated: parameter.deprecated ? (parameter.deprecationMessage ?? "deprecated") : undefined,
    secret: parameter.writeOnly ?? false,
    returned: parameter["x-returned"] ?? false,
    description: parameter.description ?? "",
    level: parameter["x-level"] ?? "properties",
    list: parameter["x-list"],
    url: parameter["x-url"] ?? false,
    destination: Boolean(parameter["x-url"] || parameter["x-host"]) || parameter["x-route"]?.role === "recipients",
    route: parameter["x-route"],
    observed: new Set(parameter["x-observed"]),
  };
}

/** Whether "configured but off" is a state of its own: it is where `active` is a parameter (contract 6). */
export function hasActiveParameter({ parameters }: Integration): boolean {
  return parameters.has("active");
}

/** What leaving it out of a policy says nevertheless: `active` is its default where it is a parameter (contract 6). */
export function impliedFields(integration: Integration | undefined): Readonly<Record<string, Scalar>> {
  const active = integration?.parameters.get("active");
  return active ? { active: active.default ?? null } : {};
}
