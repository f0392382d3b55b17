import type { Catalogue } from "./catalogue.ts";
import { type Comparison, comparable, compareMeaning, compareNormalised } from "./field-meaning.ts";
import { fieldOf, parameterOf } from "./kinds.ts";
import { comparableParameter } from "./parameter-value.ts";
import type { Plain, Resource, Value } from "./types.ts";
import { isReference, replaceReferences } from "./values.ts";

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
  const parameter = parameterOf(catalogue, resource, name);
  const visible = replaceReferences(desired, () => undefined) ?? null;
  const found = live === undefined ? undefined : comparableParameter(parameter, live);
  return compareNormalised(desired, comparableParameter(parameter, visible), found);
}

/** Normalises a value. Lists and mappings with the same meaning are equal by {@link isAlike}. */
export function normalise(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  value: Plain,
): Plain {
  const field = fieldOf(catalogue, resource.kind, name);
  return field ? comparable(field, value) : comparableParameter(parameterOf(catalogue, resource, name), value);
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
