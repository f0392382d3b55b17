import { isObject, type JsonObject } from "../base/json.ts";
import type { KindRow } from "./kind-row.ts";
import type { FieldSchema } from "./resource-kind.ts";
import type { Plain } from "./types.ts";
import { definedFields } from "./values.ts";

/** What a row says of a field, as the server spells it; undefined where it does not say. */
export function valueInRow(
  kind: Pick<KindRow, "expressions">,
  name: string,
  field: FieldSchema,
  row: JsonObject,
): Plain | undefined {
  const { "x-read": read, "x-send-as": sentAs = name, items } = field;
  if (read !== undefined) return compiledExpressions(kind).valueOf(read, { row }) ?? undefined;
  const value = foundIn(field, row[name] ?? row[sentAs] ?? row[name]);
  if (items?.properties && Array.isArray(value)) return value.map((item) => describedPart(kind, items, item) ?? null);
  return describedPart(kind, field, value);
}

/** Of a mapping, the properties that its schema describes, under their own names. */
function describedPart(
  kind: Pick<KindRow, "expressions">,
  { properties }: FieldSchema,
  value: unknown,
): Plain | undefined {
  if (!properties || !isObject(value)) return value as Plain | undefined;
  return definedFields(properties, (name, field) => valueInRow(kind, name, field, value));
}

/** What is looked up may be shown whole, as a mapping: then the field of it that is sent counts. */
function foundIn({ items, "x-lookup": lookUp, "x-field": sent = "id" }: FieldSchema, value: unknown): unknown {
  if (items?.["x-lookup"] !== undefined && Array.isArray(value)) return value.map((each) => foundIn(items, each));
  return lookUp !== undefined && isObject(value) ? value[sent] : value;
}

/** The expressions of a kind. @throws RangeError where they were not compiled, which is an internal error. */
export function compiledExpressions({
  expressions,
}: Pick<KindRow, "expressions">): NonNullable<KindRow["expressions"]> {
  if (!expressions) throw new RangeError("the expressions of the kind were not compiled");
  return expressions;
}
