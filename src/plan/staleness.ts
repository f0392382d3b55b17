import { turnsOff } from "../model/removal-changes.ts";
import type { Change, Live, Outcome } from "../model/types.ts";
import { actionOf, type PlannedChange, visibleOf } from "./plan.ts";

/** The outcome of a change that is not sent because the plan no longer matches its manifests or the server. */
export function staleOutcome(reason: string): Outcome {
  return { status: "stale", error: `${reason}; plan again` };
}

/** Why a planned change is stale now that its project was read again; undefined where it would have the same effect. */
export function changedSincePlan(planned: PlannedChange, now: Change): string | undefined {
  const action = actionOf(planned);
  const visible = visibleOf(planned);
  if (action !== now.action) return `the planned action is ${action}, but now it would be ${now.action}`;
  if (turnsOff(now) && !turnsOff(visible)) return "it would now be turned off, which the plan does not show";
  if (now.policyEffect === "loosened" && visible.policyEffect !== "loosened") {
    return "it would now loosen the policy, which the plan does not show";
  }
  const { updated_at, digest } = planned.live ?? {};
  return liveValuesChanged({ digest, updatedAt: updated_at ?? undefined }, { digest: now.liveDigest, live: now.live });
}

interface LiveState {
  readonly digest: string | undefined;
  readonly updatedAt: string | undefined;
}

/** Why live values are not those that a plan was made from; undefined where they are. */
export function liveValuesChanged(
  planned: LiveState,
  now: Pick<LiveState, "digest"> & { readonly live: Pick<Live, "updatedAt"> | undefined },
): string | undefined {
  if (planned.digest !== now.digest) return "the live values changed since the plan was made";
  return planned.updatedAt === now.live?.updatedAt ? undefined : "updated_at changed since the plan was made";
}
