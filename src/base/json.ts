import { createHash } from "node:crypto";

/** `sha256:` and the hash, in hex, of a value's canonical JSON: keys sorted, undefined left out. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonical(value)).digest("hex")}`;
}

/** JSON whose bytes depend on the value alone, not on the order in which its keys were set. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isObject(inner) ? sortedByKey(inner) : inner));
}

/** An object of JSON whose values are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a parsed value is an object, not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The keys that a JSON pointer leads through. */
export function pointerKeys(pointer: string): string[] {
  const parts = pointer.split("/").slice(1);
  return parts.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function sortedByKey(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
