import schema from "../../schemas/integrations.schema.json" with { type: "json" };
import { memoized } from "../base/memoize.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import { type Dialect, type Fact, holdsIn, isQuirk } from "./dialect.ts";
import { dialectNamed, dialects, neutral } from "./dialects.ts";
import type { EventKind } from "./events.ts";
import type { ForeignName, Integration, IntegrationParameter, ParameterType, QuirkSpan } from "./integration.ts";
import type { KindRow } from "./kind-row.ts";
import { renamedSchema } from "./renamed-schema.ts";
import type { FieldSchema } from "./resource-kind.ts";
import type { Environment, Kind, Scalar, Tier } from "./types.ts";

export type { ObservedQuirk } from "./dialect.ts";
export {
  hasActiveParameter,
  type Integration,
  type IntegrationParameter,
  impliedFields,
  isRequiredAt,
  quirksAt,
} from "./integration.ts";

/**
 * Everything that can be configured on a server, in the names of one dialect, read from
 * `schemas/integrations.schema.json`, the only file with slugs and parameters. There, the first alternative of a
 * parameter's `anyOf` is the value that the API accepts; the others are allowed in manifests instead (a secret reference,
 * an interpolation).
 */
export interface Catalogue {
  readonly dialect: string;
  /** Every integration, by slug, in the order of the file. */
  readonly integrations: ReadonlyMap<string, Integration>;
  readonly kinds: ReadonlyMap<Kind, KindRow>;
  readonly listedFlags: readonly string[];
  /** The event types, in the order of the specification. The parameter that enables one is named `…_events`. */
  readonly events: ReadonlyMap<string, EventKind>;
  readonly facts: readonly Fact[];
  readonly foreignNames: ReadonlyMap<string, ForeignName>;
}

/** The catalogue of a dialect, cached. @throws RangeError for an unknown dialect. */
export const catalogueOf: (dialect?: string) => Catalogue = (dialect = neutral.name) => catalogueNamed(dialect);

const catalogueNamed = memoized((name: string) => catalogueFrom(dialectNamed(name)));

/**
 * The catalogue with the quirks of deployed servers: they treat parameters as known for their release, whichever names
 * they use. The integrations and parameters remain those of the dialect.
 */
export const observedCatalogueOf: (dialect?: string) => Catalogue = (dialect = neutral.name) =>
  observedCatalogueNamed(dialect);

const observedCatalogueNamed = memoized((name: string) => {
  const own = dialectNamed(name);
  const others = [...dialects.values()].filter((each) => each !== own && own.facts.length === 0);
  const facts = others.flatMap((each) => each.facts).filter(({ says }) => isQuirk(says) || says === "optional");
  return catalogueFrom({ ...own, facts: [...own.facts, ...facts] });
});

function catalogueFrom(dialect: Dialect): Catalogue {
  const renamed = renamedSchema(schema, dialect);
  const definitions = renamed.definitions as Definitions;
  const entries = Object.entries(renamed.properties as unknown as Record<string, IntegrationSchema>);
  const slugs = Object.keys(schema.properties);
  const integrations = new Map(
    entries.map(([slug, entry], index) => {
      const foreignNames = foreignParameters(dialect, slugs[index] ?? "", Object.keys(entry.properties));
      return [slug, { ...parseIntegration(slug, entry, definitions), foreignNames }];
    }),
  );
  return {
    dialect: dialect.name,
    kinds: new Map(
      Object.entries(bundledKinds).map(([kind, row]) => [kind, row.file.keys ? { ...row, keys: integrations } : row]),
    ),
    integrations,
    listedFlags: renamed["x-listed"],
    events: new Map(Object.entries(renamed["x-events"] as Record<string, EventKind>)),
    facts: dialect.facts,
    foreignNames: foreignNamesIn(
      slugs.map((slug) => (each: Dialect) => each.integrations[slug]?.name ?? slug),
      dialect,
    ),
  };
}

function foreignParameters(dialect: Dialect, slug: string, names: readonly string[]) {
  const own = new Map(Object.entries(dialect.integrations[slug]?.parameters ?? {}).map(([from, to]) => [to, from]));
  const neutralNames = names.map((name) => own.get(name) ?? name);
  return foreignNamesIn(
    neutralNames.map((name) => (each: Dialect) => each.integrations[slug]?.parameters?.[name] ?? name),
    dialect,
  );
}

/** Names of the same integrations in other dialects, unless they are names here too. */
function foreignNamesIn(
  things: readonly ((dialect: Dialect) => string)[],
  dialect: Dialect,
): ReadonlyMap<string, ForeignName> {
  const own = new Set(things.map((nameIn) => nameIn(dialect)));
  const others = [...dialects.values()].flatMap((other) =>
    things.map((nameIn) => [nameIn(other), { dialect: other.name, name: nameIn(dialect) }] as const),
  );
  return new Map(others.filter(([name]) => !own.has(name)));
}

export function factHolds({ facts }: Catalogue, id: string, release: string): boolean {
  const fact = facts.find((each) => each.id === id);
  return fact !== undefined && holdsIn(fact, release);
}

interface ParameterSchema extends FieldSchema {
  $ref?: string;
  anyOf?: { $ref?: string; type?: ParameterType | ParameterType[]; enum?: string[]; pattern?: string }[];
  enum?: string[];
  default?: Scalar;
  "x-optional-from"?: string;
  "x-observed-initial"?: Scalar;
  "x-facts"?: QuirkSpan[];
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
  "x-observed-off"?: boolean;
  "x-undeclared"?: Record<string, string>;
  "x-always"?: Record<string, Scalar>;
}

type Definitions = Readonly<Record<string, ParameterSchema>>;

/** The integration of a schema entry, without names of other dialects. */
function parseIntegration(
  slug: string,
  entry: IntegrationSchema,
  definitions: Definitions,
): Omit<Integration, "foreignNames"> {
  const required = new Set(entry.required);
  const parameters = Object.entries(entry.properties).map(([name, parameter]) => {
    const referred = definitions[parameter.$ref?.replace("#/definitions/", "") ?? ""];
    return [name, parseParameter(name, referred ?? parameter, required.has(name))] as const;
  });
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
    parameters: new Map(parameters),
    fields: { required: entry.required ?? [], properties: Object.fromEntries(parameters) },
    undeclared: new Map(Object.entries(entry["x-undeclared"] ?? {})),
    always: new Map(Object.entries(entry["x-always"] ?? {})),
  };
}

function parseParameter(name: string, parameter: ParameterSchema, required: boolean): IntegrationParameter {
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
  };
}
