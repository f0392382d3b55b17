import { isObject, type JsonObject } from "../base/json.ts";
import { typesOf } from "./field-meaning.ts";
import type { KindRow } from "./kind-row.ts";
import type { FieldSchema } from "./resource-kind.ts";
import type { Plain } from "./types.ts";
import { definedFields } from "./values.ts";

/** A field's value in a row, as the server spells it; undefined if missing. */
export function valueInRow(
  kind: Pick<KindRow, "expressions">,
  name: string,
  field: FieldSchema,
  row: JsonObject,
): Plain | undefined {
  const { "x-read": read, "x-send-as": sentAs = name, items } = field;
  if (read !== undefined) {
    const value = kind.expressions.valueOf(read, { row });
    return value === null && !typesOf(field).includes("null") ? undefined : value;
  }
  const value = unwrapLookUp(field, row[name] ?? row[sentAs] ?? row[name]);
  if (items?.properties && Array.isArray(value)) return value.map((item) => keepDescribed(kind, items, item) ?? null);
  return keepDescribed(kind, field, value);
}

/** Reduces a mapping to the properties in its schema, under their own names. */
function keepDescribed(
  kind: Pick<KindRow, "expressions">,
  { properties }: FieldSchema,
  value: unknown,
): Plain | undefined {
  if (!properties || !isObject(value)) return value as Plain | undefined;
  return definedFields(properties, (name, field) => valueInRow(kind, name, field, value));
}

/** A value that is looked up may be returned as a mapping: takes the field of it that is sent. */
function unwrapLookUp({ items, "x-lookup": lookUp, "x-field": sent = "id" }: FieldSchema, value: unknown): unknown {
  if (items?.["x-lookup"] !== undefined && Array.isArray(value)) return value.map((each) => unwrapLookUp(items, each));
  return lookUp !== undefined && isObject(value) ? value[sent] : value;
}
