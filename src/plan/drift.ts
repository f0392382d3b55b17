import type { PolicyEffect } from "../model/types.ts";
import type { PlannedChange } from "./plan.ts";

/** How live state compares with what is declared, by what an apply would do to the policy. */
export const directions: Readonly<Record<PolicyEffect, string>> = {
  tightened: "looser than declared",
  loosened: "stricter than declared",
};

/** A change as a report of drift tells of it: what the server has now, and not what an apply would make of it. */
export function asDrift({ policy_effect: effect, ...planned }: PlannedChange): PlannedChange {
  if (!effect) return planned;
  return { ...planned, action_reason: planned.action_reason.replace(`, ${effect}`, `, ${directions[effect]}`) };
}
