import { isObject, type JsonObject } from "../../../base/json.ts";
import { flags } from "./sections.ts";

/** Whether a value is null, or an empty mapping. */
export function isEmptyValue(value: unknown): boolean {
  return value === null || value === undefined || (isObject(value) && Object.keys(value).length === 0);
}

/** The value of a key of a mapping, or of an index of a list. */
export function stepInto(at: unknown, part: string): unknown {
  return isObject(at) || Array.isArray(at) ? (at as JsonObject)[part] : undefined;
}

/** Further booleans of YAML 1.1. */
export const truths: ReadonlyMap<string, boolean> = new Map([
  ["yes", true],
  ["on", true],
  ["no", false],
  ["off", false],
]);

/** A word of YAML 1.1 as the boolean that it is there. Other keys need the type of their field for it. */
function flagOf(key: string, value: unknown): unknown {
  return typeof value === "string" && flags.has(key) ? (truths.get(value.toLowerCase()) ?? value) : value;
}

/** Limits of a configuration with aliases expanded. */
const mostValues = 200_000;
const mostLevels = 50;

/**
 * Resolves merge keys: own keys win, then the first of several mappings.
 * @throws RangeError where aliases make it huge or recursive.
 */
export function flattened(value: unknown, isYaml11: boolean): unknown {
  let count = 0;
  const read = isYaml11 ? flagOf : (_key: string, each: unknown) => each;
  const copy = (each: unknown, depth: number): unknown => {
    if (++count > mostValues) throw new RangeError(`aliases make this more than ${mostValues} values`);
    if (depth > mostLevels) throw new RangeError("aliases make this part of itself");
    if (Array.isArray(each)) return each.map((item) => copy(item, depth + 1));
    return isObject(each) ? members(each, depth) : each;
  };
  const members = (object: JsonObject, depth: number): JsonObject => {
    const { "<<": brought, ...own } = object;
    const sources = (Array.isArray(brought) ? brought : [brought]).filter(isObject);
    const inherited = sources.toReversed().map((source) => copy(source, depth + 1));
    const copied = Object.entries(own).map(([key, each]) => [key, read(key, copy(each, depth + 1))] as const);
    // Not by assignment: `__proto__` is a key like any other here.
    return Object.fromEntries([...inherited.filter(isObject).flatMap(Object.entries), ...copied]);
  };
  return copy(value, 0);
}
