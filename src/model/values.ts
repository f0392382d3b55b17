import { canonical, isObject } from "../base/json.ts";
import type { Fields, Plain, Scalar, SecretReference, Value } from "./types.ts";

/** Whether a value is a scalar, not a list or a mapping. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Whether a value is a secret reference. A mapping with additional keys is not. */
export function isReference(value: Value | undefined): value is SecretReference {
  if (typeof value !== "object" || value === null || !("secret" in value)) return false;
  const isWhole = Object.keys(value).every((name) => name === "secret" || name === "version");
  return isWhole && typeof value.secret === "string";
}

/** All secret references in a value, including nested ones. */
export function referencesWithin(value: Value): readonly SecretReference[] {
  if (typeof value !== "object" || value === null) return none;
  return isReference(value) ? [value] : Object.values(value).flatMap(referencesWithin);
}

const none: readonly never[] = [];

/** All secret references in the fields of a resource. */
export function referencesIn(fields: Fields): SecretReference[] {
  const found: SecretReference[] = [];
  // `for in`, because nearly no field of a fleet has any.
  for (const name in fields) for (const each of referencesWithin(fields[name] ?? null)) found.push(each);
  return found;
}

/** All strings in a value, including nested ones; of a secret, its reference. */
export function textsWithin(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return none;
  return isReference(value) ? [value.secret] : Object.values(value).flatMap(textsWithin);
}

/** Replaces all secret references in a value; undefined results are omitted. */
export function replaceReferences(
  value: Value,
  replaced: (reference: SecretReference) => Plain | undefined,
): Plain | undefined {
  if (typeof value !== "object" || value === null) return value;
  if (isReference(value)) return replaced(value);
  const inside = (each: Value) => replaceReferences(each, replaced);
  if (isList(value)) return value.map(inside).filter((each) => each !== undefined);
  const pairs = Object.entries(value).map(([name, each]) => [name, inside(each)] as const);
  return Object.fromEntries(pairs.flatMap(([name, each]) => (each === undefined ? [] : [[name, each]])));
}

/**
 * Drops the secret of what reads as a reference to one, in place: requests repeat parts of a response, and a reference in
 * them would be replaced by the secret of this machine that it names.
 */
export function removeReferences(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (isReference(body as Value)) delete (body as { secret?: unknown }).secret;
  for (const each of Object.values(body)) removeReferences(each);
}

/** Whether a value is a mapping. A reference to a secret is none. */
export function isMapping(value: Value | undefined): value is { readonly [name: string]: Plain } {
  return isObject(value) && !isReference(value as Value);
}

/** Whether a value is a list. */
export function isList(value: unknown): value is readonly Plain[] {
  return Array.isArray(value);
}

/** A value in one line: a single one as it is, a list or mapping as compact JSON. */
export function inlineText(value: Plain): string {
  return isScalar(value) ? String(value) : JSON.stringify(value);
}

/** Whether normalised values are equal: lists in order, mappings in any order of keys. */
export function isAlike(one: Plain, other: Plain): boolean {
  return one === other || (!isScalar(one) && !isScalar(other) && canonical(one) === canonical(other));
}

/** The values that each of the fields has; undefined ones are left out. */
export function definedFields<Each>(
  fields: Readonly<Record<string, Each>>,
  valueFor: (name: string, field: Each) => Plain | undefined,
): { readonly [name: string]: Plain } {
  const values = Object.entries(fields).map(([name, field]) => [name, valueFor(name, field)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
