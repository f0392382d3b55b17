import { expect, test } from "vitest";
import { call, NamesNothing } from "../../src/model/call.ts";
import type { Endpoint } from "../../src/model/endpoints.ts";

const endpoint: Endpoint = {
  method: "PUT",
  path: "/projects/:id/hooks/:row.id/scopes/:environment_scope?filter[name]=:name",
  body: "json",
  answer: { holds: "row", fields: { id: "number" }, same: { id: ":row.id" } },
};

const segments = { id: "a/b", "row.id": "7", environment_scope: "prod/*", name: "A&B" };

test("a path is filled with the project, fields and what the row has", () => {
  expect(call(endpoint, segments, { url: "https://example.com" })).toMatchObject({
    method: "PUT",
    path: "/projects/a%2Fb/hooks/7/scopes/prod%2F*?filter%5Bname%5D=A%26B",
    body: "json",
    answer: { same: { id: "7" } },
  });
});

test("a path that lacks a part, or that it would leave, is no call", () => {
  expect(() => call(endpoint, { ...segments, name: "" })).toThrow(NamesNothing);
  expect(() => call(endpoint, { ...segments, environment_scope: "../x" })).toThrow(NamesNothing);
  expect(() => call(endpoint, { id: "a/b" })).toThrow(RangeError);
});
