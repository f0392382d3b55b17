import { isObject } from "../base/json.ts";
import type { Action } from "../model/types.ts";

/** What equal changes of some projects are about: the first field that differs, as a person reads it. */
export interface RunValue {
  /** The address without the project. */
  readonly rest: string;
  readonly action: Action;
  readonly field: string;
  /** Null where there is none. */
  readonly before: string | null;
  readonly after: string | null;
  /** How many other fields differ. */
  readonly more?: number;
  readonly projects: number;
}

/** Values that a summary keeps, bytes of all of them, and characters of each text. */
const [maxValues, maxBytes, maxText] = [12, 3000, 60];

/** The values of most projects first, as many as fit into a summary. */
export function keptValues(values: readonly RunValue[]): { readonly values?: readonly RunValue[] } {
  if (values.length === 0) return {};
  const first = values.toSorted((a, b) => b.projects - a.projects).slice(0, maxValues);
  let left = maxBytes;
  const kept = first.map((value) => ({ ...value, before: cut(value.before), after: cut(value.after) }));
  return {
    values: kept.filter((value) => {
      const size = Buffer.byteLength(JSON.stringify(value)) + 1;
      if (size > left) return false;
      left -= size;
      return true;
    }),
  };
}

function cut(text: string | null): string | null {
  return text !== null && text.length > maxText ? `${text.slice(0, maxText).toWellFormed()}…` : text;
}

/** Whether what a summary holds are values. */
export function areRunValues(read: unknown): read is readonly RunValue[] {
  return Array.isArray(read) && read.every(isRunValue);
}

function isRunValue(read: unknown): boolean {
  if (!isObject(read)) return false;
  const { rest, action, field, before, after, more = 0, projects } = read;
  const texts = [rest, action, field].every((each) => typeof each === "string");
  const sides = [before, after].every((each) => each === null || typeof each === "string");
  return texts && sides && typeof more === "number" && typeof projects === "number";
}
