import { withoutTrailing } from "../base/text-format.ts";
import { sortedSet } from "./field-meaning.ts";
import type { IntegrationParameter } from "./integration.ts";
import type { Plain, Scalar } from "./types.ts";
import { isScalar } from "./values.ts";

/**
 * The form of a parameter's value in which everything that means the same is equal. Values of unknown parameters are
 * unchanged.
 */
export function comparableParameter(column: IntegrationParameter | undefined, value: Plain): Plain {
  if (isScalar(value)) return normaliseParameter(column, value);
  return column?.set && Array.isArray(value) ? sortedSet(value) : value;
}

/** The same for a single value. */
export function normaliseParameter(column: IntegrationParameter | undefined, value: Scalar): Scalar {
  if (!column) return value;
  const [type] = column.types;
  if (type === "boolean") return toBoolean(value);
  if (type === "integer") return toInteger(value);
  const text = String(value ?? "").replaceAll("\r\n", "\n");
  if (column.list) return asSet(text, column.list);
  if (column.url) return withoutTrailing(text, "/");
  return column.observed.has("trimmed") ? text.trim() : text;
}

/** Normalises spellings of true and false; other values are unchanged. */
export function toBoolean(value: Scalar): Scalar {
  if (value === null || value === "") return false;
  return words.get(String(value)) ?? value;
}

const words: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

function toInteger(value: Scalar): Scalar {
  return typeof value === "string" && /^-?\d+$/.test(value) ? Number(value) : value;
}

function asSet(text: string, separator: "comma" | "whitespace"): string {
  const parts = text.split(separator === "comma" ? /,/ : /\s+/).map((part) => part.trim());
  return [...new Set(parts.filter(Boolean))].sort().join("\n");
}
