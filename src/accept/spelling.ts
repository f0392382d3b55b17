import { literal } from "../import/policy.ts";
import { columnOf, kinds } from "../model/kinds.ts";
import { isReference, normalise } from "../model/normalise.ts";
import { checkParameters } from "../model/parameter-check.ts";
import type { Resource, Value } from "../model/types.ts";
import type { Spelled } from "./proposals.ts";

/**
 * A live value as a manifest says it, in the type of its parameter. What is unset there and cannot be said to be is left
 * unsaid. @returns why no manifest can say it, where that is so.
 */
export function spelled(
  resource: Pick<Resource, "kind" | "key">,
  name: string,
  live: Value,
): { readonly value: Spelled } | { readonly why: string } {
  const { kind, key } = resource;
  if (isReference(live)) return { why: `${name} is a secret` };
  const column = columnOf(resource, name);
  if (!column) return { value: literal(normalise(kind, key, name, live)) ?? undefined };
  const typed = column.types[0] === "string" ? String(live ?? "") : normalise(kind, key, name, live);
  const fault =
    kinds[kind].catalogue && checkParameters(key, { [name]: typed }).find((each) => each.parameter === name);
  if (!fault) return { value: literal(typed) ?? undefined };
  if ((live === null || live === "") && !column.required) return { value: undefined };
  return { why: `the server's value of ${name} is none that a policy can have: expected ${fault.expected}` };
}
