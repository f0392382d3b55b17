import { expectedWords, isObject, type JsonObject } from "../../../base/json.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { propertyOf, typesOf, wireValue } from "../../../model/field-meaning.ts";
import { fieldCheck } from "../../../model/kind-schema.ts";
import { exactIntegers } from "../../../model/parameter-check.ts";
import type { FieldSchema } from "../../../model/resource-kind.ts";
import type { Plain, Scalar } from "../../../model/types.ts";
import { isList, isScalar, textsWithin } from "../../../model/values.ts";
import { isPlainlyPublic } from "../plain-values.ts";
import { type Blank, blank } from "../policy.ts";
import type { ForeignValue } from "./foreign.ts";

/** Numbers values: equal secrets get one number, and so one reference. */
export type NumberOf = (value: unknown) => number;

type Fields = ReadonlyMap<string, ForeignValue>;

/** A reference to a secret whose value is not repeated. */
export function secretOf({ value, unknown }: ForeignValue, numberOf: NumberOf): Blank {
  if (unknown !== undefined) return blank(`a secret, was ${unknown}`, numberOf(`unknown ${unknown}`));
  const placeholder = typeof value === "string" ? /^\$\{\w+\}$/.exec(value)?.[0] : undefined;
  return blank(placeholder ? `a secret, was ${placeholder}` : "a secret", numberOf([value]));
}

/** The items of a list that have secrets, or the reason why they cannot be declared. */
export function readItems(
  { items: { properties = {}, required = [] } = {} }: FieldSchema,
  { value, blocks, place, unknown }: ForeignValue,
  numberOf: NumberOf,
): readonly Plain[] | string {
  const own = Array.isArray(value) ? value : [];
  const listed =
    blocks ??
    own.filter(isObject).map((item) => {
      return new Map(Object.entries(item).map(([part, each]) => [part, { value: each, place }]));
    });
  if (unknown !== undefined && !blocks) return `${unknown} is not known from these files`;
  if (listed.length === 0 || (!blocks && own.length > listed.length)) return "expected a list of mappings";
  const items: Plain[] = [];
  for (const given of listed) {
    const item: Record<string, Plain> = {};
    for (const [part, stated] of given) {
      const field = Object.hasOwn(properties, part) ? properties[part] : undefined;
      if (!field) return `its items have no ${part}${didYouMean(part, Object.keys(properties))}`;
      const read = isUnset(field, stated) ? null : readPart(field, stated, given, numberOf);
      if (read === undefined)
        return `${part} of an item is not ${describeExpected(field)}, or not known from these files`;
      if (read !== null) item[part] = read;
    }
    const lacking = required.find((part) => item[part] === undefined);
    if (lacking !== undefined) return `its items need ${lacking}`;
    items.push(item);
  }
  return items;
}

function readPart(field: FieldSchema, stated: ForeignValue, item: Fields, numberOf: NumberOf): Plain | undefined {
  if (field.writeOnly === true)
    return isPublic(field, stated, item) ? String(stated.value) : secretOf(stated, numberOf);
  if (stated.unknown !== undefined) return undefined;
  const value = valueInField(field, stated.value);
  return value === undefined || findFault(field, value) !== undefined ? undefined : value;
}

/** True for a value that servers return and that is plainly no credential, like the value of a variable. */
export function isPublic(field: FieldSchema, { value, secret, unknown }: ForeignValue, fields: Fields): boolean {
  const { "x-returned": isReturned, "x-secret-with": marks = [] } = field;
  const isSet = (name: string) => ![undefined, null, false].some((off) => off === fields.get(name)?.value);
  if (isReturned !== true || secret === true || unknown !== undefined || [...marks, "protected"].some(isSet))
    return false;
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false;
  return isPlainlyPublic(String(fields.get("key")?.value ?? ""), String(value));
}

/** True if a value sets nothing: null for a field that cannot be null, or Terraform's text for an unset one. */
export function isUnset(field: FieldSchema, { value, unknown }: ForeignValue): boolean {
  return unknown === undefined && (value === undefined || (value === null && !typesOf(field).includes("null")));
}

/** Explains why a value cannot be declared, without repeating it. */
export function findFault(field: FieldSchema, value: Plain): string | undefined {
  if (holdsSecret(field, value)) return "it holds secrets; declare it by hand, with references";
  if (textsWithin(value).some(hasCredentials)) return "it holds a secret";
  const faults = fieldCheck(field)(wireValue(field, value));
  const fault = faults.find(({ rule }) => rule === "unknown-key") ?? faults[0];
  if (!fault) return undefined;
  if (fault.path.length === 0) return `expected ${describeExpected(field)}`;
  return `its part ${fault.path.join(".")} is none that the API takes (${fault.rule})`;
}

export function describeExpected(field: FieldSchema): string {
  const words = Object.entries(field["x-words"] ?? {}).filter(([, value]) => typeof value === "number");
  const allowed = [...words.map(([word]) => word), ...(field.enum ?? []).map(String)];
  if (field.pattern !== undefined) return `a string that matches ${field.pattern}`;
  if (field.items && typesOf(field).includes("array")) return `a list, each item ${describeExpected(field.items)}`;
  return expectedWords(typesOf(field), allowed.length > 0 ? allowed : undefined) || "a value of the API";
}

function holdsSecret(field: FieldSchema, value: Plain): boolean {
  if (isScalar(value)) return field.writeOnly === true && value !== null;
  if (isList(value)) return value.some((item) => holdsSecret(field.items ?? {}, item));
  return Object.entries(value).some(([name, each]) => holdsSecret(propertyOf(field, name) ?? {}, each));
}

/** Converts a value to the type and the words of its field; undefined if that is impossible. */
export function valueInField(field: FieldSchema, value: unknown): Plain | undefined {
  const types = typesOf(field);
  if (Array.isArray(value)) return convertList(field, types, value);
  if (isObject(value)) return types.includes("object") ? convertMapping(field, value) : undefined;
  if (!isScalar(value)) return undefined;
  if (types.includes("array") && value === null) return [];
  if (types.length > 0 && types.every((type) => ["array", "null"].includes(type))) return undefined;
  return convertScalar(field, types, value);
}

function convertList(field: FieldSchema, types: readonly string[], value: readonly unknown[]): Plain | undefined {
  const { "x-list": separator } = field;
  if (separator && value.every((item) => typeof item === "string"))
    return value.join(separator === "comma" ? "," : " ");
  if (types.includes("object") && value.length === 1) return valueInField(field, value[0]);
  if (!types.includes("array")) return undefined;
  const items = value.map((item) => withoutDefaults(field.items ?? {}, valueInField(field.items ?? {}, item)));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** In list items, a value at its default is omitted. */
function withoutDefaults({ properties = {} }: FieldSchema, item: Plain | undefined): Plain | undefined {
  if (item === undefined || isScalar(item) || isList(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([name, each]) => properties[name]?.default !== each));
}

function convertMapping(field: FieldSchema, value: JsonObject): Plain | undefined {
  const pairs = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  const read = pairs.map(([name, each]) => [name, valueInField(propertyOf(field, name) ?? {}, each)] as const);
  if (read.some(([, each]) => each === undefined)) return undefined;
  return Object.fromEntries(read.map(([name, each]) => [name, each ?? null]));
}

function convertScalar(field: FieldSchema, types: readonly string[], value: Scalar): Scalar | undefined {
  // The parser rounded it.
  if (typeof value === "number" && Math.abs(value) > exactIntegers.maximum) return undefined;
  const words = field["x-words"];
  if (words)
    return findWord(words, value) ?? (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value);
  if (types.length === 0 || value === null) return value;
  if (typeof value !== "string") {
    const isTaken = types.includes(typeof value) || (typeof value === "number" && types.includes("integer"));
    return types.includes("string") && !isTaken ? String(value) : value;
  }
  const isBoolean = types.includes("boolean") && !types.includes("string") && /^(?:true|false)$/i.test(value);
  if (isBoolean) return value.toLowerCase() === "true";
  return types[0] === "integer" && /^-?\d{1,15}$/.test(value) ? Number(value) : value;
}

/** The schema's word for a value: other tools also write `No access`, `no_one` or `maintainers`. */
function findWord(words: Readonly<Record<string, Scalar>>, value: Scalar): string | undefined {
  if (typeof value !== "string") return undefined;
  const plain = value.trim().toLowerCase().replaceAll("_", " ");
  const candidates = [plain, synonyms.get(plain) ?? "", plain.replace(/s$/, "")];
  const word = Object.keys(words).find((each) => candidates.includes(each));
  const named = word === undefined ? undefined : words[word];
  return typeof named === "string" ? named : word;
}

const synonyms: ReadonlyMap<string, string> = new Map([
  ["no access", "no one"],
  ["noone", "no one"],
  ["none", "no one"],
  ["master", "maintainer"],
  ["masters", "maintainer"],
]);

/** True if a text is a URL with a password. */
export function hasCredentials(text: string): boolean {
  return /^[a-z][a-z\d+.-]*:\/\/[^/\s:]*:[^/\s]*@/i.test(text);
}
