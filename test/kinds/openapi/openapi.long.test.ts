import { readFileSync } from "node:fs";
import { join } from "node:path";
import yaml from "js-yaml";
import { describe, expect, test } from "vitest";
import { missingField } from "../../../src/manifest/field-availability.ts";
import { unavailable } from "../../../src/model/availability.ts";
import { catalogueOf } from "../../../src/model/catalogue.ts";
import { endpoints } from "../../../src/model/endpoints.ts";
import { quirksAt } from "../../../src/model/integration.ts";
import { compareReleases } from "../../../src/model/releases.ts";
import { type FieldSchema, type KindFile, kinds, readYaml, schemasWithin } from "../kinds.ts";
import { noDocument, operationOf, readDocument } from "./document.ts";

/** Lines of known differences, by kind, each with its reason. */
interface Differences {
  /** Parameters that the platform takes and we lack. */
  readonly lacking: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Calls and parameters of ours that the document lacks. */
  readonly unknown: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const file = process.env.EVENKEEL_OPENAPI;
const differences = readYaml(join(import.meta.dirname, "differences.yaml")) as Differences;

test("differences name kinds that there are", () => {
  const named = [...Object.keys(differences.lacking), ...Object.keys(differences.unknown)];
  expect(named.filter((name) => !kinds.has(name) && name !== "endpoints" && name !== "integrations")).toEqual([]);
});

test("a document of OpenAPI 3 and one of Swagger 2 have the same parameters", () => {
  const hook = { properties: { url: { type: "string" }, token: { type: "string" } } };
  const query = { name: "filter[scope]", in: "query" };
  const id = { name: "id", in: "path" };
  const three = readDocument({
    info: { version: "19.5" },
    paths: {
      "/api/v4/projects/{id}/hooks/{hook_id}": {
        put: {
          parameters: [id, query],
          requestBody: { content: { json: { schema: { $ref: "#/components/schemas/Hook" } } } },
        },
      },
    },
    components: { schemas: { Hook: { allOf: [hook] } } },
  });
  const two = readDocument({
    info: { version: "v4" },
    paths: {
      "/api/v4/projects/{id}/hooks/{id}": {
        put: { parameters: [id, query, { in: "body", schema: { $ref: "#/definitions/Hook" } }] },
      },
    },
    definitions: { Hook: hook },
  });
  const operations = new Map([["PUT /projects/{}/hooks/{}", new Set(["filter", "url", "token"])]]);
  expect([three, two]).toEqual([
    { release: "19.5", operations },
    { release: undefined, operations },
  ]);
});

describe.skipIf(file === undefined)("a published document (needs EVENKEEL_OPENAPI=FILE)", () => {
  const { operations, release = "99.0" } =
    file === undefined ? noDocument : readDocument(yaml.load(readFileSync(file, "utf8")));

  test.each([...kinds].filter(([, kind]) => !isRemoved(kind, release)))("has every call of %s", (name, kind) => {
    const known = new Set(Object.keys(differences.unknown[name] ?? {}));
    const calls = callsOf(kind).map(({ operation }) => operation);
    const lookUps = schemasWithin(kind.fields).flatMap(([, { "x-lookup": call }]) =>
      call ? operationsOf(call, kind) : [],
    );
    expect([...calls, ...lookUps].filter((each) => !operations.has(each) && !known.has(each))).toEqual([]);
  });

  test.each([...kinds].filter(([, kind]) => !isRemoved(kind, release)))(
    "has every parameter of %s, and no other",
    (name, kind) => {
      const writes = callsOf(kind).filter(({ name }) => name === "create" || name === "update");
      const known = writes.filter(({ operation }) => operations.has(operation));
      const taken = new Set(known.flatMap(({ operation }) => [...(operations.get(operation) ?? [])]));
      const inPath = new Set(writes.flatMap(({ parts }) => parts));
      const sent = sentBy(kind, release).filter((parameter) => taken.has(parameter) || !inPath.has(parameter));
      if (known.length > 0) expect(differing(name, sent, taken)).toEqual({ unknown: [], lacking: [] });
    },
  );

  test("has every other call", () => {
    const known = new Set(Object.keys(differences.unknown.endpoints ?? {}));
    const own = Object.values(endpoints).map(({ method, path }) => operationOf(method, path));
    expect(own.filter((each) => !operations.has(each) && !known.has(each))).toEqual([]);
  });

  const platform = { release, tier: "ultimate", environment: "production" } as const;
  const catalogue = catalogueOf("gitlab");
  const integrations = [...catalogue.integrations.values()].filter((each) => !unavailable(each, platform));

  test("has every integration, and no other", () => {
    const path = /^PUT \/projects\/\{\}\/integrations\/([^/]+)$/;
    const taken = new Set([...operations.keys()].flatMap((each) => path.exec(each)?.[1] ?? []));
    const own = integrations.map(({ slug }) => slug);
    expect(differing("integrations", own, taken)).toEqual({ unknown: [], lacking: [] });
  });

  test.each(integrations.map((each) => [each.slug, each] as const))(
    "has every parameter of %s, and no other",
    (slug, integration) => {
      const taken = operations.get(operationOf("PUT", `/projects/:id/integrations/${slug}`));
      if (taken === undefined) return;
      const own = [...integration.parameters.values()].filter(
        (each) =>
          !missingField({ ...integration, singular: slug }, each.name, null, platform) &&
          !quirksAt(each, release).has("dropped"),
      );
      const found = differing(
        "integrations",
        own.map(({ name }) => `${slug}.${name}`),
        Array.from(taken, (name) => `${slug}.${name}`),
      );
      expect(found).toEqual({ unknown: [], lacking: [] });
    },
  );
});

/** Names on one side alone that no line of the differences gives a reason for. */
function differing(kind: string, own: Iterable<string>, taken: Iterable<string>) {
  const [ours, theirs] = [new Set(own), new Set(taken)];
  const isOpen = (reasons: Readonly<Record<string, string>> = {}) => {
    const patterns = Object.keys(reasons).map(
      (key) => new RegExp(`^${key.replaceAll(".", "\\.").replaceAll("*", ".*")}$`),
    );
    return (name: string) => !patterns.some((each) => each.test(name));
  };
  return {
    unknown: [...ours].filter((name) => !theirs.has(name)).filter(isOpen(differences.unknown[kind])),
    lacking: [...theirs].filter((name) => !ours.has(name)).filter(isOpen(differences.lacking[kind])),
  };
}

interface KindCall {
  readonly name: string;
  readonly operation: string;
  /** Fields in the path. */
  readonly parts: readonly string[];
}

/** The calls of a kind; twice, if it is of projects and of groups. */
function callsOf(kind: KindFile): readonly KindCall[] {
  return Object.entries(kind.calls).flatMap(([name, stated]) => {
    const call = typeof stated === "string" ? stated : stated.call;
    const parts = Array.from(call.matchAll(/:(\w+)/g), ([, part = ""]) => part);
    return operationsOf(call, kind).map((operation) => ({ name, operation, parts }));
  });
}

function operationsOf(call: string, { of }: KindFile): readonly string[] {
  const [method = "", path = ""] = call.split(" ");
  if (!Array.isArray(of)) return [operationOf(method, path)];
  return of.map((owner) => operationOf(method, path.replace(/^\/(?:projects|groups)\//, `/${owner}s/`)));
}

/** Parameters that a kind sends to a server of this release. */
function sentBy({ fields }: KindFile, release: string): readonly string[] {
  return Object.entries(fields.properties).flatMap(([name, field]) => {
    const { "x-introduced": from, "x-removed": until, "x-send": sends, "x-send-as": parameter } = field as FieldSchema;
    if (sends === "null" || (field as FieldSchema)["x-items"]?.create !== undefined) return [];
    if (from !== undefined && compareReleases(release, from) < 0) return [];
    if (until !== undefined && compareReleases(release, until) >= 0) return [];
    return typeof sends === "object" ? Object.keys(sends) : [parameter ?? name];
  });
}

function isRemoved(kind: KindFile, release: string): boolean {
  const { removed } = kind as { removed?: { release: string } };
  return removed !== undefined && compareReleases(release, removed.release) >= 0;
}
