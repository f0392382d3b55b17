import { isObject } from "../../../../base/json.ts";
import { aliasFault } from "../../../../manifest/document.ts";
import { parseYaml } from "../../../../manifest/yaml.ts";
import { type IdOf, isIdOf } from "../foreign.ts";

/** Pure functions of Terraform; they return undefined for unsupported arguments. */
export const functions: Readonly<Record<string, (inputs: readonly unknown[]) => unknown>> = {
  toset: ([of]) => distinct(of)?.toSorted((a, b) => (a < b ? -1 : 1)),
  tolist: ([of]) => of,
  tomap: ([of]) => of,
  yamldecode: ([of]) => decodeYaml(of),
  jsondecode: ([of]) => decodeYaml(of),
  tostring: ([of]) => (isText(of) ? String(of) : isIdOf(of) ? of : undefined),
  tonumber: ([of]) => {
    if (isIdOf(of) || typeof of === "number") return of;
    return typeof of === "string" && /^-?\d+(?:\.\d+)?$/.test(of) ? Number(of) : undefined;
  },
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
  values: ([of]) => listMembers(of, 2)?.map(([, value]) => value),
  flatten: ([of]) => (Array.isArray(of) ? of.flat(Number.POSITIVE_INFINITY) : undefined),
  distinct: ([of]) => distinct(of),
  compact: ([of]) => (Array.isArray(of) ? of.filter((each) => each !== null && each !== "") : undefined),
  contains: ([of, value]) => (Array.isArray(of) && isText(value) ? of.includes(value) : undefined),
  coalesce: (values) => values.find((each) => each !== null && each !== ""),
  replace: ([text, old, by]) =>
    typeof text === "string" && typeof old === "string" && typeof by === "string" && !/^\/.*\/$/.test(old)
      ? text.replaceAll(old, () => by)
      : undefined,
  format: ([pattern, ...values]) =>
    typeof pattern === "string" && values.every(isText) && !/%[^sd]/.test(pattern)
      ? values.reduce<string>((text, value) => text.replace(/%[sd]/, () => String(value)), pattern)
      : undefined,
  lookup: ([of, key, fallback]) => {
    if (!isObject(of)) return undefined;
    return Object.hasOwn(of, String(key)) ? of[String(key)] : fallback;
  },
};

/** Operators; they return undefined for unsupported sides. */
export const operators: Readonly<Record<string, (sides: readonly unknown[]) => unknown>> = {
  "!": ([of]) => not(of),
  "&&": (sides) => (sides.every(isBoolean) ? sides.every(Boolean) : undefined),
  "||": (sides) => (sides.every(isBoolean) ? sides.some(Boolean) : undefined),
  "==": equality,
  "!=": (sides) => not(equality(sides)),
  ">": comparing((a, b) => a > b),
  "<": comparing((a, b) => a < b),
  ">=": comparing((a, b) => a >= b),
  "<=": comparing((a, b) => a <= b),
};

function not(value: unknown): boolean | undefined {
  return isBoolean(value) ? !value : undefined;
}

function comparing(compare: (a: number, b: number) => boolean) {
  return ([a, b]: readonly unknown[]) => (typeof a === "number" && typeof b === "number" ? compare(a, b) : undefined);
}

export function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** Defined for scalars of one type, and if either side is null; an ID is not empty. */
function equality([a, b]: readonly unknown[]): boolean | undefined {
  if (a === null || b === null) return a === b;
  if ((isIdOf(a) && b === "") || (isIdOf(b) && a === "")) return false;
  return isText(a) && typeof a === typeof b ? a === b : undefined;
}

/** The value of a document; JSON is YAML too. */
function decodeYaml(text: unknown): unknown {
  const parsed = typeof text === "string" ? parseYaml(text) : undefined;
  if (!parsed || !("values" in parsed) || parsed.values.length !== 1) return undefined;
  const [value] = parsed.values;
  return aliasFault(value) ? undefined : value;
}

/** Removes duplicates from a list of scalars; undefined for any other value. */
function distinct(of: unknown): readonly (string | number | boolean | IdOf)[] | undefined {
  return Array.isArray(of) && of.every((each) => isText(each) || isIdOf(each)) ? [...new Set(of)] : undefined;
}

/** True if a value can be part of a text. */
export function isText(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** The keys and values of a mapping, sorted by key as in Terraform; keys of a list are indices, of a set its values. */
export function listMembers(
  value: unknown,
  names: number,
): readonly (readonly [key: unknown, value: unknown])[] | undefined {
  if (Array.isArray(value)) return names === 1 ? value.map((each) => [undefined, each]) : undefined;
  return isObject(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : undefined;
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** The value of a quoted HCL string; undefined if an escape is invalid. */
export function decodeEscapes(text: string): string | undefined {
  let isFaulty = false;
  const plain = text.replace(
    /\\(u[\da-fA-F]{4}|U[\da-fA-F]{8}|[\s\S])|([$%])\2\{/g,
    (whole, name?: string, mark?: string) => {
      if (mark !== undefined) return `${mark}{`;
      const escaped = name === undefined ? undefined : (escapes[name] ?? codePoint(name));
      isFaulty ||= escaped === undefined;
      return escaped ?? whole;
    },
  );
  return isFaulty ? undefined : plain;
}

function codePoint(name: string): string | undefined {
  const code = name.length > 1 ? Number.parseInt(name.slice(1), 16) : Number.NaN;
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The value of a heredoc without interpolation; `<<-` removes common indentation. */
export function heredocText(source: string): string {
  const lines = source.split(/\r?\n/).slice(1, -1);
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = source.startsWith("<<-") ? Math.min(...depths, Number.MAX_SAFE_INTEGER) : 0;
  return lines.map((line) => `${line.slice(indent)}\n`.replace(/([$%])\1\{/g, "$1{")).join("");
}
