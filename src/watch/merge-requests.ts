import { UserError } from "../base/exit.ts";
import { digestOf } from "../base/json.ts";
import { type PlannedGroup, plannedGroups, subjectOf } from "../plan/groups.ts";
import { ownBranches } from "../run/merge-requests.ts";
import type { CheckEnd } from "./check.ts";
import type { Leadership } from "./options.ts";
import type { WatchState } from "./watch-state.ts";

/**
 * Opens or updates a merge request for each group of equal drift, and closes those whose drift is gone. What fails is
 * reported, and tried again after the next check. A check of a part of the fleet changes nothing.
 */
export async function updateMergeRequests(
  { options: { proposals, host, grace, request } }: Leadership,
  memory: WatchState,
  { plan, whole, compared }: CheckEnd,
): Promise<void> {
  if (!proposals || !whole || !compared || plan.problems.length > 0 || request.signal?.aborted) return;
  const { differing, requests: known = {} } = memory.now();
  const isDrift = (address: string) => {
    const { cause, checks } = differing[address] ?? { cause: "pending", checks: 0 };
    return cause !== "pending" && checks >= grace;
  };
  const drifted = plan.resource_changes.filter(({ address }) => isDrift(address));
  const groups = new Map(plannedGroups(drifted).map((group) => [branchOf(group), group]));
  const requests = { ...known };
  const attempt = async (branch: string, work: () => Promise<void>) => {
    await work().catch((error) => {
      if (!(error instanceof UserError)) throw error;
      host.warn(`${branch}: ${error.message}`);
    });
  };
  for (const [branch, { members }] of groups) {
    const addresses = members.map(({ address }) => address);
    const digest = digestOf([addresses, plan.manifests.commit]);
    if (requests[branch] === digest) continue;
    await attempt(branch, async () => {
      host.say(await proposals.propose(addresses, branch));
      requests[branch] = digest;
    });
  }
  for (const branch of Object.keys(known)) {
    if (groups.has(branch)) continue;
    await attempt(branch, async () => {
      await proposals.close(branch);
      host.say(`closed the merge request of ${branch}: its drift is gone`);
      delete requests[branch];
    });
  }
  memory.change({ requests });
}

/** The same for the same drift, whichever projects have it. */
function branchOf({ members: [first], shared }: PlannedGroup): string {
  const digest = digestOf([subjectOf(first), first.change.actions, shared.before, shared.after]);
  return `${ownBranches}drift-${digest.slice("sha256:".length, "sha256:".length + 8)}`;
}
