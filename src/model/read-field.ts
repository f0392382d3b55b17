import { ifPossible, UserError } from "../base/exit.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import { secretMark } from "../base/known-secrets.ts";
import { memoized } from "../base/memoize.ts";
import { itemKey, itemsByKey, meaningOf, propertyOf, typesOf, withoutSecretValues } from "./field-meaning.ts";
import { evaluateKind } from "./kind-expressions.ts";
import type { KindRow } from "./kind-row.ts";
import { releaseNumber } from "./releases.ts";
import { type FieldSchema, holdsWithin, type ResourceKind } from "./resource-kind.ts";
import type { Fields, Plain, Platform, ReturnedMarks, Value } from "./types.ts";
import { definedFields, isList, isMapping, isReference } from "./values.ts";

/**
 * The normalised value of a field in a row, without secrets and, in a mapping, without undeclared members. Undefined if
 * the row lacks it.
 */
export function fieldInRow(kind: KindRow, name: string, row: JsonObject, declared?: Value): Plain | undefined {
  const field = kind.file.fields.properties[name];
  if (!field || (field.writeOnly === true && (!field["x-returned"] || isSecretIn(kind, field, row)))) return undefined;
  const value = readSpelled(name, field, row);
  const visible = value === undefined ? undefined : withoutSecretValues(field, value, declared);
  if (visible === undefined) return undefined;
  return meaningOf(field, keepDeclaredIn(field, visible, declared)) as Plain;
}

function isSecretIn(kind: KindRow, { "x-secret-with": flags = [] }: FieldSchema, row: JsonObject): boolean {
  return flags.some((flag) => readSpelled(flag, kind.file.fields.properties[flag] ?? {}, row) === true);
}

/** Marks of declared values that a row returns (`x-returned`). */
export function returnedMarks(kind: KindRow, row: JsonObject, declared: Fields): ReturnedMarks | undefined {
  const { properties } = kind.file.fields;
  const marks: Record<string, string | ReturnedMarks> = {};
  for (const name of returnedNames(kind.file.fields)) {
    const [field, wanted] = [properties[name], declared[name]];
    const value = field && wanted !== undefined ? readSpelled(name, field, row) : undefined;
    const mark = field && value !== undefined ? collectMarks(field, value, wanted) : undefined;
    if (mark !== undefined) marks[name] = mark;
  }
  return Object.keys(marks).length > 0 ? marks : undefined;
}

function collectMarks(field: FieldSchema, value: Plain, declared: Value = null): string | ReturnedMarks | undefined {
  if (field["x-returned"]) return typeof value === "string" && declared !== null ? secretMark(value) : undefined;
  if (isList(value) && isList(declared)) return collectItemMarks(field, value, declared);
  if (!isMapping(value) || !isMapping(declared)) return undefined;
  const marks = Object.entries(value).map(([name, each]) => {
    return [name, collectMarks(propertyOf(field, name) ?? {}, each, declared[name])] as const;
  });
  return marksOf(marks);
}

function collectItemMarks(
  { items = {}, "x-items": calls }: FieldSchema,
  value: readonly Plain[],
  declared: readonly Plain[],
): ReturnedMarks | undefined {
  if (!calls) return undefined;
  const byKey = itemsByKey(calls.key, value);
  const marks = declared.map((item, index) => {
    return [String(index), collectMarks(items, byKey.get(itemKey(calls.key, item)) ?? null, item)] as const;
  });
  return marksOf(marks);
}

function marksOf(marks: readonly (readonly [string, string | ReturnedMarks | undefined])[]): ReturnedMarks | undefined {
  const members = marks.flatMap(([name, mark]) => (mark === undefined ? [] : [[name, mark] as const]));
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}

const returnedNames = memoized(({ properties }: ResourceKind["fields"]): readonly string[] => {
  const isReturned = (field: FieldSchema) => field["x-returned"] === true;
  return Object.keys(properties).filter((name) => holdsWithin(properties[name] ?? {}, isReturned));
}, new WeakMap());

/** A value that the expression cannot evaluate, such as null for a list, counts as missing. */
function readSpelled(name: string, field: FieldSchema, row: JsonObject): Plain | undefined {
  return ifPossible(() => valueInRow(name, field, row), UserError);
}

function keepDeclaredIn(field: FieldSchema, value: Plain, declared: Value | undefined): Plain {
  if (field.properties) return keepDeclared(value, declared);
  const { key } = field["x-items"] ?? {};
  if (key === undefined || !isList(value) || !isList(declared)) return value;
  const byKey = itemsByKey(key, declared);
  return value.map((item) => keepDeclared(item, byKey.get(itemKey(key, item))));
}

/** Undeclared members are not managed, so they are not compared. */
function keepDeclared(value: Plain, declared: Value | undefined): Plain {
  if (!isObject(declared) || !isObject(value) || isReference(declared as Value)) return value;
  const entries = Object.entries(value as { readonly [name: string]: Plain });
  return Object.fromEntries(entries.filter(([name]) => name in declared));
}

export function rowWithoutSecrets({ fields }: ResourceKind, row: JsonObject): JsonObject {
  const names = secretNames(fields);
  if (names.top.size + names.nested.size === 0) return row;
  const visible = (value: unknown, isNested: boolean): unknown => {
    if (Array.isArray(value)) return value.map((item) => visible(item, true));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).filter(([name]) => !(isNested ? names.nested : names.top).has(name));
    return Object.fromEntries(entries.map(([name, each]) => [name, visible(each, true)]));
  };
  return visible(row, false) as JsonObject;
}

/** Names under which rows may contain secrets: fields, their parameters, and members that their expressions read. */
const secretNames = memoized((fields: ResourceKind["fields"]) => {
  const nested = Object.values(fields.properties).flatMap(listSecretNames);
  return { top: new Set(listOwnSecretNames(fields)), nested: new Set(nested) };
}, new WeakMap());

function listSecretNames(field: FieldSchema): readonly string[] {
  const { properties = {}, items } = field;
  const inside = [...Object.values(properties), ...(items ? [items] : [])];
  return [...listOwnSecretNames(field), ...inside.flatMap(listSecretNames)];
}

function listOwnSecretNames({ properties = {} }: FieldSchema): readonly string[] {
  return Object.entries(properties).flatMap(
    ([name, { writeOnly, "x-send-as": sentAs = name, "x-read": read = "" }]) => {
      if (!writeOnly) return [];
      return [name, sentAs, ...Array.from(read.matchAll(memberAccess), ([, field, key = field]) => key ?? "")];
    },
  );
}

/** Member accesses in an expression: `.name`, `.?name` and `["name"]`. */
const memberAccess = /\.\??(\w+)|["']([^"']+)["']/g;

/** A field's value in a row, as the server spells it; undefined if missing. */
export function valueInRow(name: string, field: FieldSchema, row: JsonObject): Plain | undefined {
  const { "x-read": read, "x-send-as": sentAs = name, items } = field;
  if (read !== undefined) {
    const value = evaluateKind(read, { row });
    return value === null && !typesOf(field).includes("null") ? undefined : value;
  }
  const value = unwrapLookUp(field, row[name] ?? row[sentAs] ?? row[name]);
  if (items?.properties && Array.isArray(value)) return value.map((item) => keepDescribed(items, item) ?? null);
  return keepDescribed(field, value);
}

/** True if a server takes a field only at creation. An expression that cannot be evaluated means that it does. */
export function isImmutable(
  { "x-immutable": written }: FieldSchema,
  row: JsonObject,
  { tier, release }: Partial<Pick<Platform, "tier" | "release">>,
): boolean {
  if (typeof written !== "string") return written === true;
  const given = { row, tier: tier ?? null, release: release === undefined ? null : releaseNumber(release) };
  return evaluateKind(written, given) !== false;
}

function keepDescribed({ properties }: FieldSchema, value: unknown): Plain | undefined {
  if (!properties || !isObject(value)) return value as Plain | undefined;
  return definedFields(properties, (name, field) => valueInRow(name, field, value));
}

/** A value that is looked up may be returned as a mapping: takes the field of it that is sent. */
function unwrapLookUp({ items, "x-lookup": lookUp, "x-field": sent = "id" }: FieldSchema, value: unknown): unknown {
  if (items?.["x-lookup"] !== undefined && Array.isArray(value)) return value.map((each) => unwrapLookUp(items, each));
  return lookUp !== undefined && isObject(value) ? value[sent] : value;
}
