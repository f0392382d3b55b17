import { literal } from "../import/policy.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { columnOf, integrationOf, kindOf } from "../model/kinds.ts";
import { parameterFaults } from "../model/parameter-check.ts";
import type { Resource, Value } from "../model/types.ts";
import { isReference, isScalar } from "../model/values.ts";
import type { ManifestValue } from "./proposals.ts";

/**
 * A live value as a manifest declares it, in the type of its parameter. An unset value that cannot be declared
 * is omitted. @returns why no manifest can declare it otherwise.
 */
export function manifestValue(
  catalogue: Catalogue,
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  live: Value,
): { readonly value: ManifestValue } | { readonly why: string } {
  const { normalise } = kindOf(catalogue, resource.kind);
  if (isReference(live)) return { why: `${name} is a secret` };
  if (!isScalar(live)) return { why: `${name} is a list or mapping; edit the manifest` };
  const column = columnOf(catalogue, resource, name);
  if (!column) return { value: literal(normalise(live)) ?? undefined };
  const typed = column.types[0] === "string" ? String(live ?? "") : normalise(live, column);
  const spec = integrationOf(catalogue, resource);
  const fault = spec && parameterFaults(spec, { [name]: typed }).find((each) => each.parameter === name);
  if (!fault) return { value: literal(typed) ?? undefined };
  if ((live === null || live === "") && !column.required) return { value: undefined };
  return { why: `a policy cannot declare the server's value of ${name}: expected ${fault.expected}` };
}
