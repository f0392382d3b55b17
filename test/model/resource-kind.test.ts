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
import { minimal } from "../kinds/kinds.ts";

const folder = join(import.meta.dirname, "../../schemas/kinds");
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

const stray = "expected a path below /api/v4, without #, % and \\, and without parts that are empty or begin with .";

type Wrong = readonly [change: object, fault: string];

function onField(name: string, field: object, fault: string): Wrong {
  return [withField(name, field), `fields.properties.${name}${fault}`];
}

function onCall(name: string, text: string, fault: string): Wrong {
  return [{ calls: { ...calls, [name]: text } }, `calls.${name}: ${fault}`];
}

const wrong: readonly Wrong[] = [
  [{ nam: "x" }, "nam: unknown key nam; did you mean name?"],
  [{ of: "projects" }, 'of: expected one of project, group, instance, got "projects"; did you mean project?'],
  [{ key: "ulr" }, "key: there is no field ulr; did you mean url?"],
  [{ key: ["url", "scop"] }, "key.1: there is no field scop; expected one of url, token"],
  [{ key: "token" }, "key: token is part of the key: require it, or give it a default"],
  [{ only: "tokn" }, "only: there is no field tokn; did you mean token?"],
  [{ fields: { ...fields, required: ["uri"] } }, "fields.required.0: there is no field uri; did you mean url?"],
  onCall("delete", "DELETE /projects/:id/hooks/:urll", "there is no field urll; did you mean url?"),
  onCall("update", "PUT /hooks/:row.id", "the path needs :id, the project or group"),
  onCall("create", "POST /projects/:id/hooks/:row.id", "there is no row yet, so the path cannot have :row.id"),
  onCall(
    "list",
    "GET /projects/:id/hooks/:token",
    "it reads everything of a project or group, so the path cannot have :token",
  ),
  ...[
    "/../../users?name=:value",
    "/%2e%2E/x/:value",
    "/x/..%2f..%2f:value",
    "/x/..\\..\\:value",
    "/x/%2e%2e?n=:value",
    "/x/%252e%25252e?n=:value",
  ].map(
    (path) =>
      [
        { fields: { properties: { url: { "x-lookup": `GET ${path}` } } } },
        `fields.properties.url.x-lookup: ${stray}`,
      ] as const,
  ),
  [
    { fields: { properties: { url: { items: { "x-lookup": "GET /users/:valeu?name=:value" } } } } },
    "fields.properties.url.items.x-lookup: a look-up has :value and :id, and no :valeu; did you mean value?",
  ],
  ...[
    "PUT /projects/:id/../../:row.id",
    "PUT /projects/:id//x",
    "PUT /projects/:id/x#y",
    "PUT /projects/:id/%2E.",
    "PUT /projects/:id/x%2f%2e%2E",
    "PUT /projects/:id/..;/x",
    "PUT /projects/:id/%zz",
    "PUT /%70rojects/:id/hooks",
    "PUT /projects/%3Aid/hooks?of=:id",
    "PUT /projects/:id/.json",
    "PUT /projects/:id;x",
    "PUT /projects/:id\\\\x",
  ].map((update) => [{ calls: { ...calls, update } }, `calls.update: ${stray}`] as const),
  onCall(
    "update",
    "DELETE /projects/:id/hooks/:row.id",
    "DELETE removes something; expected POST, PUT or PATCH for update",
  ),
  ...[
    "/projects/:id",
    "/projects/:id?hook=:row.id",
    "/projects/:row.id?of=:id",
    "/projects/:row.path_with_namespace?of=:id",
    "/projects/:id.json",
    "/groups/:id/hooks/:row.id",
    "/users/:row.id?of=:id",
    "/user?of=:id",
  ].map(
    (removal) =>
      [
        { calls: { ...calls, delete: `DELETE ${removal}` } },
        "calls.delete: it may delete a project or group itself, or something of another; expected a path below /projects/:id",
      ] as const,
  ),
  ...["_method", "sudo", "private_token", "access_token", "job_token"].flatMap((name) => {
    const reserved = `${name} decides the method of a request, or as whom it is sent; expected another name`;
    const update = `PUT /projects/:id/hooks/:row.id?${encodeURIComponent(name)}=DELETE`;
    return [
      [withField(name, { type: "string" }), `fields.properties.${name}: ${reserved}`],
      [{ calls: { ...calls, update } }, `calls.update: ${reserved}`],
      [
        withField("verb", { type: "string", "x-send": { [name]: "'DELETE'" } }),
        `fields.properties.verb.x-send.${name}: ${reserved}`,
      ],
    ] as const;
  }),
  onCall("list", "GET /api/v4/projects/:id/hooks", "leave out /api/v4: paths are relative to it"),
  onCall("update", "PUT /projects/:id/hooks/:row_id", "there is no field row_id; did you mean row.id?"),
  onField("word", { type: "string", "x-introduced": "16.0" }, ".x-source: missing x-source, which x-introduced needs"),
  [
    withField("word", { anyOf: Array.from({ length: 5000 }, () => ({ type: "string" })) }),
    "fields: expected at most 5000 fields, conditions and lists",
  ],
  onField("word", { type: "string", "x-strict": true }, ".x-strict: true is about fields of type boolean"),
  onField(
    "word",
    { type: "string", "x-strict": "limit" },
    ".x-strict: limit is about fields of type integer or number",
  ),
  onField("word", { enum: ["a", "b"], "x-strict": ["a", "c"] }, ".x-strict: the field has no value c"),
  onField(
    "secret",
    { type: "string", writeOnly: true, default: "x" },
    ".default: the field is writeOnly: a secret has no default",
  ),
  onField("url", { type: "string", writeOnly: true }, ".writeOnly: url is the key, which is no secret"),
  onField("url", { type: "array" }, ".type: url is the key: expected string or integer"),
  onField(
    "word",
    { type: "array", items: { type: "string", pattern: "[a" } },
    ".items.pattern: not a regular expression: unterminated character class",
  ),
  ...["^(?!x)", "(a)\\1"].map(
    (pattern) =>
      [
        withField("word", { type: "string", anyOf: [{ pattern }] }),
        "fields.properties.word.anyOf.0.pattern: expected a pattern without look-around and back-references, as RE2 has them",
      ] as const,
  ),
  ...["a{1000}b", "(a{30}){30}[b-z]{200}"].map(
    (pattern) =>
      [
        withField("word", { type: "string", not: { pattern } }),
        "fields.properties.word.not.pattern: this pattern is too large; use fewer or smaller counts such as {9}",
      ] as const,
  ),
  onField(
    "word",
    { type: "string", pattern: "a|".repeat(251) },
    ".pattern: expected a pattern of at most 500 characters",
  ),
  [{ of: "instance" }, "calls.list: the instance has no ID, so the path cannot have :id"],
  [
    { of: "instance", calls: { list: "GET /hooks", delete: "DELETE /projects/:row.id" } },
    "calls.delete: it may delete a project or group itself, or something of another; expected a path below /, but not below /projects, /groups or /users",
  ],
  [{ of: ["project", "instance"] }, 'of.1: expected one of project, group, got "instance"'],
  [{ where: "rwo.id > 1" }, "where: not an expression of CEL: unknown name rwo; did you mean row?"],
  [{ where: "'text'" }, "where: not an expression of CEL: expected true or false, got a string"],
  [{ loosened: "after.tokn == ''" }, "loosened: there is no field tokn; did you mean token?"],
  [
    { tightened: "before == null || has(before.tokn) && before.?url.orValue('') == ''" },
    "tightened: there is no field tokn; did you mean token?",
  ],
  [
    { loosened: "before.x.matches(after.x)" },
    "loosened: not an expression of CEL: matches needs its pattern written out here",
  ],
  onField(
    "flag",
    { type: "boolean", "x-read": "want.flag" },
    ".x-read: not an expression of CEL: unknown name want; it knows row",
  ),
];

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
  expect(faults(minimal)).toEqual([]);
  expect(faults({ ...minimal, key: [minimal.key] })).toEqual([]);
});

test.each(wrong)("%j", (change, fault) => {
  expect(faults({ ...minimal, ...change })).toContain(fault);
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
