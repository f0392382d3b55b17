import type { ReportedProblem } from "../model/problem-line.ts";
import type { Leadership } from "./options.ts";
import { type Due, nextDue } from "./schedule.ts";
import type { WatchState } from "./watch-state.ts";

/** Why a check begins: its time has come, a commit was followed, or a push brought one. */
export interface Trigger {
  /** The commit that the check may be limited by; left out: everything is checked. */
  readonly since?: string | undefined;
  /** Errors of getting there: then nothing is applied. */
  readonly troubles: readonly ReportedProblem[];
}

/** What a watcher waits for, and what it last saw of its checkout. */
export interface Times {
  due: Due;
  /** When the remote is to be asked next. */
  poll: number;
  /** When somebody last read the clock. */
  now: number;
  /** The commit of the checkout that was checked last, with or without an error. */
  commit?: string;
  /** The last trouble with the checkout that was told; empty where there was none. */
  lastTrouble: string;
}

/** Waits for the next moment at which something may have to be done, or says what is to be checked now. */
export async function nextTrigger(turn: Leadership, memory: WatchState, times: Times): Promise<Trigger | undefined> {
  const { clock, status, request } = turn.options;
  const now = clock.now();
  if (now < times.now) goBack(turn, times, now);
  times.now = now;
  const next = nextMoment(turn, times);
  if (next > now) {
    await turn.bell.wait(next - now);
    return undefined;
  }
  const isDue = now >= times.due.at;
  const push = status.push && status.push.at <= now ? status.push : undefined;
  if (push) status.push = undefined;
  const { commit, troubles } = await forward(turn, memory, times, isDue || push !== undefined);
  if (request.signal?.aborted) return undefined;
  if (isDue) return { troubles };
  if (commit !== undefined) return triggerOfCommit(turn, memory, commit);
  const isKnown = push?.commit !== undefined && push.commit === memory.now().commit;
  return push && !isKnown ? { troubles } : undefined;
}

/** When a check, a push or the remote is due. */
function nextMoment({ options: { status, follow } }: Leadership, { due, poll }: Times): number {
  return Math.min(due.at, status.push?.at ?? due.at, follow ? poll : due.at);
}

/**
 * Brings the checkout forward, and tells once what keeps it from going; a remote that is late is told where a check waits
 * for it. Answers with a commit that was not checked yet.
 */
async function forward(
  { options: { follow, clock, request, host } }: Leadership,
  memory: WatchState,
  times: Times,
  isAwaited: boolean,
): Promise<{ readonly commit?: string; readonly troubles: readonly ReportedProblem[] }> {
  if (!follow) return { troubles: [] };
  const followed = await follow.forward();
  times.poll = clock.now() + follow.every;
  if (request.signal?.aborted) return { troubles: [] };
  if ("why" in followed) {
    if (followed.late && !isAwaited) return { troubles: [] };
    if (followed.why !== times.lastTrouble) host.warn(`${followed.why}; nothing is applied until this is resolved`);
    times.lastTrouble = followed.why;
    return { troubles: [{ rule: "checkout", message: followed.why }] };
  }
  times.lastTrouble = "";
  const { commit } = followed;
  const isNew = commit !== memory.now().commit && commit !== times.commit;
  times.commit = commit;
  return { ...(isNew && { commit }), troubles: [] };
}

/** A commit begins a check where it changes the workspace; where it does not, it is remembered as checked. */
async function triggerOfCommit(
  { options }: Leadership,
  memory: WatchState,
  commit: string,
): Promise<Trigger | undefined> {
  const since = memory.now().commit;
  if (since === undefined || (await options.follow?.touches(since, commit))) return { since, troubles: [] };
  memory.change({ commit });
  return undefined;
}

/** The clock was set back: what was planned by it may be a day away. */
function goBack({ options: { schedule, clock, status } }: Leadership, times: Times, now: number): void {
  const next = nextDue(schedule, now, clock.random);
  if (next.at < times.due.at) {
    times.due = next;
    status.late = next.late;
  }
  times.poll = Math.min(times.poll, now);
  if (status.push) status.push = { ...status.push, at: Math.min(status.push.at, now) };
}
