import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/base/json.ts";
import { type Catalogue, catalogueOf } from "../../src/model/catalogue.ts";
import { meaningOf, wireValue } from "../../src/model/field-meaning.ts";
import { type FieldSchema, keyFieldsOf, keyTextOf, type ResourceKind } from "../../src/model/resource-kind.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import type { Desired, Fields, Plain, Value } from "../../src/model/types.ts";
import { joinCredentials } from "../../src/model/values.ts";
import { diff } from "../../src/plan/diff/diff.ts";
import { bodyOf } from "../../src/plan/requests.ts";
import { liveRow } from "../../src/run/live/kind-resources.ts";
import { createdRow, numbered, shownRow, storedFields } from "../../src/server/kind-rows.ts";
import { kinds } from "./kinds.ts";

const files = [...kinds] as unknown as readonly (readonly [string, ResourceKind])[];

const secret = "sesame-sesame";

/** Of which each pattern of a field matches some. */
const samples = [
  "A_B",
  "X",
  "#aabbcc",
  "#D9534F",
  "ssh-ed25519 AAAAC3Nza",
  "main",
  "2027-01-31",
  "https://a.example/b.git",
];

/** Values that a field takes, as people may write them: words too, and IDs in place of what is looked up. */
function valuesOf(field: FieldSchema): fc.Arbitrary<Value> {
  const { enum: allowed, items, properties, "x-words": words = {}, "x-lookup": lookUp } = field;
  if (field.writeOnly) return fc.constant({ secret: "env:TOKEN" });
  if (lookUp) return fc.integer({ min: 1, max: 5 });
  if (allowed) return fc.constantFrom(...allowed, ...Object.keys(words));
  const types = [field.type ?? "string"].flat();
  return fc.oneof(...types.map((type) => typed(type, field, items, properties)));
}

function typed(
  type: string,
  field: FieldSchema,
  items: FieldSchema | undefined,
  properties: FieldSchema["properties"],
): fc.Arbitrary<Value> {
  const { minimum = 0, maximum = 50 } = field as { readonly minimum?: number; readonly maximum?: number };
  if (type === "null") return fc.constant(null);
  if (type === "boolean") return fc.boolean();
  if (type === "integer" || type === "number") return fc.integer({ min: minimum, max: Math.max(minimum, maximum) });
  if (type === "array") return fc.array(valuesOf(items ?? {}) as fc.Arbitrary<Plain>, { minLength: 1, maxLength: 4 });
  if (type === "object") return mappingOf(field, properties ?? {});
  if (field.format === "date-time") return fc.constantFrom("2030-01-01T00:00:00Z", "2031-01-01T01:00:00+01:00");
  const { pattern } = field;
  if (pattern) return fc.constantFrom(...samples.filter((text) => new RegExp(pattern).test(text)));
  return fc.stringMatching(/^[a-zA-Z0-9._-]{1,8}$/);
}

function mappingOf(field: FieldSchema, properties: NonNullable<FieldSchema["properties"]>): fc.Arbitrary<Plain> {
  const { maxProperties, oneOf } = field as {
    readonly maxProperties?: number;
    readonly oneOf?: readonly FieldSchema[];
  };
  const parts = Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, valuesOf(each)]));
  const record = (names: readonly string[], requiredKeys: readonly string[]) =>
    fc.record(Object.fromEntries(names.map((name) => [name, parts[name] ?? fc.constant(null)])), {
      requiredKeys,
      noNullPrototype: true,
    } as never);
  const names = Object.keys(properties);
  if (maxProperties === 1) return fc.oneof(...names.map((name) => record([name], [name]))) as fc.Arbitrary<Plain>;
  if (oneOf) {
    const choices = oneOf.map(({ required = [] }) => required[0] ?? "");
    const others = names.filter((name) => !choices.includes(name) && name !== "group_inheritance_type");
    return fc.oneof(...choices.map((name) => record([name, ...others], [name]))) as fc.Arbitrary<Plain>;
  }
  return record(names, field.required ?? []) as fc.Arbitrary<Plain>;
}

/** What a policy may declare of a kind. Fields of which the schema takes only one are left out together. */
function declaredOf(file: ResourceKind): fc.Arbitrary<Fields> {
  const { properties, required = [] } = file.fields;
  const apart = (name: string) => `allowed_to_${name.split("_")[0]}`;
  const names = Object.keys(properties).filter(
    (name) => !(apart(name) in properties && name.endsWith("_access_level")),
  );
  const parts = Object.fromEntries(names.map((name) => [name, valuesOf(properties[name] ?? {})]));
  const keys = [...new Set([...required, ...keyFieldsOf(file)])].filter((name) => name in parts);
  const all = fc.record(parts, {
    requiredKeys: keys,
    noNullPrototype: true,
  } as never) as unknown as fc.Arbitrary<Fields>;
  return all.filter(isPossible);
}

/** A hidden variable is masked, whatever is declared: the notes of its kind say so. */
function isPossible({ hidden, masked }: Fields): boolean {
  return hidden !== true || masked !== false;
}

function withSecrets(value: Value): Plain {
  return JSON.parse(JSON.stringify(value).replaceAll('{"secret":"env:TOKEN"}', JSON.stringify(secret)));
}

function rearranged(field: FieldSchema, value: Value): Value {
  if (!Array.isArray(value)) return value;
  return field["x-set"] ? value.toReversed() : value;
}

describe.each(files)("%s", (name, file) => {
  const kind = kindRowOf(file);
  if (!kind.read) throw new RangeError(name);
  const readKind = { ...kind, file, read: kind.read };
  const catalogue: Catalogue = { ...catalogueOf(), kinds: new Map([...catalogueOf().kinds, [name, kind]]) };
  const keys = new Set(keyFieldsOf(file));
  const stored = storedFields(new Map(Object.entries(file.fields.properties)), { release: "19.9", tier: "ultimate" });

  const desiredOf = (declared: Fields, arrange = (_: FieldSchema, value: Value) => value): Desired => {
    const key = keys.size === 0 ? "" : keyTextOf(file, declared);
    const fields = Object.entries(declared).flatMap(([each, value]) => {
      const field = file.fields.properties[each] ?? {};
      return keys.has(each) ? [] : [[each, meaningOf(field, arrange(field, value))] as const];
    });
    const origin = { place: () => ({ file: "a.yaml", line: 1, column: 1 }) };
    return {
      kind: name,
      key,
      identity: `${name}/${kind.identity(key)}`,
      presence: "present",
      origin,
      fields: Object.fromEntries(fields),
    };
  };

  /** The row of a server that was sent what is declared. */
  const rowOf = ({ key, fields }: Desired): JsonObject => {
    const declared = fields;
    const params = withSecrets(
      bodyOf(readKind, { key, declared, after: declared, action: "create" }, null) as never,
    ) as Record<string, unknown>;
    let last = 100;
    const target = { id: 7, username: key, full_path: key };
    for (const name in params) params[name] = joinCredentials(params[name] as never);
    const items = Object.entries(file.fields.properties).flatMap(([each, field]) =>
      field["x-items"]?.create && each in declared ? [[each, withSecrets(declared[each] ?? null)] as const] : [],
    );
    const row = { ...createdRow(stored, { params, others: () => [], target }), ...Object.fromEntries(items) };
    return { id: 1, ...(numbered(shownRow(file, row), () => ++last) as JsonObject) };
  };

  const differencesOf = (desired: Desired, row: JsonObject) => {
    const live = liveRow(readKind, { kind: name, key: desired.key }, row, desired.fields);
    const project = { project: { name: "p" }, kinds: new Set([name]), resources: [desired], exclusive: new Map() };
    const { changes } = diff(project, [live], { catalogue, alwaysSend: false });
    return { live, changed: changes.map(({ before, after }) => ({ before, after })) };
  };

  test("reading what sending stores gives no difference, and no secret", () => {
    fc.assert(
      fc.property(declaredOf(file), (declared) => {
        const desired = desiredOf(declared);
        const { live, changed } = differencesOf(desired, rowOf(desired));
        expect(changed).toEqual([]);
        expect(JSON.stringify(live)).not.toContain(secret);
      }),
      { numRuns: 60 },
    );
  });

  test("whatever order a set is written in, and by whichever words", () => {
    fc.assert(
      fc.property(declaredOf(file), (declared) => {
        const row = rowOf(desiredOf(declared));
        const written = (field: FieldSchema, value: Value) => rearranged(field, wireValue(field, value));
        expect(differencesOf(desiredOf(declared, written), row).changed).toEqual([]);
      }),
      { numRuns: 30 },
    );
  });

  test("whatever a row holds, what is kept of it has nothing that the kind calls secret", () => {
    const leaf = fc.oneof(fc.constant(null), fc.boolean(), fc.nat(99), fc.string({ maxLength: 5 }));
    const noise = fc.array(fc.dictionary(fc.constantFrom("id", "key", "value", "access_level"), leaf), {
      maxLength: 3,
    });
    fc.assert(
      fc.property(declaredOf(file), noise, (declared, more) => {
        const desired = desiredOf(declared);
        const secrets = Object.entries(file.fields.properties).flatMap(
          ([each, field]): (readonly [string, unknown])[] => {
            if (field.writeOnly) return [[each, secret]];
            return field.items && secretItems(field.items).length > 0
              ? [[each, [...more, ...secretItems(field.items)]]]
              : [];
          },
        );
        const row = { ...rowOf(desired), ...Object.fromEntries(secrets) };
        for (const asked of [desired.fields, undefined]) {
          const live = liveRow(readKind, { kind: name, key: desired.key }, row, asked);
          expect(JSON.stringify(live)).not.toContain(secret);
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** An item that is answered with its secrets, as no server should. */
function secretItems({ properties = {} }: FieldSchema): readonly Plain[] {
  const secrets = Object.entries(properties).filter(([, { writeOnly }]) => writeOnly);
  return secrets.length === 0 ? [] : [Object.fromEntries(secrets.map(([name]) => [name, secret]))];
}
