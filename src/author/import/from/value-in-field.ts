import { isObject, type JsonObject } from "../../../base/json.ts";
import { propertyOf, typesOf } from "../../../model/field-meaning.ts";
import type { FieldSchema } from "../../../model/resource-kind.ts";
import type { Plain, Scalar } from "../../../model/types.ts";
import { isList, isScalar } from "../../../model/values.ts";

/** A value in the type of its field, with its words; undefined if it has no such form. */
export function valueInField(field: FieldSchema, value: unknown, truth?: boolean): Plain | undefined {
  const types = typesOf(field);
  if (Array.isArray(value)) return listOf(field, types, value);
  if (isObject(value)) return types.includes("object") ? mappingOf(field, value) : undefined;
  if (!isScalar(value)) return undefined;
  if (types.includes("array") && value === null) return [];
  if (types.length > 0 && types.every((type) => ["array", "null"].includes(type))) return undefined;
  return scalarOf(field, types, value, truth);
}

function listOf(field: FieldSchema, types: readonly string[], value: readonly unknown[]): Plain | undefined {
  if (types.includes("object") && value.length === 1) return valueInField(field, value[0]);
  if (!types.includes("array")) return undefined;
  const items = value.map((item) => withoutDefaults(field.items ?? {}, valueInField(field.items ?? {}, item)));
  return items.every((item) => item !== undefined) ? items : undefined;
}

/** In an item of a list, what equals its default means the same as nothing. */
function withoutDefaults({ properties = {} }: FieldSchema, item: Plain | undefined): Plain | undefined {
  if (item === undefined || isScalar(item) || isList(item)) return item;
  return Object.fromEntries(Object.entries(item).filter(([name, each]) => properties[name]?.default !== each));
}

function mappingOf(field: FieldSchema, value: JsonObject): Plain | undefined {
  const pairs = Object.entries(value).filter(([, each]) => each !== null && each !== undefined);
  const read = pairs.map(([name, each]) => [name, valueInField(propertyOf(field, name) ?? {}, each)] as const);
  if (read.some(([, each]) => each === undefined)) return undefined;
  return Object.fromEntries(read.map(([name, each]) => [name, each ?? null]));
}

function scalarOf(field: FieldSchema, types: readonly string[], value: Scalar, truth?: boolean): Scalar | undefined {
  const words = field["x-words"];
  if (words) return wordIn(words, value) ?? (typeof value === "string" && /^\d+$/.test(value) ? Number(value) : value);
  if (types.length === 0) return value;
  if (types.includes("boolean") && truth !== undefined) return truth;
  if (
    typeof value === "string" &&
    types.includes("boolean") &&
    !types.includes("string") &&
    /^(?:true|false)$/i.test(value)
  )
    return value.toLowerCase() === "true";
  if (typeof value === "string" && types[0] === "integer" && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (typeof value !== "string" && value !== null && types.includes("string") && !takes(types, value))
    return String(value);
  return value;
}

function takes(types: readonly string[], value: Scalar): boolean {
  return types.includes(typeof value) || (typeof value === "number" && types.includes("integer"));
}

/** Tools write levels as `No access`, `no_one` or `maintainers` too. An older word for a text is that text. */
function wordIn(words: Readonly<Record<string, Scalar>>, value: Scalar): string | undefined {
  if (typeof value !== "string") return undefined;
  const plain = value.trim().toLowerCase().replaceAll("_", " ");
  const meant = [plain, synonyms.get(plain) ?? "", plain.replace(/s$/, "")];
  const word = Object.keys(words).find((each) => meant.includes(each));
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
