import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { call } from "../../src/model/call.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { typesOf } from "../../src/model/field-meaning.ts";
import { compileKindExpression } from "../../src/model/kind-expressions.ts";
import { normalise } from "../../src/model/normalise.ts";
import {
  type FieldSchema,
  keyFieldsOf,
  keyTextOf,
  keyValuesOf,
  type ResourceKind,
} from "../../src/model/resource-kind.ts";
import { resourceKindFaults } from "../../src/model/resource-kind-faults.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import { minimal, readYaml } from "../kinds/kinds.ts";

const folder = join(import.meta.dirname, "../../schemas/kinds");
const cases = join(import.meta.dirname, "../cases/kinds");
const kinds = readdirSync(folder).map(
  (file) => [file, parse(readFileSync(join(folder, file), "utf8")) as ResourceKind] as const,
);

const faults = (document: unknown, others: readonly ResourceKind[] = []) =>
  resourceKindFaults(document, others).map(({ path, message }) => `${path.join(".")}: ${message}`);

describe.each(kinds)("%s", (file, kind) => {
  // The names of what has a catalogue are reserved.
  test.skipIf(kind.keys !== undefined)("is right, beside all others", () => {
    const others = kinds.flatMap(([name, each]) => (name === file ? [] : [each]));
    expect(faults(kind, others)).toEqual([]);
  });
});

const { fields, calls } = minimal;
const withField = (name: string, field: object) => ({
  fields: { ...fields, properties: { ...fields.properties, [name]: field } },
});

/** A change of the smallest kind: of keys, of one of its calls, or of one of its fields. */
type Change = Readonly<Record<string, unknown>> & { readonly call?: object; readonly field?: Record<string, object> };

function changed({ call: own, field, ...change }: Change): unknown {
  const [[name, schema] = []] = Object.entries(field ?? {});
  return {
    ...minimal,
    ...change,
    ...(own && { calls: { ...calls, ...own } }),
    ...(name && schema && withField(name, schema)),
  };
}

test("each mistake in a kind is reported", async () => {
  const changes = readYaml(join(cases, "faults.yaml")) as readonly Change[];
  const lines = changes.map(
    (change) =>
      `${JSON.stringify(change)}\n${faults(changed(change))
        .map((each) => `  ${each}\n`)
        .join("")}`,
  );
  expect(lines.filter((line) => !line.includes("\n  "))).toEqual([]);
  await expect(lines.join("")).toMatchFileSnapshot(join(cases, "faults.txt"));
  const many = { type: "string", pattern: "a|".repeat(251) };
  expect(faults(changed({ field: { word: many } }))).toEqual([
    "fields.properties.word.pattern: expected a pattern of at most 500 characters",
  ]);
  const conditions = { anyOf: Array.from({ length: 5000 }, () => ({ type: "string" })) };
  expect(faults(changed({ field: { word: conditions } }))).toContain(
    "fields: expected at most 5000 fields, conditions and lists",
  );
});

test("a kind comes after others of its owner, and not after itself", () => {
  const labels = { name: "labels", singular: "label", of: "project" } as const as unknown as ResourceKind;
  expect(faults({ ...minimal, after: ["labels"] }, [labels])).toEqual([]);
  expect(faults({ ...minimal, after: ["labls", "hooks"] }, [labels])).toEqual([
    "after.0: there is no other kind labls of projects; did you mean labels?",
    expect.stringMatching(/^after\.1: there is no other kind hooks of projects/),
  ]);
  expect(faults({ ...minimal, after: ["labels"] }, [{ ...labels, of: "group" }])).toHaveLength(1);
});

test("the smallest kind is right, with its key in a list too", () => {
  expect([faults(minimal), faults({ ...minimal, key: [minimal.key] })]).toEqual([[], []]);
});

test("an expression that does not end, and a pattern that is none", () => {
  expect(faults({ ...minimal, where: "row.id ==" })).toEqual([
    expect.stringMatching(/^where: not an expression of CEL: ./),
  ]);
  const misfit = { type: "object", propertyNames: { pattern: "(" } };
  expect(faults({ ...minimal, ...withField("word", misfit) })).toEqual([
    "fields.properties.word.propertyNames.pattern: not a regular expression: unterminated group",
  ]);
});

test("names are taken once for projects and once for groups", () => {
  const known = { ...minimal, fields } as unknown as ResourceKind;
  expect(faults(minimal, [known])).toEqual([
    "name: hooks is taken by the kind hooks of projects",
    "singular: hook is taken by the kind hooks of projects",
  ]);
  expect(faults({ ...minimal, of: ["project", "group"] }, [known])).toHaveLength(2);
  expect(faults(minimal, [{ ...known, of: "group" }])).toEqual([]);
});

test("a key is read as it is written, also where a default was left out", () => {
  const kind = kinds.find(([file]) => file === "variables.yaml")?.[1];
  if (!kind) throw new RangeError("there is no kind of variables");
  const [first = "", second = ""] = keyFieldsOf(kind);
  fc.assert(
    fc.property(
      fc.stringMatching(/^[A-Z_]{1,9}$/),
      fc.constantFrom("*", "production", "review/*", "a@b"),
      (key, scope) => {
        const text = keyTextOf(kind, { [first]: key, [second]: scope });
        expect(keyValuesOf(kind, text)).toEqual({ [first]: key, [second]: scope });
        expect(text).toBe(scope === "*" ? key : `${key}@${scope}`);
      },
    ),
  );
});

test("no two resources have the same key, whatever their fields are", () => {
  const properties = Object.fromEntries(["a", "b", "c"].map((name) => [name, { type: "string", default: "*" }]));
  const kind = { ...minimal, key: ["a", "b", "c"], fields: { properties } } as unknown as ResourceKind;
  const part = fc.array(fc.constantFrom("@", "%", "4", "0", "2", "5", "*", "x"), { minLength: 1, maxLength: 7 });
  const parts = part.map((texts) => texts.join(""));
  fc.assert(
    fc.property(fc.record({ a: parts, b: parts, c: parts }), (values) => {
      expect(keyValuesOf(kind, keyTextOf(kind, values))).toEqual(values);
    }),
  );
});

test("an expression gives the numbers of JSON, and nothing where the row lacks what it reads", () => {
  const expression = compileKindExpression("row.levels.map(each, {'level': each.level})", ["row"], "any");
  if ("fault" in expression) throw new RangeError(expression.fault);
  expect(expression.valueOf({ row: { levels: [{ level: 40 }] } })).toEqual([{ level: 40 }]);
  expect(expression.valueOf({ row: {} })).toBeUndefined();
});

describe("licenses", () => {
  const row = catalogueOf().kinds.get("license");
  if (!row) throw new RangeError("there is no kind of licenses");

  test("have the spelling and the identity of the specification", () => {
    const license = { kind: "license", key: "MIT" };
    const spelled = ["approved", "blacklisted", "allowed", "denied", "else"].map((word) =>
      normalise(catalogueOf(), license, "approval_status", word),
    );
    expect(spelled).toEqual(["allowed", "denied", "allowed", "denied", "else"]);
    expect(["MIT", "mIt"].map(row.identity)).toEqual(["mit", "mit"]);
  });
});

function pathOf({ of, under }: ResourceKind): RegExp {
  if (under === "create") return /^\/(?:projects|groups)\b/;
  return of === "instance" ? /^\/(?:application|admin|topics|hooks)\b/ : /^\/(?:projects|groups)\/a%2Fb/;
}

const rowParts = { "row.cn": "c", "row.provider": "p", "row.group_id": "8" };

test.each(kinds)("%s has calls that its keys and rows fill", (_, kind) => {
  const { calls, read } = kindRowOf(kind);
  const keys = Object.fromEntries(keyFieldsOf(kind).map((name) => [name, "x"]));
  const segments = {
    id: "a/b",
    "row.id": "7",
    "row.name": "n",
    "row.key": "k",
    "row.environment_scope": "*",
    ...rowParts,
    ...keys,
  };
  for (const endpoint of [...Object.values(calls), read?.list, read?.single]) {
    if (typeof endpoint === "object") expect(call(endpoint, segments).path).toMatch(pathOf(kind));
  }
  const isUntyped = (field: FieldSchema) => typesOf(field).every((type) => type === "null");
  expect(Object.values(kind.fields.properties).filter(isUntyped)).toEqual([]);
});
