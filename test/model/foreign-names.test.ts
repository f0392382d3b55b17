import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { catalogueOf, type Integration } from "../../src/model/catalogue.ts";
import { dialectNamed } from "../../src/model/dialects.ts";

interface ForeignIntegration {
  readonly required?: readonly string[];
  readonly optional: readonly string[];
}

type Foreign = Readonly<Record<string, { readonly integrations: Readonly<Record<string, ForeignIntegration>> }>>;

const read = (file: string): unknown => parse(readFileSync(join(import.meta.dirname, file), "utf8"));

/** What clients that we did not write call integrations and their parameters. */
const foreign = read("foreign-names.yaml") as Foreign;

/** Every difference between their names and ours, under its reason. */
const reasons = read("foreign-differences.yaml") as Readonly<
  Record<string, Readonly<Record<string, readonly string[]>>>
>;

/** These clients are older than what the dialect adds, which additions.test.ts holds against newer ones. */
const integrations = withoutAdditions("gitlab");

function withoutAdditions(dialect: string): ReadonlyMap<string, Integration> {
  const { additions, integrations: named } = dialectNamed(dialect);
  const own = [...catalogueOf(dialect).integrations].filter(
    ([slug]) => !Object.hasOwn(additions?.integrations ?? {}, slug),
  );
  const added = new Map(
    Object.entries(additions?.parameters ?? {}).map(([slug, each]) => [named[slug]?.name ?? slug, Object.keys(each)]),
  );
  return new Map(
    own.map(([slug, integration]) => {
      const parameters = [...integration.parameters].filter(([name]) => !added.get(slug)?.includes(name));
      return [slug, { ...integration, parameters: new Map(parameters) }];
    }),
  );
}

/** In one line each: `missing` here, `extra` here, or demanded by one of the two alone. */
function differencesOf(client: string): string[] {
  const theirs = foreign[client]?.integrations ?? {};
  const extra = [...integrations.keys()].filter((slug) => !(slug in theirs)).map((slug) => `${slug} extra`);
  const others = Object.entries(theirs).flatMap(([slug, their]) => {
    const ours = integrations.get(slug);
    return ours ? parameterDifferences(slug, their, ours) : [`${slug} missing`];
  });
  return [...extra, ...others];
}

function parameterDifferences(slug: string, { required, optional }: ForeignIntegration, ours: Integration): string[] {
  const names = new Set([...(required ?? []), ...optional]);
  const missing = [...names].filter((name) => !ours.parameters.has(name)).map((name) => `${slug}.${name} missing`);
  const extra = [...ours.parameters.keys()].filter((name) => !names.has(name)).map((name) => `${slug}.${name} extra`);
  const demanded = [...ours.parameters.values()].filter(
    (parameter) => required && names.has(parameter.name) && parameter.isRequired !== required.includes(parameter.name),
  );
  return [...missing, ...extra, ...demanded.map(({ name }) => `${slug}.${name} demanded otherwise`)];
}

test.each(Object.keys(foreign))("names are those of %s, but for differences with a reason", (client) => {
  expect(differencesOf(client).toSorted()).toEqual(
    Object.values(reasons[client] ?? {})
      .flat()
      .toSorted(),
  );
});
