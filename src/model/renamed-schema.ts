import { type Additions, type Dialect, type Fact, isQuirk, type NamedIntegration } from "./dialect.ts";

type Json = Readonly<Record<string, unknown>>;

interface NamedSchema extends Json {
  readonly "x-events": object;
  readonly definitions: Readonly<Record<string, Json>>;
  readonly properties: Readonly<Record<string, NamedEntry>>;
}

interface NamedEntry extends Json {
  readonly required?: readonly string[];
  readonly properties: Readonly<Record<string, Json>>;
}

/**
 * The schema of integrations in the names of a dialect: renames slugs and parameters, also in descriptions, and adds
 * the platform's own entries and facts about releases (`x-facts`).
 */
export function renamedSchema<Schema extends object>(schema: Schema, dialect: Dialect): Schema {
  const { definitions, properties, ...rest } = extendSchema(schema as unknown as NamedSchema, dialect.additions);
  const slugs = new Map(Object.entries(dialect.integrations).map(([slug, { name }]) => [slug, name]));
  const entries = Object.entries(properties).map(([slug, entry]) => {
    const named: NamedIntegration = dialect.integrations[slug] ?? { name: slug };
    const facts = groupFacts(dialect, slug);
    return [
      named.name,
      withRenamedWords(
        renameEntry(entry, named, facts, definitions),
        new Map([...slugs, ...Object.entries(named.parameters ?? {})]),
      ),
    ] as const;
  });
  const slug = { ...definitions.slug, enum: entries.map(([name]) => name) };
  const renamed = { ...rest, properties: Object.fromEntries(entries), definitions: { ...definitions, slug } };
  return renamed as unknown as Schema;
}

function groupFacts({ facts }: Dialect, slug: string): ReadonlyMap<string, readonly Fact[]> {
  const found = new Map<string, Fact[]>();
  for (const fact of facts) {
    for (const of of fact.of ?? []) {
      const [who = "", name = ""] = of.split(".");
      if (who === slug || who === "*") found.set(name, [...(found.get(name) ?? []), fact]);
    }
  }
  return found;
}

function renameEntry(
  entry: NamedEntry,
  { title, parameters = {}, initial = {} }: NamedIntegration,
  facts: ReadonlyMap<string, readonly Fact[]>,
  definitions: NamedSchema["definitions"],
): NamedEntry {
  const nameOf = (name: string) => parameters[name] ?? name;
  const factOn = (name: string, says: Fact["says"]) => facts.get(name)?.find((fact) => fact.says === says);
  const lacking = Object.keys(entry.properties).flatMap((name) => {
    const fact = factOn(name, "undeclared");
    return fact ? [[nameOf(name), fact] as const] : [];
  });
  const declared = Object.entries(entry.properties).filter(([name]) => !factOn(name, "undeclared"));
  const undeclared = lacking.map(([name, { text }]) => [name, text]);
  const always = lacking.flatMap(([name, { always: value }]) => (value === undefined ? [] : [[name, value]]));
  const required = entry.required?.filter((name) => !factOn(name, "undeclared") && !factOn(name, "optional"));
  const properties = declared.map(([name, parameter]) => {
    const rewritten = withFacts(parameter, facts.get(name), definitions);
    return [nameOf(name), name in initial ? { ...rewritten, "x-observed-initial": initial[name] } : rewritten] as const;
  });
  return {
    ...entry,
    ...(title !== undefined && { title }),
    ...(required && { required: required.map(nameOf) }),
    ...toSpan(facts.get("")),
    properties: Object.fromEntries(properties),
    ...(undeclared.length > 0 && { "x-undeclared": Object.fromEntries(undeclared) }),
    ...(always.length > 0 && { "x-always": Object.fromEntries(always) }),
  };
}

function withFacts(parameter: Json, facts: readonly Fact[] = [], definitions: NamedSchema["definitions"]): Json {
  if (facts.length === 0) return parameter;
  const whole = definitions[String(parameter.$ref).replace("#/definitions/", "")] ?? parameter;
  const quirks = facts.filter(({ says }) => isQuirk(says));
  const rewritten = quirks.map(({ says, from, until }) => ({ says, ...(from && { from }), ...(until && { until }) }));
  const optional = facts.find(({ says }) => says === "optional")?.from;
  return {
    ...whole,
    ...toSpan(facts),
    ...(optional && { "x-optional-from": optional }),
    ...(rewritten.length > 0 && { "x-facts": rewritten }),
  };
}

function toSpan(facts: readonly Fact[] = []): Json {
  const [added, removed] = (["added", "removed"] as const).map(
    (says) => facts.find((fact) => fact.says === says)?.from,
  );
  return { ...(added && { "x-introduced": added }), ...(removed && { "x-removed": removed }) };
}

const textKeys: ReadonlySet<string> = new Set(["description", "markdownDescription", "deprecationMessage"]);

function withRenamedWords(value: unknown, words: ReadonlyMap<string, string>, key = ""): unknown {
  if (words.size === 0) return value;
  if (typeof value === "string") return textKeys.has(key) ? replaceWords(value, words) : value;
  if (Array.isArray(value)) return value.map((each) => withRenamedWords(each, words));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withRenamedWords(each, words, name)]));
}

export function replaceWords(text: string, words: ReadonlyMap<string, string>): string {
  return text.replace(/[a-z0-9]+(?:[-_][a-z0-9]+)*/g, (word) => words.get(word) ?? word);
}

function extendSchema(schema: NamedSchema, additions: Additions | undefined): NamedSchema {
  if (!additions) return schema;
  const { definitions, properties, ...rest } = schema;
  const extended = Object.entries(properties).map(([slug, entry]) => {
    const parameters = additions.parameters[slug];
    return [slug, parameters ? { ...entry, properties: { ...entry.properties, ...parameters } } : entry] as const;
  });
  return {
    ...rest,
    "x-events": { ...rest["x-events"], ...additions.events },
    properties: { ...Object.fromEntries(extended), ...additions.integrations },
    definitions: { ...definitions, ...additions.definitions },
  } as NamedSchema;
}
