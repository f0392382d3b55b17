import { isObject, type JsonObject } from "../../../base/json.ts";

/** What a configuration holds at most, aliases written out. */
const mostValues = 200_000;
const mostLevels = 50;

/**
 * A copy of a value in which `<<` is what it brings in: own keys win, of several mappings the first.
 * @throws RangeError where aliases make it huge, or part of itself.
 */
export function flattened(value: unknown): unknown {
  let count = 0;
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
    return Object.assign(
      bare(),
      ...inherited,
      mapped(own, (each) => copy(each, depth + 1)),
    );
  };
  return copy(value, 0);
}

/** Keys are other people's words: `__proto__` is one of them. */
function bare(): Record<string, unknown> {
  return Object.create(null);
}

function mapped(object: JsonObject, change: (value: unknown) => unknown): JsonObject {
  const changed = bare();
  for (const [key, value] of Object.entries(object)) changed[key] = change(value);
  return changed;
}
