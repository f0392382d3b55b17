import { isObject } from "../../../base/json.ts";

/** Whether a value can be part of a text. */
export function isText(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Functions of Terraform that depend on nothing else; undefined is what they give for inputs that are not supported. */
export const functions: Readonly<Record<string, (inputs: readonly unknown[]) => unknown>> = {
  toset: ([of]) => distinct(of)?.toSorted((a, b) => (a < b ? -1 : 1)),
  tolist: ([of]) => of,
  tomap: ([of]) => of,
  tostring: ([of]) => (isText(of) ? String(of) : undefined),
  nonsensitive: ([of]) => of,
  lower: ([of]) => (typeof of === "string" ? of.toLowerCase() : undefined),
  upper: ([of]) => (typeof of === "string" ? of.toUpperCase() : undefined),
  trimspace: ([of]) => (typeof of === "string" ? of.trim() : undefined),
  concat: (lists) => (lists.every(Array.isArray) ? lists.flat() : undefined),
  merge: (maps) => (maps.every(isObject) ? Object.assign({}, ...maps) : undefined),
  join: ([between, list]) =>
    typeof between === "string" && Array.isArray(list) && list.every(isText) ? list.join(between) : undefined,
  split: ([between, text]) =>
    typeof between === "string" && typeof text === "string" ? text.split(between) : undefined,
  length: ([of]) => (Array.isArray(of) ? of.length : isObject(of) ? Object.keys(of).length : undefined),
  keys: ([of]) => (isObject(of) ? Object.keys(of).sort() : undefined),
  values: ([of]) =>
    isObject(of)
      ? Object.keys(of)
          .sort()
          .map((name) => of[name])
      : undefined,
  flatten: ([of]) => (Array.isArray(of) ? of.flat(Number.POSITIVE_INFINITY) : undefined),
  distinct: ([of]) => distinct(of),
  compact: ([of]) => (Array.isArray(of) ? of.filter((each) => each !== null && each !== "") : undefined),
  contains: ([of, value]) => (Array.isArray(of) && isText(value) ? of.includes(value) : undefined),
  lookup: ([of, key, fallback]) => {
    if (!isObject(of)) return undefined;
    return Object.hasOwn(of, String(key)) ? of[String(key)] : fallback;
  },
};

/** Of single values, which are the same if they are equal. */
function distinct(of: unknown): readonly (string | number | boolean)[] | undefined {
  return Array.isArray(of) && of.every(isText) ? [...new Set(of)] : undefined;
}
