import type { Additions } from "./dialect.ts";

/** The parts of a schema of integrations to which a dialect adds. */
interface ExtendableSchema {
  readonly "x-events": object;
  readonly definitions: object;
  readonly properties: Readonly<Record<string, { readonly properties: object }>>;
}

/**
 * The schema of integrations with what only one platform has: events, parameters of integrations of the specification, and
 * further integrations after them.
 */
export function extendedSchema<Schema extends object>(schema: Schema, additions: Additions | undefined): Schema {
  if (!additions) return schema;
  const { definitions, properties, ...rest } = schema as unknown as ExtendableSchema;
  const extended = Object.entries(properties).map(([slug, entry]) => {
    const parameters = additions.parameters[slug];
    return [slug, parameters ? { ...entry, properties: { ...entry.properties, ...parameters } } : entry] as const;
  });
  return {
    ...rest,
    "x-events": { ...rest["x-events"], ...additions.events },
    properties: { ...Object.fromEntries(extended), ...additions.integrations },
    definitions: { ...definitions, ...additions.definitions },
  } as unknown as Schema;
}
