import { kinds, type PolicyEffect } from "../model/kinds.ts";
import type { Change, Value } from "../model/types.ts";

const opposite: Readonly<Record<PolicyEffect, PolicyEffect>> = { tightened: "loosened", loosened: "tightened" };

/**
 * Whether a change tightens or loosens a policy: what comes counts as its value says, what goes counts the other way
 * round. Undefined where the change leaves that open, or its kind is no policy.
 */
export function policyEffectOf(change: Pick<Change, "kind" | "key" | "before" | "after">): PolicyEffect | undefined {
  const { kind, before, after } = change;
  const field = kinds[kind].policyEffect?.field;
  if (field === undefined) return undefined;
  if (after !== null) return policyEffectOfValue(change, after[field]);
  const gone = policyEffectOfValue(change, before?.[field]);
  return gone && opposite[gone];
}

function policyEffectOfValue({ kind }: Pick<Change, "kind">, value: Value | undefined): PolicyEffect | undefined {
  const { by = {} } = kinds[kind].policyEffect ?? {};
  const word = typeof value === "string" ? String(kinds[kind].normalise(value)) : "";
  return Object.hasOwn(by, word) ? by[word] : undefined;
}
