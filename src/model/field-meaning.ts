import { canonical, isObject } from "../base/json.ts";
import { withoutTrailing } from "../base/text-format.ts";
import type { FieldSchema, FieldType, ResourceKind } from "./resource-kind.ts";
import type { Plain, Scalar, Value } from "./types.ts";
import {
  definedFields,
  isAlike,
  isList,
  isMapping,
  isReference,
  isScalar,
  referencesWithin,
  replaceReferences,
} from "./values.ts";

/**
 * Result of a comparison by meaning (docs/comparing.md): both values are normalised, then compared for equality.
 *
 * `unverified`: the server did not return the value, or it is a secret, so it cannot be compared.
 */
export type Comparison = "same" | "different" | "unverified";

/**
 * The normal form of a field's value in resources and reports: words of `x-words` become values, except numbers, which
 * become words; an `x-set` is sorted. Secret references stay.
 */
export function meaningOf(field: FieldSchema, value: Value): Value {
  return mapScalars(field, value, (each, scalar) => {
    const wire = resolveWord(each, scalar);
    if (typeof wire !== "number") return wire;
    const { "x-words": words = {} } = each;
    return Object.keys(words).find((word) => words[word] === wire) ?? wire;
  });
}

export function defaultValue({ fields }: Pick<ResourceKind, "fields">, name: string): Value {
  const field = fields.properties[name] ?? {};
  return meaningOf(field, field.default ?? null);
}

/** The form of a value in requests and expressions: words of `x-words` become values. */
export function wireValue(field: FieldSchema, value: Value): Value {
  return mapScalars(field, value, resolveWord);
}

function resolveWord({ "x-words": words }: FieldSchema, value: Scalar): Scalar {
  return typeof value === "string" && words && Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}

/** Maps each scalar within a value, with the schema of its field; sorts an `x-set` by the results. */
export function mapScalars(field: FieldSchema, value: Value, by: (field: FieldSchema, value: Scalar) => Plain): Value {
  if (isScalar(value)) return by(field, value);
  if (isReference(value)) return value;
  const inside = (each: FieldSchema | undefined, inner: Plain) =>
    each ? (mapScalars(each, inner, by) as Plain) : inner;
  if (isList(value)) {
    const items = value.map((item) => inside(field.items, item));
    return field["x-set"] === true ? sortedSet(items, (item) => comparable(field.items ?? any, item)) : items;
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inside(propertyOf(field, name), each)]));
}

const any: FieldSchema = {};

/** The schema of a property of a mapping; undefined if the mapping has no such property. */
export function propertyOf(
  { properties, additionalProperties: others }: FieldSchema,
  name: string,
): FieldSchema | undefined {
  if (properties && Object.hasOwn(properties, name)) return properties[name];
  if (isObject(others)) return others as FieldSchema;
  return properties ? undefined : any;
}

function sortedSet(items: readonly Plain[], meaning: (item: Plain) => Plain = (item) => item): readonly Plain[] {
  const byMeaning = new Map(items.map((item) => [canonical(meaning(item)), item]));
  return Array.from(byMeaning)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}

/**
 * A form of a value that is equal for equal meanings, for digests and fingerprints: words become values, sets are
 * sorted, and properties of items with their default are left out.
 */
export function comparable(field: FieldSchema, value: Plain): Plain {
  if (isScalar(value)) return comparableScalar(field, resolveWord(field, value));
  if (isList(value)) {
    const items = value.map((item) => comparableItem(field.items ?? any, item));
    return field["x-set"] === true ? sortedSet(items) : items;
  }
  return definedFields(value, (name, each) => {
    const property = propertyOf(field, name);
    return property && comparable(property, each);
  });
}

/** Within a list's mapping, a property that equals its default or is empty counts as absent. */
function comparableItem(field: FieldSchema, item: Plain): Plain {
  if (isScalar(item) || isList(item)) return comparable(field, item);
  return definedFields(item, (name, each) => {
    const property = propertyOf(field, name);
    if (!property) return undefined;
    const meant = comparableItem(property, each);
    const isDefault = property.default !== undefined && isAlike(meant, comparable(property, property.default));
    // Servers return null, an empty text or nothing if a text is not set.
    const isAbsent = meant === "" && property.default === undefined;
    return isDefault || isAbsent ? undefined : meant;
  });
}

/** {@link comparable} for a scalar. A field with several types is compared as the first. */
export function comparableScalar(field: FieldSchema, value: Scalar): Scalar {
  if (value === null) return emptyValue(field);
  const type = firstType(field);
  if (type === "boolean") return value === "" ? emptyValue(field) : (truths.get(String(value)) ?? value);
  if (type === "integer") return typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  // A number is the ID of what is looked up, not a name of digits.
  if (typeof value !== "string" && (type !== "string" || field["x-lookup"])) return value;
  if (field.format === "date-time") return toInstant(String(value));
  const text = String(value).replaceAll("\r\n", "\n");
  if (field["x-list"]) return listAsSet(text, field["x-list"]);
  if (field["x-url"]) return withoutTrailing(text, "/");
  const normalised = field["x-observed"]?.includes("trimmed") ? text.trim() : text;
  return field["x-case"] === "ignore" ? normalised.toLowerCase() : normalised;
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function listAsSet(text: string, separator: "comma" | "whitespace"): string {
  const parts = text.split(separator === "comma" ? /,/ : /\s+/).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))].sort().join("\n");
}

/** The meaning of null: false, or an empty text. Null stays null if policies may declare it. */
function emptyValue(field: FieldSchema): Scalar {
  if (field.type === "boolean") return false;
  return firstType(field) === "string" ? "" : null;
}

function firstType(field: FieldSchema): FieldType | undefined {
  return typeof field.type === "string" ? field.type : typesOf(field).find((each) => each !== "null");
}

/** The types of a field, derived from its enum if it has no type. */
export function typesOf({ type, enum: allowed = [] }: FieldSchema): readonly FieldType[] {
  return type === undefined ? [...new Set(allowed.map(typeOfScalar))] : typeof type === "string" ? [type] : type;
}

function typeOfScalar(value: Scalar): FieldType {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "boolean" ? "boolean" : "string";
}

/** A time in UTC: servers write any zone and precision. */
function toInstant(text: string): string {
  const time = zonedTime.test(text) ? new Date(text) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : text;
}

/** Requires a zone: without one, the result would depend on this machine. */
const zonedTime = /^\d{4}-\d\d-\d\d[Tt ][\d:.]{4,25}(?:[Zz]|[+-]\d\d:?\d\d)$/;

/**
 * Removes secrets at any depth, and properties that the field does not describe, which may be secret. Undefined if the
 * whole value is secret. Returned values (`x-returned`) are visible if they are declared as literals.
 */
export function withoutSecretValues(field: FieldSchema, value: Plain, declared?: Value): Plain | undefined {
  if (field.writeOnly === true && !(field["x-returned"] === true && isLiteral(declared))) return undefined;
  if (isScalar(value)) return value;
  if (isList(value)) {
    const declaredFor = declaredItems(field, declared);
    const items = value.map((item) => withoutSecretValues(field.items ?? any, item, declaredFor(item)));
    return items.filter((item) => item !== undefined);
  }
  return definedFields(value, (name, each) => {
    const property = propertyOf(field, name);
    return property && withoutSecretValues(property, each, isMapping(declared) ? declared[name] : declared);
  });
}

/** Finds what is declared for an item of a list: by its key, or a literal if the whole list is without references. */
function declaredItems(
  { "x-items": calls }: FieldSchema,
  declared: Value | undefined,
): (item: Plain) => Value | undefined {
  const isWhole = isList(declared) ? referencesWithin(declared).length === 0 : calls && isLiteral(declared);
  if (!calls || !isList(declared)) return () => (isWhole ? "" : undefined);
  const byKey = itemsByKey(calls.key, declared);
  return (item) => byKey.get(itemKey(calls.key, item));
}

/** The items of a list by their key; of those with the same key, the last. */
export function itemsByKey(key: string, items: readonly Plain[]): ReadonlyMap<string, Plain> {
  return new Map(items.map((item) => [itemKey(key, item), item]));
}

export function itemKey(key: string, item: Plain): string {
  return isMapping(item) ? String(item[key] ?? "") : "";
}

function isLiteral(declared: Value | undefined): boolean {
  return declared !== undefined && declared !== null && !isReference(declared);
}

/** Compares a declared value with the live one; of a mapping, and of an item with a key, only declared properties. */
export function compareMeaning(field: FieldSchema, desired: Value, live: Value | undefined): Comparison {
  if (field.writeOnly === true && field["x-returned"] !== true) return "unverified";
  if (isReference(desired) || (live !== undefined && isReference(live))) return "unverified";
  if (desired === live && isScalar(desired)) return "same";
  if (live !== undefined && field.properties && isMapping(desired) && isMapping(live)) {
    return worst(
      Object.entries(desired).map(([name, each]) => compareMeaning(propertyOf(field, name) ?? any, each, live[name])),
    );
  }
  const { items, "x-items": calls } = field;
  if (calls && items && isList(desired) && isList(live)) return compareItems(items, calls.key, desired, live);
  const visible = replaceReferences(desired, () => undefined) ?? null;
  const meant = comparable(field, withoutSecretValues(field, visible, visible) ?? null);
  if (live === undefined) return meant === "" ? "same" : "unverified";
  const found = comparable(field, withoutSecretValues(field, live as Plain, visible) ?? null);
  if (!isAlike(meant, found)) return "different";
  return referencesWithin(desired).length > 0 ? "unverified" : "same";
}

function compareItems(item: FieldSchema, key: string, desired: readonly Plain[], live: readonly Plain[]): Comparison {
  const [wanted, found] = [itemsByKey(key, desired), itemsByKey(key, live)];
  if (wanted.size !== found.size || [...wanted.keys()].some((each) => !found.has(each))) return "different";
  return worst(Array.from(wanted, ([each, value]) => compareMeaning(item, value, found.get(each))));
}

/** The comparison of a whole from those of its parts. */
export function worst(parts: readonly Comparison[]): Comparison {
  return parts.find((each) => each === "different") ?? parts.find((each) => each === "unverified") ?? "same";
}
