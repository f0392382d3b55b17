import fc from "fast-check";
import { expect, test } from "vitest";
import { encode, resolveParameters } from "../../src/client/encode.ts";
import type { Call, Fields, Plain } from "../../src/model/types.ts";

function formOf(parameters: Fields): string | undefined {
  const call: Call = { method: "POST", path: "/x", parameters, body: "form" };
  return encode(call, "/x", resolveParameters(call, undefined)).body;
}

test.each<[Fields, string]>([
  [{ a: [1, 2] }, "a[]=1&a[]=2"],
  [{ a: { b: "c" } }, "a[b]=c"],
  [{ a: { b: [true, null] } }, "a[b][]=true&a[b][]="],
  [{ a: [{ b: 1, c: 2 }, { b: 3 }] }, "a[][b]=1&a[][c]=2&a[][b]=3"],
  [{ a: [] }, "a[]="],
  [{ a: {} }, "a="],
  [{ a: null, b: false, c: 0, d: "" }, "a=&b=false&c=0&d="],
])("%j as a form", (parameters, form) => {
  expect(decodeURIComponent(formOf(parameters) ?? "")).toBe(form);
});

const name = fc.stringMatching(/^[a-z_]{1,5}$/);
const scalar = fc.string({ minLength: 1 });
const { value } = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(scalar, { minLength: 1, maxLength: 4 }),
    fc.dictionary(name, tie("value"), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
  ),
}));

function decoded(form: string): Plain {
  const root: Record<string, unknown> = {};
  for (const [key, text] of new URLSearchParams(form)) {
    const path = [...key.matchAll(/(?:^|\[)(\w*)(?:\]|$|(?=\[))/g)].map(([, part = ""]) => part);
    path.reduce<unknown>((inside, part, index) => {
      const next = index === path.length - 1 ? text : path[index + 1] === "" ? [] : {};
      if (Array.isArray(inside)) return inside.push(next);
      const mapping = inside as Record<string, unknown>;
      mapping[part] = mapping[part] ?? next;
      return mapping[part];
    }, root);
  }
  return root as Plain;
}

test("a form says what was given, whatever is in the texts", () => {
  fc.assert(
    fc.property(fc.dictionary(name, value, { noNullPrototype: true }), (parameters) => {
      expect(decoded(formOf(parameters) ?? "")).toEqual(parameters);
    }),
  );
});

test("secrets in lists and mappings are resolved, and sent by no read", () => {
  const parameters = { headers: [{ key: "X-Team", value: { secret: "env:TEAM" } }], url: "https://example.com" };
  const secrets = {
    resolve: ({ secret }: { readonly secret: string }) => `value of ${secret}`,
    known: () => undefined,
  };
  const call: Call = { method: "PUT", path: "/x", parameters, body: "json" };
  expect(JSON.parse(encode(call, "/x", resolveParameters(call, secrets as never)).body ?? "")).toEqual({
    headers: [{ key: "X-Team", value: "value of env:TEAM" }],
    url: "https://example.com",
  });
  expect(() => resolveParameters({ ...call, method: "GET" }, secrets as never)).toThrow(RangeError);
});

test.each<[string, Fields, string]>([
  ["/x", { page: "2" }, "/x?page=2"],
  ["/x?own=false", { page: "2" }, "/x?own=false&page=2"],
  ["/x?own=false", { own: "true", page: "2" }, "/x?own=false&page=2"],
  ["/x?own=false", {}, "/x?own=false"],
  ["/x?filter[a]=%2A", { "filter[a]": "b", page: "2" }, "/x?filter[a]=%2A&page=2"],
])("a list of %s with %j is %s", (target, parameters, asked) => {
  const call: Call = { method: "GET", path: "/x", parameters };
  expect(encode(call, target, resolveParameters(call, undefined)).target).toBe(asked);
});
