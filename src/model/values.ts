import type { Fields, Plain, Scalar, SecretReference, Value } from "./types.ts";

/** Whether a value is a single one, not a list or a mapping. */
export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Whether a value is a reference to a secret rather than a value. A mapping that has more than a reference is none. */
export function isReference(value: Value | undefined): value is SecretReference {
  if (typeof value !== "object" || value === null || !("secret" in value)) return false;
  const isWhole = Object.keys(value).every((name) => name === "secret" || name === "version");
  return isWhole && typeof value.secret === "string";
}

/** The secrets that a value refers to, in lists and mappings too. */
export function referencesWithin(value: Value): readonly SecretReference[] {
  if (typeof value !== "object" || value === null) return none;
  return isReference(value) ? [value] : Object.values(value).flatMap(referencesWithin);
}

const none: readonly never[] = [];

/** The secrets among the fields of a resource. */
export function referencesIn(fields: Fields): SecretReference[] {
  return Object.values(fields).flatMap(referencesWithin);
}

/** All texts of a value, in lists and mappings too; of a secret, its reference. */
export function textsWithin(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return none;
  return isReference(value) ? [value.secret] : Object.values(value).flatMap(textsWithin);
}

/** A value with something in place of each reference, wherever it is; what is undefined is left out. */
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

/** Whether a value is a list. */
export function isList(value: unknown): value is readonly Plain[] {
  return Array.isArray(value);
}

/** A value in one line: a single one as it is, a list or mapping as compact JSON. */
export function inlineText(value: Plain): string {
  return isScalar(value) ? String(value) : JSON.stringify(value);
}
