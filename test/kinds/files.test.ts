import { expect, test } from "vitest";
import schema from "../../schemas/resource-kind.schema.json" with { type: "json" };
import { compile } from "../../src/base/schema.ts";
import { minimal } from "./kinds.ts";

const check = compile(schema);

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
