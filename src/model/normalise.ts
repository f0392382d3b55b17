import { canonical } from "../base/json.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Comparison, comparable, compareMeaning } from "./field-meaning.ts";
import type { IntegrationParameter } from "./integration.ts";
import { columnOf, fieldOf, kindOf } from "./kinds.ts";
import type { Plain, Resource, Value } from "./types.ts";
import { isAlike, isReference, isScalar, referencesWithin, replaceReferences } from "./values.ts";

/** Whether a server's `active` means disabled, whatever its type. */
export function isOff(active: unknown): boolean {
  return active === false || active === 0 || (typeof active === "string" && /^(false|0)$/i.test(active));
}

/** Compares a declared field with its live value; undefined if the response does not contain it. */
export function compareField(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  desired: Value,
  live: Value | undefined,
): Comparison {
  const field = fieldOf(catalogue, resource.kind, name);
  if (field) return compareMeaning(field, desired, live);
  if (isReference(desired) || isReference(live)) return "unverified";
  if (desired === live) return "same";
  const visible = replaceReferences(desired, () => undefined) ?? null;
  const desiredValue = normalise(catalogue, resource, name, visible);
  if (live === undefined) return desiredValue === "" ? "same" : "unverified";
  if (!isAlike(desiredValue, normalise(catalogue, resource, name, live))) return "different";
  return referencesWithin(desired).length > 0 ? "unverified" : "same";
}

/** Normalises a value. Lists and mappings with the same meaning are equal by {@link isAlike}. */
export function normalise(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  value: Plain,
): Plain {
  const field = fieldOf(catalogue, resource.kind, name);
  if (field) return comparable(field, value);
  const column = columnOf(catalogue, resource, name);
  if (!isScalar(value)) return normaliseCollection(column, value);
  return kindOf(catalogue, resource.kind).normalise(value, column);
}

/** A list whose order does not matter is sorted, without duplicates. */
function normaliseCollection(column: IntegrationParameter | undefined, value: Plain): Plain {
  if (!column?.set || !Array.isArray(value)) return value;
  const items = new Map(value.map((item) => [canonical(item), item]));
  return Array.from(items)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, item]) => item);
}

/** The normalised fields of a live resource, for its digest. */
export function readAs(catalogue: Catalogue, resource: Resource): Readonly<Record<string, Plain>> {
  const read: Record<string, Plain> = {};
  for (const name of Object.keys(resource.fields).sort()) {
    const value = resource.fields[name];
    if (value !== undefined && !isReference(value)) read[name] = normalise(catalogue, resource, name, value);
  }
  return read;
}
