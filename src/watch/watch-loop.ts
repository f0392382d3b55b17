import { type ExitCode, exit, onError, UserError } from "../base/exit.ts";
import { digestOf } from "../base/json.ts";
import { addressParts } from "../model/address.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import { type PlannedGroup, plannedGroups, subjectOf } from "../plan/groups.ts";
import { isMany } from "../plan/guards.ts";
import { removalsOf } from "../plan/plan.ts";
import { apply } from "../run/apply.ts";
import { ownBranches } from "../run/merge-requests.ts";
import { plan } from "../run/plan.ts";
import { signaturesInState } from "../run/prepared-plan.ts";
import type { Applied, ChosenChanges, Planned, Request } from "../run/request.ts";
import { holderText } from "../state/lease.ts";
import type { WatchMemory } from "../state/watch-memory.ts";
import { type CheckEnd, checkNow, codeAfter, outcomeOf, recordBlockedCheck, runOf, type Trigger } from "./check.ts";
import { changesAt, type Notification } from "./notification-texts.ts";
import { chosenBy, compareObservations, notificationsOfProblems } from "./observation.ts";
import { type Due, type Leadership, nextDue } from "./options.ts";
import type { WatchState } from "./watch-state.ts";

export interface WatchProgress {
  checks: number;
  code: ExitCode;
  /** Consecutive checks that the state could not store, and the time when the next one was due. */
  unkept: { readonly checks: number; readonly due: Due } | undefined;
}

/** Milliseconds until a check is retried that the state could not store; doubled after each further one. */
const untilAgain = 10_000;

/** Resolves to an exit code; undefined if the watcher lost its lease. */
export async function runWatchLoop(
  leader: Leadership,
  memory: WatchState,
  progress: WatchProgress,
): Promise<ExitCode | undefined> {
  const { options, lease } = leader;
  const { clock, schedule, request, status, host, checks } = options;
  const { unkept } = progress;
  const now = clock.now();
  // A leader begins with a check, but backs off while the state can be opened but not written.
  const due = unkept
    ? { ...unkept.due, at: Math.min(unkept.due.at, now + untilAgain * 2 ** unkept.checks) }
    : { at: now, late: Number.POSITIVE_INFINITY };
  const times: Times = { due, poll: 0, lastError: "" };
  for (;;) {
    if (request.signal?.aborted) return memory.save().then(() => exit.done);
    const lost = lease.lost();
    if (lost !== undefined) {
      host.warn(`${lost}; standing by`);
      return undefined;
    }
    const trigger = await nextTrigger(leader, memory, times);
    if (!trigger) continue;
    const end = await check(leader, memory, trigger);
    // A check of a part leaves the schedule unchanged.
    if (trigger.since === undefined && !trigger.projects) times.due = nextDue(schedule, clock.now(), clock.random);
    host.checked(end);
    await updateMergeRequests(leader, memory, end);
    progress.checks++;
    progress.code = end.exitCode;
    progress.unkept = { checks: (progress.unkept?.checks ?? 0) + 1, due: times.due };
    const { plan, compared, whole } = end;
    const { commit } = plan.manifests;
    const isOfCommit = compared && plan.problems.length === 0 && (whole || plan.scope?.since !== undefined);
    if (isOfCommit && commit !== null) memory.change({ commit });
    await memory.save();
    progress.unkept = undefined;
    status.late = times.due.late;
    if (end.exitCode === exit.interrupted || progress.checks === checks) return end.exitCode;
  }
}

async function check(leader: Leadership, memory: WatchState, trigger: Trigger): Promise<CheckEnd> {
  const { options, lease } = leader;
  const { request, grace, clock } = options;
  const began = clock.now();
  const { planned, whole } = await checkNow(request, trigger);
  const { plan, catalogue, compared } = planned;
  const isStopped = () => request.signal?.aborted === true;
  const before = memory.now();
  const isKept = planned.recorded !== undefined || isStopped();
  const run = isKept ? runOf(planned) : await recordBlockedCheck(leader.state, request, planned, new Date(began));
  const hasReceivers = memory.settings().notify.length > 0;
  const observed = compared
    ? compareObservations(before, plan, whole, hasReceivers ? grace : Number.POSITIVE_INFINITY)
    : undefined;
  if (observed) memory.change({ differing: observed.differing });
  const chosen = observed && trigger.errors.length === 0 && !isStopped() ? chosenBy(memory.now(), plan) : [];
  const done =
    chosen.length > 0 && lease.lost() === undefined ? await applySelected(leader, memory, planned, chosen) : {};
  const errors = [...trigger.errors, ...(done.applied ? applyErrors(done.applied) : [])];
  const exitCode = codeAfter(planned, done.applied, errors, isStopped());
  const seconds = (clock.now() - began) / 1000;
  const finishedAt = new Date(clock.now());
  const end = { plan, catalogue, whole, compared, errors, run, exitCode, seconds, finishedAt };
  if (!isStopped()) {
    if (done.applied) memory.change({ waiting: done.waiting });
    // Without receivers nothing counts as notified, so that a receiver that is added later is notified.
    const notifications = hasReceivers
      ? [...notificationsOfProblems(memory, end, before, observed), ...notificationsOfRefusal(memory, done, chosen)]
      : [];
    memory.enqueue(notifications, countFleet(end, memory));
  }
  const hasDrifted = plan.resource_changes.some(({ address }) => memory.now().differing[address]?.cause !== "pending");
  return { ...end, outcome: outcomeOf(end, hasDrifted), ...(done.applied && { applied: done.applied }) };
}

function notificationsOfRefusal(
  memory: WatchState,
  { applied, waiting }: SelectedApply,
  chosen: readonly string[],
): readonly Notification[] {
  const before = memory.now().refused;
  if (!applied && chosen.length > 0) return [];
  const refused = (applied?.refused ?? []).map(({ message }) => message).sort();
  memory.change({ refused });
  if (refused.length === 0 || refused.join("\n") === before.join("\n")) return [];
  const way = waiting ? `; to approve it: evenkeel approve --plan ${waiting.run}` : "";
  const changes = applied ? changesAt(applied.plan, chosen) : [];
  const run = applied ? runOf(applied) : null;
  const headline = `blocked: nothing was applied${way}`;
  return [{ event: "refused", headline, lines: refused, addresses: chosen, run, changes }];
}

function countFleet({ plan, errors }: Pick<CheckEnd, "plan" | "errors">, memory: WatchState) {
  const causes = Object.values(memory.now().differing).map(({ cause }) => cause);
  return {
    projects: plan.summary.projects,
    drift: causes.filter((cause) => cause !== "pending").length,
    pending: causes.filter((cause) => cause === "pending").length,
    problems: plan.problems.length + errors.length,
  };
}

interface SelectedApply {
  readonly applied?: Applied;
  readonly waiting?: WatchMemory["waiting"];
}

/** While another run applies, they are left to the next check. */
async function applySelected(
  { options, state, lease }: Leadership,
  memory: WatchState,
  { plan: found }: Planned,
  addresses: readonly string[],
): Promise<SelectedApply> {
  const { request, host } = options;
  const holder = await state.leases("apply").holder();
  if (holder) {
    host.say(`warning: not applied: ${holderText(holder)} holds the lock; will retry at the next check.`);
    return {};
  }
  const only = chosen(addresses, found, memory.settings().guards);
  const digest = digestOf([found.manifests.digest, [...addresses].sort()]);
  const { waiting: earlier } = memory.now();
  const kept = earlier?.digest === digest ? earlier : undefined;
  const approved = kept && (await signaturesInState(state, kept.run)) !== "" ? kept : undefined;
  const asks: Request = approved ? { ...request, savedRun: approved.run } : { ...request, only };
  const hooks = { approve: async () => lease.lost() === undefined, watchers: [] };
  const applied = await apply({ ...asks, command: "apply", again: "evenkeel apply" }, hooks);
  if (!applied.refused?.some(({ guard }) => guard === "approvals")) return { applied };
  if (kept && !approved) return { applied, waiting: kept };
  const { savedAs } = await plan({ ...request, only, command: "plan", save: true, outlives: true });
  return savedAs === undefined ? { applied } : { applied, waiting: { run: savedAs, digest } };
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

function applyErrors({ plan: { problems }, outcomes }: Applied): readonly ReportedProblem[] {
  const reported = [...(outcomes ?? [])].flatMap(([address, { status, error = status }]) =>
    status === "applied" || status === "stale" ? [] : { rule: "apply", project: address, message: error },
  );
  return [...problems, ...reported];
}

/**
 * Opens or updates a merge request for each group of equal drift, and closes those whose drift is gone. What fails is
 * reported, and tried again after the next check. A check of a part of the fleet changes nothing.
 */
async function updateMergeRequests(
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
    await work().catch(onError(UserError, ({ message }) => host.warn(`${branch}: ${message}`)));
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

/** The next events that a watcher waits for, and the last known commit of its checkout. */
interface Times {
  due: Due;
  poll: number;
  /** The commit of the checkout that was checked last, with or without an error. */
  commit?: string;
  /** The last reported error of the checkout; empty after a success. */
  lastError: string;
}

/** Waits for the next moment at which a check, push or poll is due; returns a trigger if something is to be checked now. */
async function nextTrigger(leader: Leadership, memory: WatchState, times: Times): Promise<Trigger | undefined> {
  const { clock, status, request, follow } = leader.options;
  const { due, poll } = times;
  const now = clock.now();
  const next = Math.min(due.at, status.push?.at ?? due.at, follow ? poll : due.at);
  if (next > now) {
    await leader.wakeSignal.wait(next - now);
    return undefined;
  }
  const isDue = now >= due.at;
  const push = status.push && status.push.at <= now ? status.push : undefined;
  if (push) status.push = undefined;
  const { commit, errors } = await forward(leader, memory, times, isDue || push !== undefined);
  if (request.signal?.aborted) return undefined;
  if (isDue) return { errors };
  if (commit !== undefined) {
    const since = memory.now().commit;
    if (since === undefined || follow?.touches(since, commit)) return { since, errors: [] };
    // It leaves the workspace unchanged.
    memory.change({ commit });
    return undefined;
  }
  const isKnown = push?.commit !== undefined && push.commit === memory.now().commit;
  return push && !isKnown ? { errors, projects: push.projects } : undefined;
}

/** An error is reported once. Resolves to a commit that was not checked yet. */
async function forward(
  { options: { follow, clock, request, host } }: Leadership,
  memory: WatchState,
  times: Times,
  isAwaited: boolean,
): Promise<{ readonly commit?: string; readonly errors: readonly ReportedProblem[] }> {
  if (!follow) return { errors: [] };
  const followed = await follow.forward();
  times.poll = clock.now() + follow.every;
  if (request.signal?.aborted) return { errors: [] };
  if ("why" in followed) {
    if (followed.late && !isAwaited) return { errors: [] };
    if (followed.why !== times.lastError) host.warn(`${followed.why}; nothing is applied until this is resolved`);
    times.lastError = followed.why;
    return { errors: [{ rule: "checkout", message: followed.why }] };
  }
  times.lastError = "";
  const { commit } = followed;
  const isNew = commit !== memory.now().commit && commit !== times.commit;
  times.commit = commit;
  return { ...(isNew && { commit }), errors: [] };
}
