import { counted } from "../base/text-format.ts";
import type { PolicyEffect } from "../model/types.ts";
import { type Plan, type PlannedChange, planDigest } from "./plan.ts";

/** How live state compares with what is declared, by what an apply would do to the policy. */
export const directions: Readonly<Record<PolicyEffect, string>> = {
  tightened: "looser than declared",
  loosened: "stricter than declared",
};

/**
 * A change as a report of drift tells of it: what the server has now and since when, and not what an apply would make of
 * it. `at`: when the drift was found.
 */
export function asDrift({ policy_effect: effect, ...planned }: PlannedChange, at: string): PlannedChange {
  const reason = planned.action_reason;
  const compared = effect ? reason.replace(`, ${effect}`, `, ${directions[effect]}`) : reason;
  const age = ageWords(planned, at);
  return {
    ...planned,
    action_reason: age && effect ? `${compared} ${age}` : [compared, ...(age ? [age] : [])].join(", "),
  };
}

/** `for 10 days`; empty if it is not known, or less than an hour. */
export function ageWords({ differs_since: since = "" }: Pick<PlannedChange, "differs_since">, at: string): string {
  const hours = hoursBetween(since, at);
  if (!(hours >= 1)) return "";
  return `for ${hours < 48 ? counted(Math.floor(hours), "hour") : counted(Math.floor(hours / 24), "day")}`;
}

/** NaN if a time is not known. */
function hoursBetween(since: string, at: string): number {
  return (Date.parse(at) - Date.parse(since)) / 3_600_000;
}

/** The plan with the time since when each of its changes is known to differ, ISO 8601 by address. */
export function datedPlan(plan: Plan, since: ReadonlyMap<string, string>): Plan {
  const changes = plan.resource_changes.map((planned): PlannedChange => {
    const known = since.get(planned.address);
    return known === undefined ? planned : { ...planned, differs_since: known };
  });
  const dated = { ...plan, resource_changes: changes };
  return { ...dated, digest: planDigest(dated) };
}
