import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import dialectSchema from "../../schemas/dialects.schema.json" with { type: "json" };
import schema from "../../schemas/integrations.schema.json" with { type: "json" };
import manifest from "../../schemas/manifest.schema.json" with { type: "json" };
import { catalogueOf, factHolds, quirksAt } from "../../src/model/catalogue.ts";
import { type Dialect, holdsIn } from "../../src/model/dialect.ts";
import { dialects, neutral } from "../../src/model/dialects.ts";
import { renamedSchema } from "../../src/model/renamed-schema.ts";

const folder = join(import.meta.dirname, "../../schemas/dialects");
const specification = catalogueOf();
const platforms = [...dialects.values()].filter(({ name }) => name !== neutral.name);

test("every file of schemas/dialects is a dialect, and a workspace can state each", () => {
  const files = readdirSync(folder).map((file) => file.replace(/\.json$/, ""));
  expect(platforms.map(({ name }) => name)).toEqual(files);
  expect(manifest.definitions.Workspace.properties.server.properties.dialect.enum).toEqual([...dialects.keys()]);
});

test("the specification's own names are those of its schema", () => {
  expect(renamedSchema(schema, neutral)).toEqual(schema);
});

describe.each(platforms)("dialect $name", (dialect: Dialect) => {
  const catalogue = catalogueOf(dialect.name);
  const parametersIn = (slug: string) => catalogue.integrations.get(slug)?.parameters.keys() ?? [];
  const text = readFileSync(join(folder, `${dialect.name}.json`), "utf8");

  test("keeps to its schema", () => {
    const validate = new Ajv({ allErrors: true, strict: false }).compile(dialectSchema);
    validate(JSON.parse(text));
    expect(validate.errors).toBe(null);
  });

  test("names each integration once, and nothing that there is not", () => {
    const added = Object.keys(dialect.additions?.integrations ?? {}).length;
    expect(catalogue.integrations.size).toBe(specification.integrations.size + added);
    const wrong = Object.entries(dialect.integrations).flatMap(([slug, { parameters = {} }]) => {
      const known = specification.integrations.get(slug)?.parameters;
      return known ? Object.keys(parameters).filter((name) => !known.has(name)) : [slug];
    });
    expect(wrong).toEqual([]);
  });

  test("states facts of what there is, each by an ID of its own, in spans that are not empty", () => {
    const names = [...specification.integrations.values()].flatMap(({ slug, parameters }) => [
      slug,
      ...[...parameters.keys()].flatMap((name) => [`${slug}.${name}`, `*.${name}`]),
    ]);
    const { facts, additions = { parameters: {}, integrations: {} } } = dialect;
    const added = [
      ...Object.entries(additions.parameters).map(([slug, own]) => [slug, Object.keys(own)] as const),
      ...Object.keys(additions.integrations).map((slug) => [slug, [...parametersIn(slug)]] as const),
    ];
    for (const [slug, own] of added) names.push(slug, ...own.flatMap((name) => [`${slug}.${name}`, `*.${name}`]));
    const stated = facts.filter(({ says }) => says !== "listed").flatMap(({ of = [] }) => of);
    expect(stated.filter((name) => !names.includes(name))).toEqual([]);
    expect(new Set(facts.map(({ id }) => id)).size).toBe(facts.length);
    expect(facts.filter(({ from, until }) => from && !holdsIn({ ...(until && { until }) }, from))).toEqual([]);
  });

  test("says nothing to people in names of the specification", () => {
    const other = new Set([
      ...catalogue.foreignNames.keys(),
      ...[...catalogue.integrations.values()].flatMap(({ foreignNames }) => [...foreignNames.keys()]),
    ]);
    const words = JSON.stringify(renamedSchema(schema, dialect).properties).match(/[a-z0-9]+(?:[-_][a-z0-9]+)*/g) ?? [];
    // A definition keeps its name, which nobody reads.
    const definitions = new Set(Object.keys(schema.definitions));
    expect(words.filter((word) => other.has(word) && !definitions.has(word))).toEqual([]);
  });
});

test("what servers do with a parameter goes by the release, where a dialect says so", () => {
  const gitlab = catalogueOf("gitlab");
  const quirks = (slug: string, name: string, release: string) => {
    const parameter = gitlab.integrations.get(slug)?.parameters.get(name);
    return parameter && [...quirksAt(parameter, release)];
  };
  expect(["14.5", "15.7", "15.8", "17.9"].map((release) => quirks("slack", "webhook", release))).toEqual([
    [],
    [],
    ["hidden"],
    ["hidden"],
  ]);
  expect(["15.1.6", "15.2"].map((release) => quirks("jira", "jira_issue_transition_id", release))).toEqual([
    ["hidden"],
    [],
  ]);
  expect(quirks("bugzilla", "title", "14.5")).toEqual(["hidden", "dropped"]);
  expect(quirks("bamboo", "password", "17.9")).toEqual(["hidden"]);
  expect(factHolds(gitlab, "licenses-dead", "15.11")).toBe(false);
  expect(factHolds(gitlab, "licenses-dead", "16.0")).toBe(true);
});
