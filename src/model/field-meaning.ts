import { canonical, isObject } from "../base/json.ts";
import { withoutTrailing } from "../base/text-format.ts";
import type { FieldSchema, FieldType } from "./resource-kind.ts";
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
 * The normal form of a field's value, which desired and live resources have and reports show: `x-words` as values, but a
 * number as the word that names it, and an `x-set` in the order of its values. Secret references stay.
 */
export function meaningOf(field: FieldSchema, value: Value): Value {
  return mapScalars(field, value, (each, scalar) => {
    const wire = valueOfWord(each, scalar);
    return typeof wire === "number" ? (wordOf(each, wire) ?? wire) : wire;
  });
}

/** A value as requests and expressions have it: every word of `x-words` as its value. */
export function wireValue(field: FieldSchema, value: Value): Value {
  return mapScalars(field, value, valueOfWord);
}

function valueOfWord({ "x-words": words }: FieldSchema, value: Scalar): Scalar {
  return typeof value === "string" && words && Object.hasOwn(words, value) ? (words[value] ?? value) : value;
}

function wordOf({ "x-words": words = {} }: FieldSchema, value: Scalar): string | undefined {
  return Object.keys(words).find((word) => words[word] === value);
}

/** Replaces each single value within a value, by its own field; an `x-set` is in the order of its new values. */
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

/** A list in the order of what its items mean, each once. */
function sortedSet(items: readonly Plain[], meaning: (item: Plain) => Plain = (item) => item): readonly Plain[] {
  const byMeaning = new Map(items.map((item) => [canonical(meaning(item)), item]));
  return Array.from(byMeaning)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}

/**
 * The form of a value in which everything that means the same is equal, for digests and fingerprints: values in place of
 * words, a set in order, and items without properties that have their default.
 */
export function comparable(field: FieldSchema, value: Plain): Plain {
  if (isScalar(value)) return comparableScalar(field, valueOfWord(field, value));
  if (isList(value)) {
    const items = value.map((item) => comparableItem(field.items ?? any, item));
    return field["x-set"] === true ? sortedSet(items) : items;
  }
  return definedFields(value, (name, each) => {
    const property = propertyOf(field, name);
    return property && comparable(property, each);
  });
}

/** Of a mapping in a list, what equals a default, or is empty, is the same as absent. */
function comparableItem(field: FieldSchema, item: Plain): Plain {
  if (isScalar(item) || isList(item)) return comparable(field, item);
  return definedFields(item, (name, each) => {
    const property = propertyOf(field, name);
    if (!property) return undefined;
    const meant = comparableItem(property, each);
    const isDefault = property.default !== undefined && isAlike(meant, comparable(property, property.default));
    return isDefault || isAbsent(property, meant) ? undefined : meant;
  });
}

/** Servers answer null, an empty text or nothing where a text is not set. */
function isAbsent(field: FieldSchema, meant: Plain): boolean {
  return meant === "" && field.default === undefined;
}

/** The same for a single value. A field that lists several types means the first. */
export function comparableScalar(field: FieldSchema, value: Scalar): Scalar {
  if (value === null) return emptyOf(field);
  const type = firstType(field);
  if (type === "boolean") return value === "" ? emptyOf(field) : (truths.get(String(value)) ?? value);
  if (type === "integer") return typeof value === "string" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  // The number of what is looked up is its ID, and not a name of digits.
  if (typeof value !== "string" && (type !== "string" || field["x-lookup"])) return value;
  if (field.format === "date-time") return instantOf(String(value));
  const text = String(value).replaceAll("\r\n", "\n");
  if (field["x-list"]) return listAsSet(text, field["x-list"]);
  if (field["x-url"]) return withoutTrailing(text, "/");
  const told = field["x-observed"]?.includes("trimmed") ? text.trim() : text;
  return field["x-case"] === "ignore" ? told.toLowerCase() : told;
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/** A list in one string, in any order. */
function listAsSet(text: string, separator: "comma" | "whitespace"): string {
  const parts = text.split(separator === "comma" ? /,/ : /\s+/).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))].sort().join("\n");
}

/** What null means: off, or no text, which servers also answer as null where null is a value that policies may give. */
function emptyOf(field: FieldSchema): Scalar {
  if (field.type === "boolean") return false;
  return firstType(field) === "string" ? "" : null;
}

function firstType(field: FieldSchema): FieldType | undefined {
  return typeof field.type === "string" ? field.type : typesOf(field).find((each) => each !== "null");
}

/** The types of a field; where it states none, those of the values that it may have. */
export function typesOf({ type, enum: allowed = [] }: FieldSchema): readonly FieldType[] {
  return type === undefined ? [...new Set(allowed.map(typeOfScalar))] : typeof type === "string" ? [type] : type;
}

function typeOfScalar(value: Scalar): FieldType {
  if (value === null) return "null";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "boolean" ? "boolean" : "string";
}

/** A time as the server may write it: in any zone and precision. */
function instantOf(text: string): string {
  const time = zonedTime.test(text) ? new Date(text) : undefined;
  return time && !Number.isNaN(time.getTime()) ? time.toISOString() : text;
}

/** With a zone: without one, the result would depend on this machine. */
const zonedTime = /^\d{4}-\d\d-\d\d[Tt ][\d:.]{4,25}(?:[Zz]|[+-]\d\d:?\d\d)$/;

/**
 * A value without anything secret at any depth, and without properties that the field does not describe: what they hold
 * may be secret. Undefined if it is secret as a whole. What servers return (`x-returned`) is visible where it is declared
 * as a literal.
 */
export function withoutSecretValues(field: FieldSchema, value: Plain, declared?: Value): Plain | undefined {
  if (field.writeOnly === true && !(field["x-returned"] === true && isLiteral(declared))) return undefined;
  if (isScalar(value)) return value;
  if (isList(value)) {
    const isWhole = isList(declared) && referencesWithin(declared).length === 0;
    const items = value.map((item) => withoutSecretValues(field.items ?? any, item, isWhole ? "" : undefined));
    return items.filter((item) => item !== undefined);
  }
  return definedFields(value, (name, each) => {
    const property = propertyOf(field, name);
    return property && withoutSecretValues(property, each, isMapping(declared) ? declared[name] : declared);
  });
}

/** Whether a value is declared, and no secret. */
function isLiteral(declared: Value | undefined): boolean {
  return declared !== undefined && declared !== null && !isReference(declared);
}

/** Compares a declared value of a field with its live value; of a mapping, only what is declared counts. */
export function compareMeaning(field: FieldSchema, desired: Value, live: Value | undefined): Comparison {
  if (field.writeOnly === true && field["x-returned"] !== true) return "unverified";
  if (isReference(desired) || (live !== undefined && isReference(live))) return "unverified";
  if (desired === live && isScalar(desired)) return "same";
  if (live !== undefined && field.properties && isMapping(desired) && isMapping(live)) {
    return worst(
      Object.entries(desired).map(([name, each]) => compareMeaning(propertyOf(field, name) ?? any, each, live[name])),
    );
  }
  const visible = replaceReferences(desired, () => undefined) ?? null;
  const meant = comparable(field, withoutSecretValues(field, visible, visible) ?? null);
  const found =
    live === undefined ? undefined : comparable(field, withoutSecretValues(field, live as Plain, visible) ?? null);
  return compareNormalised(desired, meant, found);
}

/** The same for values that are normalised already: `meant` is what the declared one says without its secrets. */
function compareNormalised(desired: Value, meant: Plain, live: Plain | undefined): Comparison {
  if (live === undefined) return meant === "" ? "same" : "unverified";
  if (!isAlike(meant, live)) return "different";
  return referencesWithin(desired).length > 0 ? "unverified" : "same";
}

function worst(parts: readonly Comparison[]): Comparison {
  return parts.find((each) => each === "different") ?? parts.find((each) => each === "unverified") ?? "same";
}
