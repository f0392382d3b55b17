import { setTimeout } from "node:timers/promises";
import { Cron } from "croner";
import { exit, ifPossible, UserError } from "../base/exit.ts";
import type { FastForwarded } from "../git/fast-forward.ts";
import type { Request } from "../run/request.ts";
import type { Holder, Lease } from "../state/lease.ts";
import type { WorkspaceState } from "../state/state.ts";
import type { ApplyMode } from "../state/watch-memory.ts";
import type { CheckEnd } from "./check.ts";

/** The clock of a watcher; tests use a simulated one. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Resolves after this many milliseconds, or when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** From 0 to 1. */
  readonly random: () => number;
}

export const systemClock: Clock = {
  now: Date.now,
  sleep: (milliseconds, signal) => setTimeout(milliseconds, undefined, { signal }).catch(() => {}),
  random: Math.random,
};

export interface WakeSignal {
  /** Ends the current wait, or else the next one as it begins. */
  readonly wake: () => void;
  /** Resolves after this many milliseconds, after a minute at most, or when it is woken. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** A machine may be suspended and its clock be set, so the clock is read again at least this often. */
const longestWait = 60_000;

export function createWakeSignal(clock: Clock): WakeSignal {
  let woken = new AbortController();
  return {
    wake: () => woken.abort(),
    wait: async (milliseconds) => {
      await clock.sleep(Math.max(0, Math.min(milliseconds, longestWait)), woken.signal);
      woken = new AbortController();
    },
  };
}

export interface WatchOptions {
  readonly request: Request;
  readonly schedule: Schedule;
  readonly apply: ApplyMode;
  /** Consecutive checks that must find drift before a notification is sent. */
  readonly grace: number;
  /** Ends after this many checks; unlimited if omitted. */
  readonly checks?: number | undefined;
  /** Fast-forwards the checkout; omitted: it is left unchanged. */
  readonly follow?: Follow | undefined;
  /** Merge requests for drift; omitted: none are made. */
  readonly proposals?: DriftProposals | undefined;
  readonly clock: Clock;
  readonly status: WatchStatus;
  readonly host: {
    readonly say: (sentence: string) => void;
    readonly warn: (sentence: string) => void;
    readonly checked: (end: CheckEnd) => void;
  };
}

/** Merge requests that accept drift, by branch. Both throw a UserError if that fails. */
export interface DriftProposals {
  /** Opens or updates one; resolves to a sentence about it. */
  readonly propose: (addresses: readonly string[], branch: string) => Promise<string>;
  readonly close: (branch: string) => Promise<void>;
}

interface Follow {
  /** Milliseconds between two polls of the remote. */
  readonly every: number;
  /** Resolves within seconds, even if the remote is slow. */
  readonly forward: () => Promise<FastForwarded>;
  readonly touches: (from: string, to: string) => boolean;
}

export interface WatchStatus {
  standby: Holder | undefined;
  /** Time when the next check is overdue, in milliseconds since 1970; undefined before the first one is scheduled. */
  late: number | undefined;
  /** Time when an event will be checked, and its commit or the names of the only projects that it concerns. */
  push: { readonly at: number; readonly commit?: string; readonly projects?: readonly string[] } | undefined;
  /** The last commit that was checked without an error; undefined on standby. */
  checked: () => string | undefined;
  wake: () => void;
}

export function newStatus(): WatchStatus {
  return { standby: undefined, late: undefined, push: undefined, checked: () => undefined, wake: () => {} };
}

/** A watcher that holds the lease. */
export interface Leadership {
  readonly options: WatchOptions;
  readonly wakeSignal: WakeSignal;
  readonly state: WorkspaceState;
  readonly lease: Lease;
}

/** The schedule of checks, in milliseconds since 1970. */
export interface Schedule {
  readonly after: (time: number) => number;
}

/** Every `milliseconds` from `start` on. */
export function every(milliseconds: number, start: number): Schedule {
  return { after: (time) => start + (Math.floor((time - start) / milliseconds) + 1) * milliseconds };
}

const expected = 'expected minute, hour, day, month and weekday, such as "7 * * * *", seven minutes past each hour';

/** In the time zone of this process. @throws UserError (64) for an expression that matches no future time. */
export function cron(expression: string, now: number): Schedule {
  const shown = JSON.stringify(expression.slice(0, 100));
  const written = expression.trim();
  // Five fields, six with seconds first, or a word such as `@hourly`; dates are invalid.
  const isSchedule = /^@[a-z]+$/i.test(written) || [5, 6].includes(written.split(/\s+/).length);
  const parsed = isSchedule ? ifPossible(() => new Cron(written, { paused: true })) : undefined;
  if (!parsed) throw new UserError(`--cron ${shown} is not a schedule; ${expected}`, exit.usage);
  const after = (time: number) => parsed.nextRun(new Date(time))?.getTime() ?? Number.POSITIVE_INFINITY;
  if (after(now) === Number.POSITIVE_INFINITY) {
    throw new UserError(`--cron ${shown} names a time that never comes; ${expected}`, exit.usage);
  }
  return { after };
}

/** The next check: its time, with a random delay of up to a tenth of the interval, and the time when it is overdue. */
export interface Due {
  readonly at: number;
  readonly late: number;
}

/** Minimum tolerance for a late check, in milliseconds. */
const leastPatience = 60_000;

export function nextDue({ after }: Schedule, now: number, random: () => number): Due {
  const planned = after(now);
  const gap = after(planned) - planned;
  if (!Number.isFinite(gap)) return { at: planned, late: planned + leastPatience };
  const at = planned + Math.floor((random() * gap) / 10);
  return { at, late: at + Math.max(gap, leastPatience) };
}
