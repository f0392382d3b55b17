import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Comparison, comparable, compareMeaning, meaningOf, wireValue } from "../../src/model/field-meaning.ts";
import type { FieldSchema } from "../../src/model/resource-kind.ts";
import type { Value } from "../../src/model/types.ts";

const text: FieldSchema = { type: "string" };
const flag: FieldSchema = { type: "boolean" };
const words = { "no one": 0, developer: 30, maintainer: 40 };
const level: FieldSchema = { type: "integer", enum: [0, 30, 40], "x-words": words };
const status: FieldSchema = { enum: ["allowed", "denied"], "x-words": { approved: "allowed", blacklisted: "denied" } };
const set = (items: FieldSchema): FieldSchema => ({ type: "array", "x-set": true, items });
const people = set({
  type: "object",
  properties: { level, user: { type: ["string", "integer"] }, count: { type: "integer", default: 1 }, note: text },
});
const headers = set({ type: "object", properties: { key: text, value: { type: "string", writeOnly: true } } });
const policy: FieldSchema = {
  type: "object",
  properties: { enabled: flag, keep: { type: ["integer", "null"] }, token: { type: "string", writeOnly: true } },
};

test.each<[string, FieldSchema, Value, Value | undefined, Comparison]>([
  ["equal texts", text, "a", "a", "same"],
  ["texts that differ in case", text, "a", "A", "different"],
  ["texts of a field without case", { ...text, "x-case": "ignore" }, "#D9534F", "#d9534f", "same"],
  ["texts with other line ends", text, "a\r\nb", "a\nb", "same"],
  ["an empty text, answered as null", text, "", null, "same"],
  ["an empty text that is not answered", text, "", undefined, "same"],
  ["null for an empty text", text, null, "", "same"],
  ["null for no text", text, null, undefined, "same"],
  ["null where null is a value", { type: ["integer", "null"] }, null, 0, "different"],
  ["null where null is a value, answered so", { type: ["integer", "null"] }, null, null, "same"],
  ["null where null is a text", { type: ["string", "null"] }, null, "", "same"],
  ["null for zero", { type: "integer" }, 0, null, "different"],
  ["off, answered as null", flag, false, null, "same"],
  ["off that is not answered", flag, false, undefined, "unverified"],
  ["on, answered as a text", flag, true, "true", "same"],
  ["a number, answered as a text", { type: "integer" }, 7, "7", "same"],
  ["digits that are a text", text, "7", "07", "different"],
  [
    "times in other zones",
    { ...text, format: "date-time" },
    "2030-01-01T01:00:00+01:00",
    "2030-01-01T00:00:00.000Z",
    "same",
  ],
  ["times that differ", { ...text, format: "date-time" }, "2030-01-01T00:00:00Z", "2030-01-01T00:00:01Z", "different"],
  ["dates are no times", { ...text, format: "date" }, "2030-01-01", "2030-01-02", "different"],
  ["a word and its number", level, "maintainer", 40, "same"],
  ["a number and its word", level, 40, "maintainer", "same"],
  ["a number without a word", level, 40, 60, "different"],
  ["an old word of a value", status, "approved", "allowed", "same"],
  ["a word that every object has", status, "constructor", "allowed", "different"],
  ["lists in another order", { type: "array", items: text }, ["a", "b"], ["b", "a"], "different"],
  ["sets in another order", set(text), ["a", "b"], ["b", "a"], "same"],
  ["sets with one item twice", set(text), ["a", "b", "a"], ["b", "a"], "same"],
  ["sets of words and numbers", set(level), ["maintainer", "no one"], [0, 40], "same"],
  ["items with what is a default", people, [{ user: 1, count: 1 }], [{ user: 1 }], "same"],
  ["items with what is no default", people, [{ user: 1, count: 2 }], [{ user: 1 }], "different"],
  ["items with an empty text", people, [{ user: 1 }], [{ user: 1, note: null }], "same"],
  ["items of which the server shows more", people, [{ user: 1 }], [{ user: 1, id: 7, name: "x" }], "same"],
  ["items with words within", people, [{ level: "maintainer" }], [{ level: 40 }], "same"],
  ["items with a secret", headers, [{ key: "a", value: { secret: "env:A" } }], [{ key: "a" }], "unverified"],
  [
    "items that differ beside a secret",
    headers,
    [{ key: "a", value: { secret: "env:A" } }],
    [{ key: "b" }],
    "different",
  ],
  ["items whose secret is answered", headers, [{ key: "a" }], [{ key: "a", value: "hunter2" }], "same"],
  ["mappings of which less is declared", policy, { enabled: true }, { enabled: true, keep: 5 }, "same"],
  ["mappings that differ", policy, { enabled: true, keep: null }, { enabled: true, keep: 5 }, "different"],
  ["mappings of which less is answered", policy, { enabled: true, keep: 5 }, { enabled: true }, "unverified"],
  ["mappings with a secret", policy, { enabled: true, token: { secret: "env:T" } }, { enabled: true }, "unverified"],
  ["a mapping that is not there", policy, { enabled: true }, null, "different"],
  ["a secret", { ...text, writeOnly: true }, { secret: "env:T" }, "hunter2", "unverified"],
])("%s", (_, field, desired, live, expected) => {
  expect(compareMeaning(field, desired, live)).toBe(expected);
  if (live !== undefined)
    expect(compareMeaning(field, meaningOf(field, desired), meaningOf(field, live))).toBe(expected);
});

test("what is shown has words, and what is sent has values", () => {
  const list = [{ level: 40 }, { level: "no one" }];
  expect(meaningOf(people, list)).toEqual([{ level: "no one" }, { level: "maintainer" }]);
  expect(wireValue(people, meaningOf(people, list))).toEqual([{ level: 0 }, { level: 40 }]);
  expect(meaningOf(status, "approved")).toBe("allowed");
  expect(meaningOf(policy, { enabled: false, token: { secret: "env:T" } })).toEqual({
    enabled: false,
    token: { secret: "env:T" },
  });
});

describe("laws", () => {
  const person = fc.record(
    {
      level: fc.constantFrom(0, 30, 40, 60, "no one", "developer", "maintainer"),
      user: fc.oneof(fc.nat(9), fc.string({ maxLength: 3 })),
      count: fc.nat(2),
      note: fc.constantFrom("", null, "x"),
      id: fc.nat(9),
    },
    { requiredKeys: [], noNullPrototype: true },
  );
  const list = fc.array(person, { maxLength: 6 });

  test("order, repetition and spelling mean nothing", () => {
    fc.assert(
      fc.property(list, (each) => {
        const other = meaningOf(people, [...each, ...each].toReversed());
        expect(compareMeaning(people, each, other)).toBe("same");
        expect(comparable(people, wireValue(people, other) as never)).toEqual(comparable(people, each));
      }),
    );
  });

  test("a normal form is its own", () => {
    fc.assert(
      fc.property(list, (each) => {
        const once = meaningOf(people, each);
        expect(meaningOf(people, once)).toEqual(once);
        expect(meaningOf(people, wireValue(people, once))).toEqual(once);
        const compared = comparable(people, each);
        expect(comparable(people, compared)).toEqual(compared);
      }),
    );
  });
});
