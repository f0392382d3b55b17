import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import schema from "../../schemas/resource-kind.schema.json" with { type: "json" };
import { compile } from "../../src/base/schema.ts";
import { type Call, type KindFile, kinds, language, minimal, schemasWithin, words } from "./kinds.ts";

const check = compile(schema);

test("each name is used once for projects and once for groups", () => {
  const used = [...kinds.values()].flatMap(({ name, singular, of }) =>
    [of].flat().flatMap((owner) => [`${owner} ${name}`, ...(singular === name ? [] : [`${owner} ${singular}`])]),
  );
  expect(used).toEqual([...new Set(used)]);
});

describe.each([...kinds])("%s", (_, kind) => {
  test("is a resource kind", () => {
    expect(check(kind)).toEqual([]);
  });

  test("has fields that are a JSON Schema with known words", () => {
    const ajv = new Ajv({ strict: true, strictRequired: false, allowUnionTypes: true, formats: { "date-time": true } });
    for (const word of [...words, "deprecationMessage"]) ajv.addKeyword(word);
    expect(() => ajv.compile(kind.fields)).not.toThrow();
  });

  test("has a key, required and only values that its fields have", () => {
    const names = Object.keys(kind.fields.properties);
    const named = [...[kind.key ?? []].flat(), ...(kind.fields.required ?? [])];
    expect(named.filter((name) => !names.includes(name))).toEqual([]);
    const keys = [kind.key ?? []].flat();
    const isGiven = (name: string) =>
      kind.fields.required?.includes(name) || "default" in (kind.fields.properties[name] ?? {});
    expect(keys.filter((name) => !isGiven(name))).toEqual([]);
  });

  test("has paths of its fields", () => {
    const names = new Set(["id", ...Object.keys(kind.fields.properties)]);
    const unknown = Object.values(kind.calls).flatMap((call) => pathNames(call).filter((name) => !names.has(name)));
    expect(unknown).toEqual([]);
    expect(Object.values(kind.calls).filter((call) => !pathNames(call).includes("id"))).toEqual([]);
  });

  test("has words for values that the field may have", () => {
    const wrong = schemasWithin(kind.fields).filter(([, field]) =>
      Object.values(field["x-words"] ?? {}).some((value) => !field.enum?.includes(value)),
    );
    expect(wrong.map(([path]) => path)).toEqual([]);
  });

  test.each(expressionsOf(kind))("understands %s", (_, text, names, type) => {
    const expression = language(...names)
      .parse(text)
      .check();
    expect(expression.error?.message).toBeUndefined();
    expect(type === "any" ? "any" : expression.type).toBe(type);
  });
});

function pathNames(call: Call): readonly string[] {
  const path = typeof call === "string" ? call : call.call;
  return [...path.matchAll(/:(?:row\.)?([a-z_]+)/g)].map(([, name = ""]) => name);
}

type Row = readonly [where: string, text: string, names: readonly string[], type: "bool" | "any"];

/** Every expression of a kind with the names that it knows. */
function expressionsOf(kind: KindFile): readonly Row[] {
  const ofKind: readonly (readonly [string, string | undefined, readonly string[]])[] = [
    ["where", kind.where, ["row"]],
    ["loosened", kind.loosened, ["before", "after"]],
    ["tightened", kind.tightened, ["before", "after"]],
  ];
  return [
    ...ofKind.flatMap(([where, text, names]): readonly Row[] =>
      text === undefined ? [] : [[where, text, names, "bool"]],
    ),
    ...schemasWithin(kind.fields).flatMap(([path, field]): readonly Row[] => {
      const { "x-read": read, "x-send": send } = field;
      const sent = typeof send === "string" ? [send] : Object.values(send ?? {});
      return [
        ...(read === undefined ? [] : [[`x-read of ${path}`, read, ["row"], "any"] as const]),
        ...sent.map((text): Row => [`x-send of ${path}`, text, ["want", "row"], "any"]),
      ];
    }),
  ];
}

const wrong: Readonly<Record<string, object>> = {
  "a name in capitals": { name: "Hooks" },
  "an unknown owner": { of: "user" },
  "an unknown word": { keys: "url" },
  "an unknown call": { calls: { ...minimal.calls, enable: "POST /x" } },
  "a list that writes": { calls: { list: "POST /projects/:id/hooks" } },
  "a key without a list": { calls: { show: "GET /projects/:id/hooks" } },
  "a singleton with a list": { key: undefined },
  "replace without a way to": { replace: true },
  "a body of another kind": { body: "xml" },
  "an unknown role": { needs: { role: "boss" } },
  "a release that is a number": { needs: { release: 16 } },
  "fields without properties": { fields: { type: "object" } },
  "an unknown x- word": { fields: { properties: { url: { "x-reed": "row.url" } } } },
  "an x- word of the wrong type": { fields: { properties: { url: { "x-set": "yes" } } } },
  "an unknown word in an item": { fields: { properties: { url: { items: { typ: "string" } } } } },
  "a look-up that writes": { fields: { properties: { url: { "x-lookup": "POST /users?name=:value" } } } },
  "a look-up without a value": { fields: { properties: { url: { "x-lookup": "GET /users" } } } },
  "x-field without x-lookup": { fields: { properties: { url: { "x-field": "id" } } } },
  "x-returned of what is no secret": { fields: { properties: { url: { "x-returned": true } } } },
  "a release without a source": { fields: { properties: { url: { "x-introduced": "16.0" } } } },
};

test("the smallest kind is one", () => {
  expect(check(minimal)).toEqual([]);
});

test.each(Object.entries(wrong))("%s is refused", (_, change) => {
  expect(check(JSON.parse(JSON.stringify({ ...minimal, ...change })))).not.toEqual([]);
});
