import { digestOf } from "../base/json.ts";
import { addressParts } from "../model/address.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import { isMany } from "../plan/guards.ts";
import { removalsOf } from "../plan/plan.ts";
import { apply } from "../run/apply.ts";
import { plan } from "../run/plan.ts";
import type { Applied, ChosenChanges, Planned, Request } from "../run/request.ts";
import { holderText } from "../state/lease.ts";
import type { WatchMemory } from "../state/watch-memory.ts";
import type { Leadership } from "./options.ts";

/** The result of the apply of a watcher. */
export interface SelectedApply {
  readonly applied?: Applied;
  /** The saved plan that needs approvals. */
  readonly waiting?: WatchMemory["waiting"];
}

/**
 * Applies selected changes of a check, subject to guards, rules, approvals and waves. While another run applies, they are
 * left to the next check.
 */
export async function applySelected(
  { options, state, lease, settings }: Leadership,
  { plan: found }: Planned,
  addresses: readonly string[],
  memory: WatchMemory,
): Promise<SelectedApply> {
  const { request, host } = options;
  const holder = await state.leases.holder();
  if (holder) {
    host.say(`warning: not applied: ${holderText(holder)} holds the lock; will retry at the next check.`);
    return {};
  }
  const only = chosen(addresses, found, settings().guards);
  const digest = digestOf([found.manifests.digest, [...addresses].sort()]);
  const approved = memory.waiting?.digest === digest && (await state.approvals.list(memory.waiting.run)).length > 0;
  const asks: Request = approved ? { ...request, savedRun: memory.waiting?.run ?? "" } : { ...request, only };
  const hooks = { approve: async () => lease.lost() === undefined, watchers: [] };
  const applied = await apply({ ...asks, command: "apply", again: "evenkeel apply" }, hooks);
  const kept = memory.waiting?.digest === digest ? memory.waiting : undefined;
  if (!lacksApproval(applied)) return { applied };
  const waiting = kept && !approved ? kept : await save(request, only, digest);
  return { applied, ...(waiting && { waiting }) };
}

/** Limits the apply to the projects of the changes, unless a guard on deletions needs the whole fleet. */
function chosen(
  addresses: readonly string[],
  plan: Planned["plan"],
  guards: Parameters<typeof isMany>[1],
): ChosenChanges {
  const all = new Set(addresses);
  const removals = removalsOf(plan).filter(({ address }) => all.has(address));
  if (isMany(removals.length, guards)) return { addresses: all };
  return { addresses: all, projects: [...new Set(addresses.map((address) => addressParts(address)[0]))] };
}

function lacksApproval({ refused = [] }: Applied): boolean {
  return refused.some(({ guard }) => guard === "approvals");
}

/** Saves the plan of these changes, so that it can be approved. */
async function save(request: Request, only: ChosenChanges, digest: string): Promise<WatchMemory["waiting"]> {
  const { savedAs } = await plan({ ...request, only, command: "plan", save: true, outlives: true });
  return savedAs === undefined ? undefined : { run: savedAs, digest };
}

/** The problems of an apply, with one for each change that failed. */
export function applyErrors({ plan: { problems }, outcomes }: Applied): readonly ReportedProblem[] {
  const failed = [...(outcomes ?? [])].filter(([, { status }]) => status !== "applied" && status !== "stale");
  const reported = failed.map(([address, { status, error = status }]) => {
    return { rule: "apply", project: address, message: error };
  });
  return [...problems, ...reported];
}
