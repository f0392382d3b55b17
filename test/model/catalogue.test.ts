import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import schema from "../../schemas/integrations.schema.json" with { type: "json" };
import manifestSchema from "../../schemas/manifest.schema.json" with { type: "json" };
import { unavailable } from "../../src/model/availability.ts";
import { catalogueOf, hasActiveParameter, type IntegrationParameter } from "../../src/model/catalogue.ts";
import { checkParameters } from "../../src/model/parameter-check.ts";
import { compareReleases } from "../../src/model/releases.ts";
import type { Platform } from "../../src/model/types.ts";

const { integrations } = catalogueOf();

const spec: Readonly<Record<string, readonly string[]>> = parse(
  readFileSync(new URL("specification.yaml", import.meta.url), "utf8"),
);

function lineOf(parameter: IntegrationParameter): string {
  return [
    parameter.name,
    parameter.types.join("|"),
    parameter.isRequired ? "R" : "O",
    parameter.enum ? `[${parameter.enum.join(",")}]` : "",
    parameter.pattern ? `~${parameter.pattern}` : "",
    parameter.default === undefined ? "" : `=${parameter.default}`,
    parameter.deprecated ? "deprecated" : "",
    parameter.secret ? "secret" : "",
  ]
    .filter(Boolean)
    .join(" ");
}

function integrationOf(slug: string) {
  const integration = integrations.get(slug);
  if (!integration) throw new Error(`no ${slug}`);
  return integration;
}

describe("the catalogue is the spec's", () => {
  test("it has the slugs, in order", () => {
    expect([...integrations.keys()]).toEqual(Object.keys(spec));
  });

  test.each(Object.keys(spec))("%s has its parameters and no others, in order", (slug) => {
    expect([...integrationOf(slug).parameters.values()].map(lineOf)).toEqual(spec[slug]);
  });

  test("only these depend on a tier, a release or an environment", () => {
    const special = [...integrations.values()].filter(
      (each) => each.tier !== "free" || each.introduced || each.removed || each.environment,
    );
    expect(special.map((each) => [each.slug, each.tier, each.introduced, each.removed, each.environment])).toEqual([
      ["wiki-cloud-workspace", "free", "13.2", undefined, undefined],
      ["code-host-status", "premium", undefined, undefined, undefined],
      ["ci-build-server-c-legacy", "free", undefined, "13.0", undefined],
      ["mock-ci", "free", undefined, undefined, "development"],
    ]);
  });

  test("every integration and every parameter is described", () => {
    const texts = [...integrations.values()].flatMap((each) => [each, ...each.parameters.values()]);
    expect(texts.filter(({ description }) => !description.endsWith("."))).toEqual([]);
  });

  test("what is deprecated says what to do instead", () => {
    const deprecated = [...integrations.values()].flatMap((each) => [...each.parameters.values()]);
    expect(new Set(deprecated.flatMap((parameter) => parameter.deprecationMessage ?? []))).toEqual(
      new Set([
        "use branches_to_be_notified instead",
        "remove it: it has no effect, because verification is always on",
      ]),
    );
  });

  test("one parameter came later than its integration", () => {
    const later = [...integrations.values()].flatMap(({ slug, parameters }) =>
      [...parameters.values()].filter((each) => each.introduced).map((each) => [slug, each.name, each.introduced]),
    );
    expect(later).toEqual([["pipelines-email", "notify_only_default_branch", "12.0"]]);
  });
});

describe("what the columns say", () => {
  const rows = [...integrations.values()].flatMap(({ slug, parameters }) =>
    [...parameters.values()].map((parameter) => ({ at: `${slug}.${parameter.name}`, parameter })),
  );
  const where = (holds: (parameter: IntegrationParameter) => boolean) =>
    rows.filter(({ parameter }) => holds(parameter)).map(({ at }) => at);

  test("flags and `active` stand at the top level of a response, all else under properties", () => {
    const flag = /_events$|^active$|^comment_on_event_enabled$/;
    expect(where((each) => (each.level === "top") !== flag.test(each.name))).toEqual([]);
  });

  test("lists in one string, and how they are separated", () => {
    expect(where((each) => each.list === "whitespace")).toEqual([
      "emails-on-push.recipients",
      "irc-gateway.recipients",
    ]);
    expect(where((each) => each.list === "comma")).toEqual([
      "task-comments-a.restrict_to_branch",
      "pipelines-email.recipients",
      "story-comments.restrict_to_branch",
    ]);
  });

  test("addresses are marked by what they are", () => {
    const named = (each: IntegrationParameter) => /(^|_)url$/.test(each.name) || each.name === "server";
    expect(where((each) => (each["x-url"] ?? false) !== named(each))).toEqual([]);
  });

  test("deployed servers never return what looks like a secret, but do return webhooks", () => {
    const hidden = /password|token|key|title|description/;
    expect(where((each) => hidden.test(each.name) && !each.observed.has("hidden"))).toEqual([]);
    expect(where((each) => each.name === "webhook" && each.observed.size > 0)).toEqual([]);
  });

  test("only one slug can be configured but off", () => {
    expect([...integrations.values()].filter(hasActiveParameter).map(({ slug }) => slug)).toEqual([
      "issue-tracker-full",
    ]);
  });
});

describe("checkParameters", () => {
  test("has nothing to say of what the spec takes", () => {
    expect(checkParameters("irc-gateway", { recipients: "#a #b", server_port: 6659, push_events: true })).toEqual([]);
    expect(checkParameters("package-repo-update", { username: "u", token: "t", server: "" })).toEqual([]);
    expect(checkParameters("package-repo-update", { username: "u", token: "t", server: true })).toEqual([]);
    expect(checkParameters("story-comments", { token: "t", restrict_to_branch: "main,next" })).toEqual([]);
  });

  test("reports each kind of mistake, all at once, in the spec's order", () => {
    const given = { colour: 1, server_port: "6659", push_events: "yes" };
    expect(checkParameters("irc-gateway", given)).toEqual([
      { parameter: "recipients", fault: "missing", expected: "a string" },
      { parameter: "server_port", fault: "type", expected: "an integer" },
      { parameter: "push_events", fault: "type", expected: "true or false" },
      { parameter: "colour", fault: "unknown", expected: "a parameter of irc-gateway" },
    ]);
  });

  test("no URL or format check beyond the spec", () => {
    expect(checkParameters("external-wiki", { external_wiki_url: "not an address" })).toEqual([]);
    expect(checkParameters("mobile-push-notify", { api_key: "", user_key: "", priority: "loud" })).toEqual([]);
  });
});

describe("unavailable", () => {
  const production: Platform = { release: "14.5", tier: "free", environment: "production" };
  const rule = (slug: string, platform: Partial<Platform>) =>
    unavailable(integrationOf(slug), { ...production, ...platform })?.rule;

  test.each<[string, Partial<Platform>, string | undefined]>([
    ["irc-gateway", {}, undefined],
    ["wiki-cloud-workspace", { release: "13.1.11" }, "release"],
    ["wiki-cloud-workspace", { release: "13.2" }, undefined],
    ["ci-build-server-c-legacy", { release: "12.10" }, undefined],
    ["ci-build-server-c-legacy", { release: "13.0.0" }, "release"],
    ["code-host-status", {}, "tier"],
    ["code-host-status", { tier: "premium" }, undefined],
    ["code-host-status", { tier: "ultimate" }, undefined],
    ["code-host-status", { tier: undefined }, undefined],
    ["mock-ci", {}, "environment"],
    ["mock-ci", { environment: undefined }, "environment"],
    ["mock-ci", { environment: "development" }, undefined],
  ])("%s on %j: %s", (slug, platform, expected) => {
    expect(rule(slug, platform)).toBe(expected);
  });
});

test.each([
  ["14.5", "14.5.0", 0],
  ["14.10", "14.9", 1],
  ["13.12.12", "13.12.11", 1],
  ["9.5", "14.0", -1],
  ["014.05", "14.5", 0],
])("release %s against %s: %i", (a, b, sign) => {
  expect(Math.sign(compareReleases(a, b))).toBe(sign);
});

interface Written {
  readonly $ref?: string;
  readonly anyOf?: readonly Written[];
}

/** Each parameter with the `$ref`s of the alternatives that a manifest may write for it. */
function everyParameter() {
  const definitions = schema.definitions as Readonly<Record<string, Written>>;
  const slugs: Readonly<Record<string, { readonly properties: Readonly<Record<string, Written>> }>> = schema.properties;
  return [...integrations.values()].flatMap(({ slug, parameters }) =>
    [...parameters.values()].map((parameter) => {
      const written = slugs[slug]?.properties[parameter.name];
      const full = definitions[written?.$ref?.replace("#/definitions/", "") ?? ""] ?? written;
      return { at: `${slug}.${parameter.name}`, parameter, alternatives: full?.anyOf?.map((each) => each.$ref) ?? [] };
    }),
  );
}

describe("the schema for editors", () => {
  const accepts = new Ajv({ strict: false, allErrors: true }).compile(schema);

  test("each definition is used, and a $ref has no siblings", () => {
    const text = JSON.stringify(schema);
    const all = text + JSON.stringify(manifestSchema);
    const unused = Object.keys(schema.definitions).filter((name) => !all.includes(`#/definitions/${name}"`));
    expect(unused).toEqual([]);
    expect(text).not.toMatch(/"\$ref":"[^"]*",|,"\$ref"/);
  });

  test("offers every slug where one is named", () => {
    expect(schema.definitions.slug.enum).toEqual(Object.keys(schema.properties));
  });

  test("takes an interpolation for what is no free text, and a reference for what may be a string", () => {
    const single = everyParameter().filter(({ parameter }) => parameter.types.length === 1);
    const odd = single.filter(({ parameter: { types, enum: allowed, pattern }, alternatives }) => {
      const isText = types[0] === "string" && !allowed;
      const isStrict = !isText || pattern !== undefined;
      return (
        alternatives.includes("#/definitions/interpolation") !== isStrict ||
        alternatives.includes("#/definitions/reference") !== isText
      );
    });
    expect(odd.map(({ at }) => at)).toEqual([]);
  });

  test.each<[string, string, Record<string, unknown>]>([
    ["a reference for a secret", "chat-webhook-c", { webhook: { secret: "env:HOOK" } }],
    ["a reference with a version", "chat-webhook-c", { webhook: { secret: "file:hook.txt", version: 2 } }],
    ["a reference to a provider", "chat-webhook-c", { webhook: { secret: "vault:${project.path}/hook" } }],
    ["a reference for any string", "external-wiki", { external_wiki_url: { secret: "env:WIKI" } }],
    ["an interpolated boolean", "chatops-flows", { token: { secret: "env:T" }, push_events: "${vars.push}" }],
    ["an interpolated integer", "irc-gateway", { recipients: "#a", server_port: "${vars.port}" }],
    ["an interpolated choice", "pipelines-email", { recipients: "a", branches_to_be_notified: "${vars.branches}" }],
    [
      "an interpolated issues_url",
      "issue-tracker-workflow",
      { new_issue_url: "x", project_url: "x", issues_url: "${vars.issues}" },
    ],
    ["a server that is true", "package-repo-update", { username: "u", token: "t", server: true }],
  ])("accepts %s", (_, slug, parameters) => {
    expect(accepts({ [slug]: parameters }), JSON.stringify(accepts.errors)).toBe(true);
  });

  test.each<[string, string, unknown]>([
    ["an unknown parameter", "irc-gateway", { recipients: "#a", colour: "red" }],
    ["a word for a boolean", "irc-gateway", { recipients: "#a", push_events: "yes" }],
    ["a choice that is none", "pipelines-email", { recipients: "a", branches_to_be_notified: "some" }],
    ["an issues_url without :id", "issue-tracker-workflow", { new_issue_url: "x", project_url: "x", issues_url: "x" }],
    ["a reference to nowhere", "chat-webhook-c", { webhook: { secret: "x" } }],
    ["an address for a reference", "chat-webhook-c", { webhook: { secret: "https://chat.example.com/hook" } }],
    ["a reference without a name", "chat-webhook-c", { webhook: { secret: "env:" } }],
    ["a reference with a misspelt word", "chat-webhook-c", { webhook: { secret: "env:A", verson: 1 } }],
    ["a version below 1", "chat-webhook-c", { webhook: { secret: "env:A", version: 0 } }],
    ["a reference for a boolean", "chatops-flows", { token: "t", push_events: { secret: "env:A" } }],
  ])("rejects %s", (_, slug, parameters) => {
    expect(accepts({ [slug]: parameters })).toBe(false);
  });
});
