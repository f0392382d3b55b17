import type { PlannedChange } from "./plan.ts";

/** Why live and desired differ: the server was changed, the manifests were, or both (contract 6). */
export type Cause = "drift" | "pending" | "both";

/** Told by what the diff says of a change; without a ledger every difference counts as drift. */
export function causeOf({ action_reason: reason }: Pick<PlannedChange, "action_reason">, hasLedger: boolean): Cause {
  if (!hasLedger) return "drift";
  if (reason.endsWith("drift and pending")) return "both";
  return reason.endsWith("drift") || reason.startsWith("suspected drift") ? "drift" : "pending";
}
