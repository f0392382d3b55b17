import { UserError } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { secretMark } from "../base/secret-mark.ts";
import { meaningOf, propertyOf, withoutSecretValues } from "./field-meaning.ts";
import type { KindRow } from "./kind-row.ts";
import type { FieldSchema, ResourceKind } from "./resource-kind.ts";
import { valueInRow } from "./row-values.ts";
import type { Fields, Plain, ReturnedMarks, Value } from "./types.ts";
import { isMapping, isReference } from "./values.ts";

/**
 * The value of a field in a row, in normal form, without secrets; of a mapping, what is declared. Undefined where the row
 * has none.
 */
export function fieldInRow(kind: KindRow, name: string, row: JsonObject, declared?: Value): Plain | undefined {
  const field = kind.file.fields.properties[name];
  if (!field || (field.writeOnly === true && (!field["x-returned"] || isSecretIn(kind, field, row)))) return undefined;
  const value = spelledValue(kind, name, field, row);
  const visible = value === undefined ? undefined : withoutSecretValues(field, value, declared);
  if (visible === undefined) return undefined;
  return meaningOf(field, field.properties ? declaredPart(visible, declared) : visible) as Plain;
}

/** Whether the row says that a returned value is a secret (`x-secret-with`). */
function isSecretIn(kind: KindRow, { "x-secret-with": flags = [] }: FieldSchema, row: JsonObject): boolean {
  return flags.some((flag) => spelledValue(kind, flag, kind.file.fields.properties[flag] ?? {}, row) === true);
}

/** The marks of declared values that a row returns (`x-returned`). */
export function returnedMarks(kind: KindRow, row: JsonObject, declared: Fields): ReturnedMarks | undefined {
  const { properties } = kind.file.fields;
  const marks: Record<string, string | ReturnedMarks> = {};
  for (const name of returnedNames(kind.file.fields)) {
    const [field, wanted] = [properties[name], declared[name]];
    const value = field && wanted !== undefined ? spelledValue(kind, name, field, row) : undefined;
    const mark = field && value !== undefined ? marksWithin(field, value, wanted) : undefined;
    if (mark !== undefined) marks[name] = mark;
  }
  return Object.keys(marks).length > 0 ? marks : undefined;
}

function marksWithin(field: FieldSchema, value: Plain, declared: Value = null): string | ReturnedMarks | undefined {
  if (field["x-returned"]) return typeof value === "string" && declared !== null ? secretMark(value) : undefined;
  if (!isMapping(value) || !isMapping(declared)) return undefined;
  const members = Object.entries(value).flatMap(([name, each]) => {
    const mark = marksWithin(propertyOf(field, name) ?? {}, each, declared[name]);
    return mark === undefined ? [] : [[name, mark] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

/** The fields that servers return, or that are mappings with such a member. */
const returnedNames = memoized(({ properties }: ResourceKind["fields"]): readonly string[] => {
  const isReturned = (field: FieldSchema): boolean =>
    field["x-returned"] === true ||
    Object.values(field.properties ?? {}).some(isReturned) ||
    (isObject(field.additionalProperties) && isReturned(field.additionalProperties as FieldSchema));
  return Object.keys(properties).filter((name) => isReturned(properties[name] ?? {}));
}, new WeakMap());

/** A row that holds something else than the expression can read, such as null for a list, does not say. */
function spelledValue(kind: KindRow, name: string, field: FieldSchema, row: JsonObject): Plain | undefined {
  try {
    return valueInRow(kind, name, field, row);
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

/** What is not declared is left alone, and therefore not even compared with what it was. */
function declaredPart(value: Plain, declared: Value | undefined): Plain {
  if (!isObject(declared) || !isObject(value) || isReference(declared as Value)) return value;
  const known = Object.entries(value as { readonly [name: string]: Plain });
  return Object.fromEntries(known.filter(([name]) => name in declared));
}

/** A row without anything that its kind calls secret, at any depth. */
export function rowWithoutSecrets({ fields }: ResourceKind, row: JsonObject): JsonObject {
  const names = secretNames(fields);
  if (names.top.size + names.nested.size === 0) return row;
  const visible = (value: unknown, isNested: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => visible(item, true));
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(([name]) => !(isNested ? names.nested : names.top).has(name));
    return Object.fromEntries(kept.map(([name, each]) => [name, visible(each, true)]));
  };
  return visible(row, false) as JsonObject;
}

/** The names under which rows may have secrets: those of fields, of their parameters, and what they are read from. */
const secretNames = memoized((fields: ResourceKind["fields"]) => {
  const top = Object.entries(fields.properties).flatMap(([name, field]) =>
    field.writeOnly === true ? namesOf(name, field) : [],
  );
  const nested = Object.values(fields.properties).flatMap((field) => secretsWithin(field));
  return { top: new Set(top), nested: new Set(nested) };
}, new WeakMap());

function secretsWithin({ properties = {}, items }: FieldSchema): readonly string[] {
  const own = Object.entries(properties).flatMap(([name, field]) =>
    field.writeOnly === true ? namesOf(name, field) : [],
  );
  return [...own, ...[...Object.values(properties), ...(items ? [items] : [])].flatMap(secretsWithin)];
}

/** What an expression selects: `.name`, `.?name` and `["name"]`. */
const selected = /\.\??(\w+)|["']([^"']+)["']/g;

function namesOf(name: string, { "x-send-as": sentAs = name, "x-read": read = "" }: FieldSchema): readonly string[] {
  return [name, sentAs, ...Array.from(read.matchAll(selected), ([, field, key = field]) => key ?? "")];
}
