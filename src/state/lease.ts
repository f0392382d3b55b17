import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { pid } from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { durationOf } from "../base/rate.ts";

export interface Claim {
  readonly run: string;
  readonly who: string;
  readonly host: string;
  readonly pid: number;
  readonly job?: string | undefined;
}

/** Proves that a run holds the lease. `fence` increases with each holder. */
export interface LeaseToken {
  readonly run: string;
  readonly fence: number;
}

/** The holder of a lease. Times are ISO 8601. */
export interface Holder extends Claim, LeaseToken {
  readonly since: string;
  readonly deadline: string;
}

/** A lease of a workspace, which one run at a time can hold (docs/state.md). */
export interface Leases {
  /** Acquires it for this many milliseconds if it is free or expired; otherwise returns its holder. */
  readonly take: (claim: Claim, milliseconds: number) => Promise<LeaseToken | { readonly heldBy: Holder }>;
  /** Extends it to this many milliseconds from now; false if it was lost. */
  readonly renew: (token: LeaseToken, milliseconds: number) => Promise<boolean>;
  /** Milliseconds until it expires; 0 if it is not held. */
  readonly remaining: (token: LeaseToken) => Promise<number>;
  readonly holder: () => Promise<Holder | undefined>;
  /** Releases the lease of a run, if given only the one with this number; false if the run does not hold it. */
  readonly release: (run: string, fence?: number) => Promise<boolean>;
}

/** The lease of a run with workers; it ends when the run ends or is stopped. */
export function runLease(run: string): string {
  return `${runLeases}${run}`;
}

export const runLeases = "run/";

export function shardLease(run: string, shard: string): string {
  return `${shardLeases(run)}${shard}`;
}

export function shardLeases(run: string): string {
  return `shard/${run}/`;
}

/** Thrown if the lease of a run has expired or was taken over: nothing more is stored for that run. */
export class LeaseLostError extends UserError {
  constructor(run: string) {
    super(`run ${run} lost its lease: it was not renewed in time, or was released`);
    this.name = "LeaseLostError";
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** A name for a new run. Names sort by time. */
export function newRun(now: Date): string {
  return `${now.toISOString().replace(/[-:]/g, "").slice(0, 15)}Z-${randomBytes(2).toString("hex")}`;
}

export function isRunName(text: string): boolean {
  return /^\w[\w.-]{0,99}$/.test(text);
}

/** User, host and process; in a pipeline, its user and job URL. */
export function claimFor(run: string, env: Environment): Claim {
  return {
    run,
    who: whoRuns(env).slice(0, 100),
    host: hostname().slice(0, 100),
    pid,
    job: findJob(env)?.slice(0, 400),
  };
}

function whoRuns({ GITLAB_USER_LOGIN, GITHUB_ACTOR }: Environment): string {
  return GITLAB_USER_LOGIN || GITHUB_ACTOR || userName();
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? "unknown"}`;
  }
}

function findJob(env: Environment): string | undefined {
  const { CI_JOB_URL, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: id } = env;
  return CI_JOB_URL || (server && repository && id ? `${server}/${repository}/actions/runs/${id}` : undefined);
}

/** A lease that this run holds and renews until it is disposed. */
export interface Lease extends AsyncDisposable {
  readonly token: LeaseToken;
  /** The reason why requests may no longer be sent; undefined while it is held. Checks only the local clock, which also advances while a process is paused. */
  readonly lost: () => string | undefined;
}

export interface LeaseOptions {
  readonly duration: number;
  /** Milliseconds to wait for another run; default 0. */
  readonly patience?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly waiting?: ((holder: Holder) => void) | undefined;
}

const defaultDuration = 60_000;
const retryInterval = 500;

/** Milliseconds of EVENKEEL_LEASE, by default 60 s. @throws UserError for an invalid duration. */
export function leaseDuration({ EVENKEEL_LEASE: written }: Environment): number {
  const duration = written ? durationOf(written) : defaultDuration;
  if (duration !== undefined && duration >= 1000 && duration <= 3_600_000) return duration;
  throw new UserError(`EVENKEEL_LEASE is ${JSON.stringify(written)}; expected a duration from 1s to 1h`);
}

/** Acquires the lease of a workspace. @throws UserError if another run holds it, or the wait was aborted. */
export async function takeLease(leases: Leases, claim: Claim, options: LeaseOptions): Promise<Lease> {
  const { duration, patience = 0, signal, waiting } = options;
  const end = performance.now() + patience;
  let reported: string | undefined;
  for (;;) {
    const asked = performance.now();
    const taken = await tryLease(leases, claim, duration);
    if (!("heldBy" in taken)) return taken;
    const { heldBy } = taken;
    if (asked >= end) throw new UserError(heldSentence(heldBy, patience));
    if (reported !== heldBy.run) waiting?.(heldBy);
    reported = heldBy.run;
    await pause(Math.min(retryInterval, end - asked), undefined, { ...(signal && { signal }) }).catch(() => {});
    if (signal?.aborted) throw new UserError(`stopped while waiting for run ${heldBy.run}: ${signal.reason}`);
  }
}

export async function tryLease(
  leases: Leases,
  claim: Claim,
  duration: number,
): Promise<Lease | { readonly heldBy: Holder }> {
  const asked = performance.now();
  const taken = await leases.take(claim, duration);
  return "fence" in taken ? holdLease(leases, taken, duration, asked) : taken;
}

export function holderText({ run, who, host, pid, job }: Holder): string {
  return printable(`run ${run} of ${who} on ${host} (process ${pid})${job ? `, ${job}` : ""}`);
}

function heldSentence(holder: Holder, patience: number): string {
  const waited = patience > 0 ? ` after ${patience / 1000} s of waiting` : "";
  const way = printable(`it expires when it is not renewed; evenkeel lock release ${holder.run} releases it`);
  return `another apply holds this workspace since ${printable(holder.since)}${waited}: ${holderText(holder)}; ${way}`;
}

function holdLease(leases: Leases, token: LeaseToken, duration: number, asked: number): Lease {
  let until = asked + duration;
  let reason: string | undefined;
  let renewing: Promise<void> = Promise.resolve();
  const lose = (why: string) => {
    reason ??= `run ${token.run} lost its lease: ${why}`;
  };
  const lost = () => {
    if (performance.now() > until) lose(`it was not renewed for ${duration / 1000} s`);
    return reason;
  };
  const renew = async () => {
    if (lost() !== undefined) return clearInterval(timer);
    const now = performance.now();
    try {
      if (await leases.renew(token, duration)) until = now + duration;
      else lose("another run took it, or it was released");
    } catch {
      // An unavailable state may recover before the lease expires.
    }
  };
  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, duration / 3);
  timer.unref();
  return {
    token,
    lost,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await renewing;
      await leases.release(token.run, token.fence).catch(() => {});
    },
  };
}
