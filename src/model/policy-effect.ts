import { catalogueOf } from "./catalogue.ts";
import { kindOf } from "./kinds.ts";
import type { Change, PolicyEffect, Value } from "./types.ts";

const opposite: Readonly<Record<PolicyEffect, PolicyEffect>> = { tightened: "loosened", loosened: "tightened" };

/**
 * Whether a change tightens or loosens a policy: an added value has its own effect, a removed value the opposite one.
 * Undefined if the effect is not known, or the kind is not a policy.
 */
export function policyEffectOf(
  change: Pick<Change, "kind" | "before" | "after">,
  catalogue = catalogueOf(),
): PolicyEffect | undefined {
  const { kind, before, after } = change;
  const row = kindOf(catalogue, kind);
  const { field, by } = row.policyEffect ?? {};
  if (field === undefined || !by) return undefined;
  const effectOf = (value: Value | undefined): PolicyEffect | undefined => {
    const word = typeof value === "string" ? String(row.normalise(value)) : "";
    return Object.hasOwn(by, word) ? by[word] : undefined;
  };
  if (after !== null) return effectOf(after[field]);
  const gone = effectOf(before?.[field]);
  return gone && opposite[gone];
}
