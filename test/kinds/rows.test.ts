import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { canonical, isObject } from "../../src/base/json.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { compareMeaning } from "../../src/model/field-meaning.ts";
import { policyEffectOf } from "../../src/model/policy-effect.ts";
import { isImmutable } from "../../src/model/read-field.ts";
import type { ResourceKind } from "../../src/model/resource-kind.ts";
import { kindRowOf } from "../../src/model/resource-kind-row.ts";
import type { Fields, Value } from "../../src/model/types.ts";
import { itemRequests, sentParameters } from "./engine.ts";
import { type Example, evaluated, type Values, valuesOf } from "./exchange.ts";
import { type FieldSchema, type KindFile, kinds, readYaml, words } from "./kinds.ts";

interface Examples {
  readonly resources: readonly Example[];
  /** Rows that the list has, and that are not the project's or group's own. */
  readonly foreign?: readonly Values[];
}

const folder = join(import.meta.dirname, "rows");
const examples = new Map(
  readdirSync(folder).map((file) => [basename(file, ".yaml"), readYaml(join(folder, file)) as Examples]),
);

test("every kind has examples", () => {
  expect([...examples.keys()]).toEqual([...kinds.keys()]);
});

const rows = Array.from(kinds, ([file, kind]) => [file, kindRowOf(kind as ResourceKind)] as const);
const catalogue = { ...catalogueOf(), kinds: new Map(rows) };
type Visible = Parameters<typeof policyEffectOf>[0];

describe.each([...kinds])("%s", (file, kind) => {
  const { resources = [], foreign = [] } = examples.get(file) ?? {};

  test.each(resources)("example %# is declared as its fields allow", ({ declared, updates = [] }) => {
    const ajv = new Ajv({
      strictTuples: false,
      strict: true,
      strictRequired: false,
      allowUnionTypes: true,
      formats: { "date-time": true, cron: true, "time-zone": true },
    });
    for (const word of [...words, "deprecationMessage"]) ajv.addKeyword(word);
    const validate = ajv.compile(kind.fields);
    for (const each of [declared, ...updates.map(({ declared }) => declared)]) {
      expect(validate(each) || validate.errors).toBe(true);
    }
  });

  test.each(resources)("example %# is created with its parameters", ({ declared, parameters, items = [] }) => {
    expect(parametersOf(kind, declared, null)).toEqual(inAnyOrder(parameters));
    expect(itemRequests(kind as ResourceKind, declared as Fields, null)).toEqual(items);
  });

  test.each(resources)("example %# is changed with what differs", ({ row, updates = [] }) => {
    for (const { declared: want, parameters, items = [], effect = "none" } of updates) {
      const change = { kind: file, before: onlyOf(valuesOf(kind, row), want), after: want } as const;
      expect(policyEffectOf(change as unknown as Visible, catalogue) ?? "none").toBe(effect);
      const isReplaced = changed(kind, want, row).some((field) => isFixed(field, row));
      if (parameters === undefined) expect(isReplaced || kind.calls.update === undefined).toBe(true);
      else expect([isReplaced, parametersOf(kind, want, row)]).toEqual([false, inAnyOrder(parameters)]);
      if (parameters) expect(itemRequests(kind as ResourceKind, want as Fields, row)).toEqual(items);
    }
  });

  test("answers no secret", () => {
    const secrets = Object.entries(kind.fields.properties).flatMap(([name, field]) =>
      field.writeOnly === true && field["x-returned"] !== true ? [name] : [],
    );
    expect(resources.flatMap(({ row }) => secrets.filter((name) => name in row))).toEqual([]);
  });

  test.each(foreign)("foreign row %# is not managed", (row) => {
    expect(isOwn(kind, row)).toBe(false);
  });
});

function parametersOf(kind: KindFile, want: Values, row: Values | null): Values {
  return inAnyOrder(sentParameters(kind as ResourceKind, want as Fields, row));
}

/** Lists that are sent are sets. */
function inAnyOrder<Each>(value: Each): Each {
  if (Array.isArray(value)) return value.map(inAnyOrder).sort((a, b) => (canonical(a) < canonical(b) ? -1 : 1)) as Each;
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inAnyOrder(each)])) as Each;
}

function isOwn({ where = "true" }: KindFile, row: Values): boolean {
  return evaluated(where, { row }) === true;
}

/** The names of declared fields that a row says otherwise. */
function differences(kind: KindFile, declared: Values, row: Values): readonly string[] {
  const live = valuesOf(kind, row);
  return Object.keys(declared).filter((name) => {
    const field = kind.fields.properties[name] ?? {};
    return compareMeaning(field, declared[name] as Value, live[name] as Value | undefined) === "different";
  });
}

/** True if servers with such rows do not change the field in place, as far as rows show. */
function isFixed(field: FieldSchema, row: Values): boolean {
  return isImmutable(field, row, { release: "19.9" });
}

function changed(kind: KindFile, declared: Values, row: Values): readonly FieldSchema[] {
  return differences(kind, declared, row).flatMap((name) => kind.fields.properties[name] ?? []);
}

function onlyOf(values: Values, named: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([name]) => name in named));
}

test.each([
  ["pipeline_schedules", { description: "a", ref: "main", cron: "* * * * *", inputs: [] }, "inputs", "name"],
  ["protected_branches", { name: "main", allowed_to_push: [{ access_level: 40 }] }, "push_access_levels", "id"],
  ["approval_rules", { name: "a", approvals_required: 1 }, "users", "id"],
])("an update of %s sends no secret that the row names", (name, want, list, key) => {
  const file = kinds.get(name) as unknown as ResourceKind;
  const row = { ...want, id: 1, [list]: [{ [key]: { secret: "env:AWS_KEY" }, access_level: 30 }] };
  expect(() => sentParameters(file, { ...want, description: "b" } as Fields, row)).toThrow(
    "a secret that no policy declares",
  );
});
