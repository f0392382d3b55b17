import fc, { type Arbitrary } from "fast-check";
import { describe, expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/base/json.ts";
import { knownCheck } from "../../src/base/known-checks.ts";
import { compile } from "../../src/base/schema.ts";
import { knownSchemas } from "../../src/manifest/known-schemas.ts";

const named = Array.from(
  knownSchemas().schemas.values(),
  (each) => [JSON.stringify(each[0]).slice(0, 80), each] as const,
);

describe("what the build compiled of a schema", () => {
  test.each(named)("is there for %s", (_, schema) => {
    expect(knownCheck(schema)).toBeDefined();
  });

  test.each(named)("finds the faults that compiling it now finds: %s", (_, [schema, references = []]) => {
    const other = { ...schema, $comment: "another schema that says the same" };
    expect(knownCheck([other, references])).toBeUndefined();
    const [built, now] = [compile(schema, references), compile(other, references)];
    const all = JSON.stringify([schema, references]);
    fc.assert(
      fc.property(near(schema as JsonObject, definitionsIn(all)), (value) => {
        expect(built(value)).toEqual(now(value));
      }),
      { numRuns: 60 },
    );
  });
});

/** Every part of a schema, by the last word of its place, which is what references of manifests end with. */
function definitionsIn(text: string): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  JSON.parse(text, (key, value: unknown) => {
    if (isObject(value)) found.set(key, value);
    return value;
  });
  return found;
}

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, "", "x", 0, -1, 1.5, 1e300, true, [], {}, ["x", "x"], { x: 1 }),
  fc.string(),
);

/** Values that a schema allows for the most part. */
function near(schema: JsonObject, definitions: ReadonlyMap<string, JsonObject>, depth = 0): Arbitrary<unknown> {
  if (depth > 5) return odd;
  const of = (each: unknown) => near(isObject(each) ? each : {}, definitions, depth + 1);
  const { $ref, anyOf, oneOf, enum: allowed, const: only, properties, patternProperties, items, required } = schema;
  const referred = typeof $ref === "string" ? definitions.get($ref.split("/").at(-1) ?? "") : undefined;
  const names = isObject(properties) ? Object.entries(properties) : [];
  const parts: Arbitrary<unknown>[] = [
    ...(referred ? [of(referred)] : []),
    ...[anyOf, oneOf].flat().flatMap((each) => (each === undefined ? [] : [of(each)])),
    ...(Array.isArray(allowed) ? [fc.constantFrom(...allowed)] : []),
    ...(only === undefined ? [] : [fc.constant(only)]),
    ...(items === undefined ? [] : [fc.array(of(items), { maxLength: 3 })]),
    ...(isObject(patternProperties)
      ? Object.values(patternProperties).map((each) => fc.dictionary(fc.string(), of(each), { maxKeys: 3 }))
      : []),
  ];
  if (names.length > 0) {
    const model = Object.fromEntries(names.map(([name, each]) => [name, of(each)]));
    const needed = (Array.isArray(required) ? required : []).filter((name) => name in model);
    parts.push(
      fc.record(model, { requiredKeys: needed }),
      fc.record({ ...model, unknown_key: odd }, { requiredKeys: [] }),
    );
  }
  return fc.oneof(
    { weight: 9, arbitrary: parts.length > 0 ? fc.oneof(...parts) : plain(schema) },
    { weight: 1, arbitrary: odd },
  );
}

function plain({ type }: JsonObject): Arbitrary<unknown> {
  const types = [type].flat();
  if (types.includes("string")) return fc.oneof(fc.string(), fc.constantFrom("14.5", "30s", "a/b", "2027-06-30"));
  if (types.includes("integer")) return fc.oneof(fc.integer(), fc.constant(2 ** 53));
  return types.includes("boolean") ? fc.boolean() : odd;
}
