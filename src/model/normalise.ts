import type { Catalogue } from "./catalogue.ts";
import { type Comparison, comparable, compareMeaning } from "./field-meaning.ts";
import { fieldOf } from "./kinds.ts";
import type { Plain, Resource, Value } from "./types.ts";
import { isReference } from "./values.ts";

/** True if a server's `active` means disabled, whatever its type. */
export function isOff(active: unknown): boolean {
  return active === false || active === 0 || (typeof active === "string" && /^(false|0)$/i.test(active));
}

export function compareField(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  desired: Value,
  live: Value | undefined,
): Comparison {
  return compareMeaning(fieldOf(catalogue, resource, name) ?? {}, desired, live);
}

/** Normalises a value. Lists and mappings with the same meaning are equal by {@link isAlike}. */
export function normalise(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  value: Plain,
): Plain {
  const field = fieldOf(catalogue, resource, name);
  return field ? comparable(field, value) : value;
}

export function readAs(catalogue: Catalogue, resource: Resource): Readonly<Record<string, Plain>> {
  const read: Record<string, Plain> = {};
  for (const name of Object.keys(resource.fields).sort()) {
    const value = resource.fields[name];
    if (value !== undefined && !isReference(value)) read[name] = normalise(catalogue, resource, name, value);
  }
  return read;
}
