import { type Node, Pair, type YAMLMap } from "yaml";
import { scalarOf } from "../format/scalar.ts";
import type { YamlValue } from "../format/yaml-text.ts";
import { literal, plainNode } from "../import/policy.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { typesOf } from "../model/field-meaning.ts";
import { fieldOf, integrationOf, parameterOf } from "../model/kinds.ts";
import { parameterFaults } from "../model/parameter-check.ts";
import { normaliseParameter } from "../model/parameter-value.ts";
import type { Plain, Resource, Value } from "../model/types.ts";
import { isList, isReference, isScalar, referencesWithin } from "../model/values.ts";

/** A value as a manifest declares it; undefined if it is omitted. */
export type ManifestValue = Plain | undefined;

/** Of a mapping, what is declared: all else is left alone on the server too. What holds secrets, the server does not tell. */
function collectionValue(name: string, live: Plain, declared: Value = null): ReturnType<typeof manifestValue> {
  if (referencesWithin(declared).length > 0) return { why: `${name} holds secrets; edit the manifest` };
  return { value: declaredPart(live, declared as Plain) };
}

function declaredPart(live: Plain, declared: Plain): Plain {
  if (isScalar(live) || isList(live) || isScalar(declared) || isList(declared)) return live;
  const kept = Object.entries(live).filter(([name]) => name in declared);
  return Object.fromEntries(kept.map(([name, value]) => [name, declaredPart(value, declared[name] ?? null)]));
}

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
  const field = fieldOf(catalogue, resource.kind, name);
  if (field) return { value: live === null && !typesOf(field).includes("null") ? undefined : literal(live) };
  const parameter = parameterOf(catalogue, resource, name);
  if (!parameter) return { value: literal(live) ?? undefined };
  const typed = parameter.types[0] === "string" ? String(live ?? "") : normaliseParameter(parameter, live);
  const spec = integrationOf(catalogue, resource);
  const fault = spec && parameterFaults(spec, { [name]: typed }).find((each) => each.parameter === name);
  if (!fault) return { value: literal(typed) ?? undefined };
  if ((live === null || live === "") && !parameter.required) return { value: undefined };
  return { why: `a policy cannot declare the server's value of ${name}: expected ${fault.expected}` };
}

/** A value for an edit. */
export function yamlValue(value: Plain): YamlValue {
  return isScalar(value) && value !== null ? value : manifestNode(value);
}

/** Sets a field of an entry, or removes it, and keeps its comment. */
export function restateField(node: YAMLMap, name: string, value: ManifestValue): void {
  const index = node.items.findIndex(({ key }) => String(key) === name);
  const pair = node.items[index];
  const before = pair?.value as Node | undefined;
  const next = Object.assign(manifestNode(value ?? null), { comment: before?.comment ?? null });
  if (value === undefined) node.items.splice(index, pair ? 1 : 0);
  else if (pair) pair.value = next;
  else node.items.push(new Pair(scalarOf(name), next));
}

/** Texts are escaped already, but for those in lists and mappings. */
export function manifestNode(value: Plain): Node {
  return isScalar(value) ? scalarOf(value) : plainNode(value);
}
