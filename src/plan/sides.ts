import type { Fields } from "../model/types.ts";

/** The values of a change: what was there, and what will be. */
export interface Sides {
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** The fields of both sides, each once. */
export function fieldNamesOf({ before, after }: Sides): readonly string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
}

/**
 * The field that one row shows. Undefined where there is none, and where a resource of several fields comes or goes: then
 * none tells more than another.
 */
export function firstField(sides: Sides): string | undefined {
  const [name, ...others] = fieldNamesOf(sides);
  const isUpdate = sides.before !== null && sides.after !== null;
  return isUpdate || others.length === 0 ? name : undefined;
}
