import { canonical, isObject } from "../base/json.ts";
import type { Fields, Plain, Scalar, SecretReference, Value } from "./types.ts";

export function isScalar(value: unknown): value is Scalar {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** True for a secret reference. A mapping with additional keys is not one. */
export function isReference(value: Value | undefined): value is SecretReference {
  if (typeof value !== "object" || value === null || !("secret" in value)) return false;
  const isWhole = Object.keys(value).every((name) => name === "secret" || name === "version");
  return isWhole && typeof value.secret === "string";
}

export function referencesWithin(value: Value): readonly SecretReference[] {
  if (typeof value !== "object" || value === null) return none;
  return isReference(value) ? [value] : Object.values(value).flatMap(referencesWithin);
}

const none: readonly never[] = [];

export function referencesIn(fields: Fields): SecretReference[] {
  const found: SecretReference[] = [];
  // `for in`, because nearly no field of a fleet has any.
  for (const name in fields) for (const each of referencesWithin(fields[name] ?? null)) found.push(each);
  return found;
}

export function textsWithin(value: Value): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return none;
  return isReference(value) ? [value.secret] : Object.values(value).flatMap(textsWithin);
}

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

/** Marks a URL into which user and password are written when the request is encoded. */
const urlMark = "url with credentials";

export function urlWithCredentials(url: Value, user: Value, password: Value): Value {
  return { [urlMark]: url as Plain, user: user as Plain, password: password as Plain };
}

/** Writes user and password into a URL that is marked; other values stay. */
export function joinCredentials(value: Plain): Plain {
  if (!isMapping(value) || !(urlMark in value)) return value;
  const [user, password] = [value.user ?? "", value.password ?? ""].map((each) => encodeURIComponent(String(each)));
  const login = password === "" ? user : `${user}:${password}`;
  return String(value[urlMark]).replace("://", () => `://${login}@`);
}

/**
 * Removes the secret from anything that looks like a reference, in place. Requests repeat parts of a response, and a
 * reference in them would be replaced by this machine's secret of that name.
 */
export function removeReferences(body: unknown): void {
  if (typeof body !== "object" || body === null) return;
  if (isReference(body as Value)) delete (body as { secret?: unknown }).secret;
  for (const each of Object.values(body)) removeReferences(each);
}

export function isMapping(value: Value | undefined): value is { readonly [name: string]: Plain } {
  return isObject(value) && !isReference(value as Value);
}

export function isList(value: unknown): value is readonly Plain[] {
  return Array.isArray(value);
}

/** A value in one line: a scalar as it is, a list or mapping as compact JSON. */
export function inlineText(value: Plain): string {
  return isScalar(value) ? String(value) : JSON.stringify(value);
}

/** True if normalised values are equal: lists in order, mappings in any order of keys. */
export function isAlike(one: Plain, other: Plain): boolean {
  return one === other || (!isScalar(one) && !isScalar(other) && canonical(one) === canonical(other));
}

export function definedFields<Each>(
  fields: Readonly<Record<string, Each>>,
  valueFor: (name: string, field: Each) => Plain | undefined,
): { readonly [name: string]: Plain } {
  const values = Object.entries(fields).map(([name, field]) => [name, valueFor(name, field)] as const);
  return Object.fromEntries(values.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
