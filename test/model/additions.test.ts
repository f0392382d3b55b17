import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { missingField } from "../../src/manifest/field-availability.ts";
import { unavailable } from "../../src/model/availability.ts";
import { catalogueOf, type Integration, type IntegrationParameter } from "../../src/model/catalogue.ts";
import type { Dialect } from "../../src/model/dialect.ts";
import { dialects } from "../../src/model/dialects.ts";
import type { Platform } from "../../src/model/types.ts";
import clientGo from "./clients/client-go.json" with { type: "json" };
import gitlabClient from "./clients/gitlab-client.json" with { type: "json" };
import terraform from "./clients/terraform-provider-gitlab.json" with { type: "json" };

type Tables = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What public clients that we did not write call parameters of integrations, and their JSON types. */
const clients: readonly Tables[] = [clientGo.integrations, terraform.integrations, gitlabClient.integrations];

/** Additions that fewer than two of the clients have with the same type, each with the reason to have it all the same. */
const exceptions = parse(readFileSync(join(import.meta.dirname, "clients/exceptions.yaml"), "utf8")) as Readonly<
  Record<string, string>
>;

const specification = catalogueOf();

describe.each([...dialects.values()].filter(({ additions }) => additions))("additions of dialect $name", (dialect) => {
  const catalogue = catalogueOf(dialect.name);
  const added = additionsTo(dialect);

  test("have names and types that two public clients have", () => {
    const unheld = added.filter((each) => !isExcepted(each) && holders(each) < 2);
    expect(unheld.map(({ slug, parameter }) => `${slug}.${parameter.name}`)).toEqual([]);
  });

  test("have no exception that two public clients make needless, or that is of nothing", () => {
    const needless = Object.keys(exceptions).filter((name) => {
      return added.filter((each) => namesOf(each).includes(name)).every((each) => holders(each) >= 2);
    });
    expect(needless).toEqual([]);
  });

  test("repeat nothing of the specification", () => {
    const { parameters = {}, integrations = {} } = dialect.additions ?? {};
    const repeated = Object.entries(parameters).flatMap(([slug, own]) =>
      Object.keys(own).filter((name) => specification.integrations.get(slug)?.parameters.has(name) !== false),
    );
    expect(repeated).toEqual([]);
    expect(Object.keys(integrations).filter((slug) => specification.integrations.has(slug))).toEqual([]);
    expect([...catalogue.integrations.keys()].slice(0, specification.integrations.size)).toEqual(
      [...specification.integrations.keys()].map((slug) => dialect.integrations[slug]?.name ?? slug),
    );
  });

  test("are described, and have the keywords that their names ask for", () => {
    const faults = added.filter(({ parameter }) => !isComplete(parameter));
    expect(faults.map(({ slug, parameter }) => `${slug}.${parameter.name}`)).toEqual([]);
  });

  test("name only kinds of events that there are, each with its plural", () => {
    const events = added.flatMap(({ parameter: { route } }) => (route && "event" in route ? [route.event] : []));
    expect(events.filter((event) => event !== undefined && !catalogue.events.has(event))).toEqual([]);
  });

  test("state since which release there is each integration that the specification lacks", () => {
    const own = Object.keys(dialect.additions?.integrations ?? {}).map((slug) => catalogue.integrations.get(slug));
    expect(own.filter((integration) => integration?.introduced === undefined)).toEqual([]);
  });
});

interface Addition {
  readonly slug: string;
  readonly parameter: IntegrationParameter;
}

function additionsTo({ name, additions, integrations: named }: Dialect): readonly Addition[] {
  const { integrations } = catalogueOf(name);
  const of = (slug: string, keys: readonly string[]): Addition[] =>
    keys.map((key) => ({ slug, parameter: parameterOf(integrations.get(slug), key) }));
  return [
    ...Object.entries(additions?.parameters ?? {}).flatMap(([slug, own]) =>
      of(named[slug]?.name ?? slug, Object.keys(own)),
    ),
    ...Object.keys(additions?.integrations ?? {}).flatMap((slug) =>
      of(slug, [...(integrations.get(slug)?.parameters.keys() ?? [])]),
    ),
  ];
}

function parameterOf(integration: Integration | undefined, name: string): IntegrationParameter {
  const parameter = integration?.parameters.get(name);
  if (!parameter) throw new RangeError(`no parameter ${name}`);
  return parameter;
}

/** The names under which it may be excepted. */
function namesOf({ slug, parameter: { name } }: Addition): readonly string[] {
  return [slug, `${slug}.${name}`, `*.${name}`];
}

function isExcepted(addition: Addition): boolean {
  return namesOf(addition).some((name) => name in exceptions);
}

function holders({ slug, parameter: { name, types } }: Addition): number {
  const words = types.map((type) => typeWords[type] ?? type);
  return clients.filter((client) => words.includes(client[slug]?.[name] ?? "")).length;
}

const typeWords: Readonly<Record<string, string>> = { integer: "number", array: "string[]" };

function isComplete({
  name,
  description,
  "x-url": url = false,
  level,
  secret,
  observed,
  route,
}: IntegrationParameter): boolean {
  const isFlag = name.endsWith("_events") && name !== "archive_trace_events";
  const looksSecret = /password|token$|_key$|secret|license_key/.test(name) && !/_key_id$|project_key$/.test(name);
  return (
    /^[A-Z].*\.$/.test(description) &&
    (!/url$|hostname$/.test(name) || url) &&
    (!isFlag || (level === "top" && route?.role === "flag")) &&
    (!looksSecret || (secret && observed.has("hidden")))
  );
}

test("since when: an addition is unavailable before, and available from then on", () => {
  const gitlab = catalogueOf("gitlab");
  const on = (release: string): Platform => ({ release, tier: "ultimate", environment: "production" }) as Platform;
  const telegram = gitlab.integrations.get("telegram") as Integration;
  expect(unavailable(telegram, on("16.0"))?.message).toContain("telegram exists from release 16.1 on");
  expect(unavailable(telegram, on("16.1"))).toBe(undefined);
  const since = (slug: string, name: string, release: string) => {
    const integration = gitlab.integrations.get(slug) as Integration;
    return missingField({ ...integration, singular: slug }, name, null, on(release));
  };
  expect(since("telegram", "thread", "16.10")).toContain("from release 16.11 on");
  expect(since("telegram", "thread", "16.11")).toBe(undefined);
  expect(since("datadog", "archive_trace_events", "15.2")).toBeDefined();
  expect(since("datadog", "archive_trace_events", "15.3")).toBe(undefined);
  expect(since("buildkite", "tag_push_events", "13.12")).toBe(undefined);
});
