import type { Catalogue } from "../../model/catalogue.ts";
import { comparableScalar, typesOf } from "../../model/field-meaning.ts";
import { catalogueEntry, fieldOf } from "../../model/kinds.ts";
import { parameterFaults } from "../../model/parameter-check.ts";
import type { Plain, Resource, Value } from "../../model/types.ts";
import { isList, isReference, isScalar, referencesWithin } from "../../model/values.ts";
import { literal } from "../import/policy.ts";

/** A value as a manifest declares it, its texts escaped; undefined if it is omitted. */
export type ManifestValue = Plain | undefined;

/**
 * A live value as a manifest declares it, in the type of its parameter. An unset value that cannot be declared
 * is omitted. @returns why no manifest can declare it otherwise.
 */
export function manifestValue(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  live: Value,
  declared: Value | undefined,
): { readonly value: ManifestValue } | { readonly why: string } {
  if (isReference(live)) return { why: `${name} is a secret` };
  if (!isScalar(live)) return collectionValue(name, live, declared);
  const entry = catalogueEntry(catalogue, resource);
  const parameter = entry?.parameters.get(name);
  if (!entry || !parameter) {
    const field = fieldOf(catalogue, resource, name);
    return { value: live === null && field && !typesOf(field).includes("null") ? undefined : literal(live) };
  }
  const typed = parameter.types[0] === "string" ? String(live ?? "") : comparableScalar(parameter, live);
  const fault = parameterFaults(entry, { [name]: typed }).find((each) => each.parameter === name);
  if (!fault) return { value: literal(typed) ?? undefined };
  if ((live === null || live === "") && !parameter.isRequired) return { value: undefined };
  return { why: `a policy cannot declare the server's value of ${name}: expected ${fault.expected}` };
}

/** Of a mapping, what is declared: all else is left alone on the server too. The server does not return what holds secrets. */
function collectionValue(name: string, live: Plain, declared: Value = null): ReturnType<typeof manifestValue> {
  if (referencesWithin(declared).length > 0) return { why: `${name} holds secrets; edit the manifest` };
  return { value: escaped(declaredPart(live, declared as Plain)) };
}

function declaredPart(live: Plain, declared: Plain): Plain {
  if (isScalar(live) || isList(live) || isScalar(declared) || isList(declared)) return live;
  const kept = Object.entries(live).filter(([name]) => name in declared);
  return Object.fromEntries(kept.map(([name, value]) => [name, declaredPart(value, declared[name] ?? null)]));
}

function escaped(value: Plain): Plain {
  if (isScalar(value)) return literal(value);
  if (isList(value)) return value.map(escaped);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, escaped(each)]));
}
