import type { Catalogue } from "./catalogue.ts";
import { columnOf, kindOf } from "./kinds.ts";
import type { Fields, Resource, Scalar, SecretReference, Value } from "./types.ts";

/**
 * Comparison by meaning (docs/comparing.md): both sides are brought to one spelling, then compared plainly.
 *
 * `unverified`: the server did not report it, or nobody may look at it, so nothing can be said.
 */
export type Comparison = "same" | "different" | "unverified";

/** Whether a value is a reference to a secret rather than a value. */
export function isReference(value: Value | undefined): value is SecretReference {
  return typeof value === "object" && value !== null;
}

/** Whether what a server answers as `active` means off, in whichever type it puts that. */
export function isOff(active: unknown): boolean {
  return active === false || active === 0 || (typeof active === "string" && /^(false|0)$/i.test(active));
}

/** The secrets among the fields of a resource. */
export function referencesIn(fields: Fields): SecretReference[] {
  return Object.values(fields).filter(isReference);
}

/** Compares one declared field with what was read. A live value of undefined means: not in the response. */
export function compareField(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  desired: Value,
  live: Value | undefined,
): Comparison {
  if (isReference(desired) || isReference(live)) return "unverified";
  if (desired === live) return "same";
  const wanted = normalise(catalogue, resource, name, desired);
  if (live === undefined) return wanted === "" ? "same" : "unverified";
  return wanted === normalise(catalogue, resource, name, live) ? "same" : "different";
}

/** The one spelling of all values that mean the same. */
export function normalise(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  value: Scalar,
): Scalar {
  return kindOf(catalogue, resource.kind).normalise(value, columnOf(catalogue, resource, name));
}

/** The fields of a live resource in one spelling: what a digest of the live side is taken of. */
export function readAs(catalogue: Catalogue, resource: Resource): Readonly<Record<string, Scalar>> {
  const read: Record<string, Scalar> = {};
  for (const name of Object.keys(resource.fields).sort()) {
    const value = resource.fields[name];
    if (value !== undefined && !isReference(value)) read[name] = normalise(catalogue, resource, name, value);
  }
  return read;
}
