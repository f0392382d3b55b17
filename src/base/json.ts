import { createHash } from "node:crypto";

/** `sha256:` and the hash, in hex, of a value's canonical JSON: keys sorted, undefined left out. */
export function digestOf(value: unknown): string {
  return `sha256:${createHash("sha256").update(canonical(value)).digest("hex")}`;
}

/** JSON whose bytes depend on the value alone, not on the order in which its keys were set. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (isPlainObject(inner) ? sortedByKey(inner) : inner));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function sortedByKey(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
