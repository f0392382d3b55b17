import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Catalogue, catalogueOf, type IntegrationParameter } from "../../src/model/catalogue.ts";
import { kindOf } from "../../src/model/kinds.ts";
import { compareField } from "../../src/model/normalise.ts";
import type { Plain, Value } from "../../src/model/types.ts";
import { inlineText, isReference, referencesIn, replaceReferences, textsWithin } from "../../src/model/values.ts";

const { value } = fc.letrec<{ value: Plain }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 5 }), tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const collection = value.filter((each) => typeof each === "object" && each !== null && !isReference(each));

/** A catalogue whose integration `lists` has a list in order and a list without one. */
const catalogue = ((): Catalogue => {
  const known = catalogueOf();
  const [slug, integration] = [...known.integrations].find(([, { parameters }]) => parameters.size > 0) ?? [];
  const [column] = integration?.parameters.values() ?? [];
  if (!slug || !integration || !column) throw new RangeError("the catalogue is empty");
  const named = (name: string, set: boolean): [string, IntegrationParameter] => [
    name,
    { ...column, name, writeOnly: false, type: "array", "x-set": set },
  ];
  const lists = { ...integration, slug: "lists", parameters: new Map([named("ordered", false), named("set", true)]) };
  const row = { ...kindOf(known, "integration"), keys: new Map([["lists", lists]]) };
  return { ...known, kinds: new Map([["integration", row]]) };
})();

const compared = (name: string, desired: Value, live: Value | undefined) =>
  compareField(catalogue, { kind: "integration", key: "lists" }, name, desired, live);

/** The same value with the names of its mappings the other way round. */
function turned(each: Plain): Plain {
  if (typeof each !== "object" || each === null) return each;
  if (Array.isArray(each)) return each.map(turned);
  return Object.fromEntries(
    Object.entries(each)
      .reverse()
      .map(([name, inner]) => [name, turned(inner)]),
  );
}

describe("lists and mappings", () => {
  test("are the same whatever the order of names", () => {
    fc.assert(
      fc.property(collection, (each) => {
        fc.pre(referencesIn({ each }).length === 0);
        expect(compared("ordered", each, turned(each))).toBe("same");
        expect(compared("set", each, turned(each))).toBe("same");
      }),
    );
  });

  test("differ where their JSON does, and never equal a text", () => {
    fc.assert(
      fc.property(collection, value, (one, other) => {
        fc.pre(referencesIn({ one, other }).length === 0);
        const isSame = JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));
        expect(compared("ordered", one, other)).toBe(isSame ? "same" : "different");
        expect(compared("ordered", one, JSON.stringify(one))).toBe("different");
      }),
    );
  });

  test("have an order unless they are sets", () => {
    const items = fc.uniqueArray(fc.integer(), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(items, (list) => {
        const other = list.toReversed();
        expect([compared("set", list, other), compared("ordered", list, other)]).toEqual(["same", "different"]);
        expect(compared("set", [...list, ...list], list)).toBe("same");
        expect(compared("set", list, list.slice(1))).toBe("different");
      }),
    );
  });

  test("are compared without the secrets in them, which nobody can compare", () => {
    const declared = [{ key: "X-Team", value: { secret: "env:TEAM" } }];
    expect(compared("ordered", declared, [{ key: "X-Team" }])).toBe("unverified");
    expect(compared("ordered", declared, [{ key: "X-Other" }])).toBe("different");
    expect(compared("ordered", declared, undefined)).toBe("unverified");
  });
});

function sorted(each: Plain): Plain {
  if (typeof each !== "object" || each === null) return each;
  if (Array.isArray(each)) return each.map(sorted);
  const pairs = Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(pairs.map(([name, inner]) => [name, sorted(inner)]));
}

test.each<[Value, boolean]>([
  [{ secret: "env:A" }, true],
  [{ secret: "env:A", version: 2 }, true],
  [{ secret: 1 }, false],
  [{ secret: "shared", owner: "ops" }, false],
  [{}, false],
  [["secret"], false],
  [null, false],
  ["env:A", false],
])("%j is a reference: %s", (each, is) => {
  expect(isReference(each)).toBe(is);
});

test("references are found and replaced at any depth", () => {
  const nested = { a: [{ b: { secret: "env:A" } }, { secret: "env:B" }], c: "text ${vars.x}" };
  expect(referencesIn({ nested })).toEqual([{ secret: "env:A" }, { secret: "env:B" }]);
  expect(textsWithin(nested)).toEqual(["env:A", "env:B", "text ${vars.x}"]);
  expect(replaceReferences(nested, ({ secret }) => secret)).toEqual({ a: [{ b: "env:A" }, "env:B"], c: nested.c });
  expect(replaceReferences(nested, () => undefined)).toEqual({ a: [{}], c: nested.c });
  expect([inlineText(nested.a), inlineText("x"), inlineText(null)]).toEqual([
    '[{"b":{"secret":"env:A"}},{"secret":"env:B"}]',
    "x",
    "null",
  ]);
});
