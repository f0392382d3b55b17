import type { JsonObject } from "../base/json.ts";
import type { Parameter } from "../model/endpoints.ts";

/** Parses and validates the parameters in the table; ignores others. Missing ones have their defaults. */
export function readParameters(table: Readonly<Record<string, Parameter>>, raw: JsonObject) {
  const values: Record<string, string | number | boolean> = {};
  const faults: string[] = [];
  for (const [name, parameter] of Object.entries(table)) {
    const written = raw[name] ?? parameter.default;
    if (written === undefined || written === null) {
      if (parameter.required) faults.push(`${name} is missing`);
      continue;
    }
    const value = readers[parameter.type](written);
    if (value === undefined) faults.push(`${name} is invalid`);
    else if (parameter.enum && !parameter.enum.includes(String(value)))
      faults.push(`${name} does not have a valid value`);
    else values[name] = value;
  }
  return { values, faults };
}

const readers: Record<Parameter["type"], (written: unknown) => string | number | boolean | undefined> = {
  string: (written) => (typeof written === "string" ? written : undefined),
  boolean: readBoolean,
  integer: readInteger,
  datetime: readTime,
};

/** A boolean in any spelling that the platform accepts; undefined for anything else. */
export function readBoolean(written: unknown): boolean | undefined {
  if (typeof written === "boolean") return written;
  return typeof written === "string" || typeof written === "number" ? booleans.get(String(written)) : undefined;
}

/** The spellings of the platform's library (dry-types, coercions of params). */
const booleans: ReadonlyMap<string, boolean> = new Map([
  ..."1 on On ON t true True TRUE T y yes Yes YES Y".split(" ").map((word) => [word, true] as const),
  ..."0 off Off OFF f false False FALSE F n no No NO N".split(" ").map((word) => [word, false] as const),
]);

/** An integer, also as digits; undefined for anything else. */
export function readInteger(written: unknown): number | undefined {
  if (typeof written === "string") return /^-?\d{1,15}$/.test(written) ? Number(written) : undefined;
  return Number.isSafeInteger(written) ? (written as number) : undefined;
}

const iso8601 = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** A time in ISO 8601 as milliseconds since 1970. */
function readTime(written: unknown): number | undefined {
  if (typeof written !== "string" || !iso8601.test(written)) return undefined;
  const time = Date.parse(written.replace(",", "."));
  return Number.isNaN(time) ? undefined : time;
}
