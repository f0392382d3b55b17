import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv, type ErrorObject } from "ajv";
import fc from "fast-check";
import { load } from "js-yaml";
import { expect, test } from "vitest";
import { isObject, type JsonObject } from "../../src/base/json.ts";
import { violationsBy } from "../../src/base/schema-violations.ts";
import { read, root } from "../readme.ts";

const shipped = readdirSync(join(root, "schemas"))
  .filter((name) => name.endsWith(".schema.json"))
  .map((name): JsonObject => JSON.parse(read(join("schemas", name))));
const kinds = readdirSync(join(root, "schemas/kinds")).map(
  (name) => load(read(join("schemas/kinds", name))) as JsonObject,
);

const options = {
  validateSchema: false,
  meta: false,
  allErrors: true,
  strict: false,
  strictNumbers: true,
  logger: false,
} as const;

/** The paths at which a value violates a schema. */
function found(schema: JsonObject, value: unknown): readonly string[] {
  return distinct(violationsBy(schema, shipped)(value).map(({ path }) => `/${path.join("/")}`));
}

/** The same by Ajv, which also reports what it saw before two of oneOf were met. */
function foundByAjv(schema: JsonObject, value: unknown): readonly string[] | undefined {
  const validate = ajvOf(schema);
  validate(value);
  const errors = validate.errors ?? [];
  return errors.some(({ params }) => params.passingSchemas) ? undefined : distinct(errors.map(pathOf));
}

const distinct = (paths: readonly string[]) => [...new Set(paths)].sort();

const compiled = new WeakMap<JsonObject, ReturnType<Ajv["compile"]>>();
function ajvOf(schema: JsonObject) {
  const references = shipped.filter(({ $id }) => $id !== schema.$id);
  const known = compiled.get(schema) ?? new Ajv({ ...options, schemas: [...references] }).compile(schema);
  compiled.set(schema, known);
  return known;
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const path = `/${instancePath.slice(1)}`;
  const key = params.additionalProperty ?? params.missingProperty;
  const isKey =
    params.additionalProperty !== undefined || (params.missingProperty !== undefined && !("deps" in params));
  return isKey ? `${path === "/" ? path : `${path}/`}${key}` : path;
}

const scalar = fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 2 ** 53, "", "a", "A b", "GET /x", "14.5", "é💥");

/** Values that a schema may be meant for: its own words, in its own places, with odd ones between them. */
function valuesOf(schema: unknown, document: JsonObject, depth = 3): fc.Arbitrary<unknown> {
  const own = resolved(schema, document);
  if (!isObject(own) || depth === 0) return scalar;
  const words = [own.enum, own.const === undefined ? [] : [own.const]].flat().filter((each) => each !== undefined);
  const properties = isObject(own.properties) ? Object.entries(own.properties) : [];
  const record = fc.record(
    Object.fromEntries(
      [...properties, ["odd", own.additionalProperties]].map(([key, child]) => [
        key as string,
        valuesOf(child, document, depth - 1),
      ]),
    ),
    { requiredKeys: [], noNullPrototype: true },
  );
  const list = fc.array(valuesOf(own.items, document, depth - 1), { maxLength: 3 });
  const branches = [own.anyOf, own.oneOf, own.allOf, own.then].flat().filter(isObject);
  return fc.oneof(
    scalar,
    list,
    { weight: 4, arbitrary: record },
    ...(words.length > 0 ? [fc.constantFrom(...words)] : []),
    ...branches.map((each) => valuesOf(each, document, depth - 1)),
  );
}

function resolved(schema: unknown, document: JsonObject): unknown {
  if (!isObject(schema) || typeof schema.$ref !== "string") return schema;
  const name = schema.$ref.split("/").at(-1) ?? "";
  return { ...(document.definitions as Readonly<Record<string, JsonObject>>)?.[name], ...schema };
}

/** What the schemas above have no use for. */
const further: JsonObject = {
  $id: "further",
  properties: {
    numbers: { items: { multipleOf: 0.5, exclusiveMaximum: 1.5, exclusiveMinimum: -1, minimum: -5, maximum: 9 } },
    texts: { items: { minLength: 1, maxLength: 2, not: { const: "a" } }, minItems: 1, maxItems: 2, uniqueItems: true },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    chosen: { type: "object", if: { required: ["odd"] }, then: { maxProperties: 1 }, else: { minProperties: 1 } },
    named: { propertyNames: { maxLength: 2 }, additionalProperties: { type: ["string", "null"] } },
    needed: { properties: { a: {}, b: {} }, dependencies: { a: ["b"], b: { maxProperties: 1 } } },
    one: { oneOf: [{ type: "string", minLength: 2 }, { type: "integer" }, { const: 0 }], enum: [0, "a", "A b", -1] },
    patterns: {
      patternProperties: { "^o": { type: "boolean" } },
      properties: { a: true },
      additionalProperties: false,
    },
    never: false,
  },
  allOf: [{ properties: { odd: { type: "null" } } }],
};

const documents = [
  further,
  ...shipped,
  ...kinds.map(({ name, fields }) => ({ $id: `kind ${name}`, ...(fields as object) })),
];

test.each(documents.map((each) => [String(each.$id), each] as const))("%s finds what Ajv finds", (_, schema) => {
  fc.assert(
    fc.property(valuesOf(schema, schema), (value) => {
      const expected = foundByAjv(schema, value);
      if (expected) expect(found(schema, value)).toEqual(expected);
      else expect(found(schema, value)).not.toEqual([]);
    }),
  );
});
