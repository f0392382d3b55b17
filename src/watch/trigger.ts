import type { ReportedProblem } from "../model/problem-line.ts";
import type { Trigger } from "./check.ts";
import type { Due, Leadership } from "./options.ts";
import type { WatchState } from "./watch-state.ts";

/** The next events that a watcher waits for, and the last known commit of its checkout. */
export interface Times {
  due: Due;
  poll: number;
  /** The commit of the checkout that was checked last, with or without an error. */
  commit?: string;
  /** The last reported error of the checkout; empty after a success. */
  lastError: string;
}

/** Waits for the next moment at which a check, push or poll is due; returns a trigger if something is to be checked now. */
export async function nextTrigger(leader: Leadership, memory: WatchState, times: Times): Promise<Trigger | undefined> {
  const { clock, status, request } = leader.options;
  const now = clock.now();
  const next = nextMoment(leader, times);
  if (next > now) {
    await leader.wakeSignal.wait(next - now);
    return undefined;
  }
  const isDue = now >= times.due.at;
  const push = status.push && status.push.at <= now ? status.push : undefined;
  if (push) status.push = undefined;
  const { commit, errors } = await forward(leader, memory, times, isDue || push !== undefined);
  if (request.signal?.aborted) return undefined;
  if (isDue) return { errors };
  if (commit !== undefined) return triggerOfCommit(leader, memory, commit);
  const isKnown = push?.commit !== undefined && push.commit === memory.now().commit;
  return push && !isKnown ? { errors, projects: push.projects } : undefined;
}

function nextMoment({ options: { status, follow } }: Leadership, { due, poll }: Times): number {
  return Math.min(due.at, status.push?.at ?? due.at, follow ? poll : due.at);
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

/** A commit triggers a check if it changes the workspace; otherwise it is saved as checked. */
async function triggerOfCommit(
  { options }: Leadership,
  memory: WatchState,
  commit: string,
): Promise<Trigger | undefined> {
  const since = memory.now().commit;
  if (since === undefined || options.follow?.touches(since, commit)) return { since, errors: [] };
  memory.change({ commit });
  return undefined;
}
