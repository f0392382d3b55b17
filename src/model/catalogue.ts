import schema from "../../schemas/integrations.schema.json" with { type: "json" };
import { memoized } from "../base/memoize.ts";
import { bundledKinds } from "./bundled-kinds.ts";
import { type Dialect, type Fact, holdsIn, isQuirk } from "./dialect.ts";
import { dialectNamed, dialects, neutral } from "./dialects.ts";
import type { EventKind } from "./events.ts";
import type { ForeignName, Integration } from "./integration.ts";
import { type Definitions, type IntegrationSchema, integrationIn } from "./integration-schema.ts";
import type { KindRow } from "./kind-row.ts";
import { renamedSchema } from "./renamed-schema.ts";
import type { Kind } from "./types.ts";

export type { ObservedQuirk } from "./dialect.ts";
export {
  hasActiveParameter,
  type Integration,
  type IntegrationParameter,
  impliedFields,
  isRequired,
  type ParameterType,
  quirksAt,
} from "./integration.ts";

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
  /** Every kind of resource, in the order in which manifests and reports list them. */
  readonly kinds: ReadonlyMap<Kind, KindRow>;
  /** The flags that a row of the integrations list shows, in the order of the specification (docs/api.md#list-items). */
  readonly listedFlags: readonly string[];
  /** The kinds of event, in the order of the specification. A parameter that turns one on is called `…_events`. */
  readonly events: ReadonlyMap<string, EventKind>;
  /** What is true of the platform in some releases only. */
  readonly facts: readonly Fact[];
  /** The slugs that integrations have in other dialects, and in no case here. */
  readonly foreignNames: ReadonlyMap<string, ForeignName>;
}

/** The catalogue of a dialect; one value for each. @throws RangeError for a dialect that nobody knows. */
export const catalogueOf: (dialect?: string) => Catalogue = (dialect = neutral.name) => catalogueNamed(dialect);

const catalogueNamed = memoized((name: string) => catalogueFrom(schema, dialectNamed(name)));

/**
 * The same as deployed servers have it: in whichever names they speak, they do with a parameter what is known of their
 * release. What there is to configure stays that of the dialect.
 */
export const observedCatalogueOf: (dialect?: string) => Catalogue = (dialect = neutral.name) =>
  observedCatalogueNamed(dialect);

const observedCatalogueNamed = memoized((name: string) => {
  const own = dialectNamed(name);
  const others = [...dialects.values()].filter((each) => each !== own && own.facts.length === 0);
  const facts = others.flatMap((each) => each.facts).filter(({ says }) => isQuirk(says) || says === "optional");
  return catalogueFrom(schema, { ...own, facts: [...own.facts, ...facts] });
});

/** What a dialect makes of the schema of integrations. */
function catalogueFrom(neutralSchema: typeof schema, dialect: Dialect): Catalogue {
  const renamed = renamedSchema(neutralSchema, dialect);
  const definitions = renamed.definitions as Definitions;
  const entries = Object.entries(renamed.properties as unknown as Record<string, IntegrationSchema>);
  const slugs = Object.keys(neutralSchema.properties);
  return {
    dialect: dialect.name,
    kinds: new Map(Object.entries(bundledKinds)),
    integrations: new Map(
      entries.map(([slug, entry], index) => {
        const foreignNames = foreignParameters(dialect, slugs[index] ?? "", Object.keys(entry.properties));
        return [slug, { ...integrationIn(slug, entry, definitions), foreignNames }];
      }),
    ),
    listedFlags: renamed["x-listed"],
    events: new Map(Object.entries(renamed["x-events"] as Record<string, EventKind>)),
    facts: dialect.facts,
    foreignNames: foreignNamesIn(
      slugs.map((slug) => (each: Dialect) => slugIn(each, slug)),
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

/** What other dialects call the same things, as far as nothing is called so here. */
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

/** What a dialect calls an integration that the specification calls `slug`. */
function slugIn({ integrations }: Dialect, slug: string): string {
  return integrations[slug]?.name ?? slug;
}

/** Whether something that the embedded server and clients ask for by its ID is true of a release. */
export function factHolds({ facts }: Catalogue, id: string, release: string): boolean {
  const fact = facts.find((each) => each.id === id);
  return fact !== undefined && holdsIn(fact, release);
}
