import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../../base/exit.ts";
import type { Claim } from "../../state/lease.ts";
import { runLeases, type SharedState } from "../../state/state.ts";
import { openConsumer, type ShardJob } from "./queue.ts";
import { type HeldShard, workOnShard } from "./work-on-shard.ts";

export interface WorkerSession extends AsyncDisposable {
  readonly state: SharedState;
  /** Returns the result of a shard as JSON; undefined if it was stopped. */
  readonly perform: (shard: HeldShard) => Promise<string | undefined>;
}

export interface WorkerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly claim: Claim;
  /** Identifies workspace and manifests. */
  readonly place: string;
  readonly name: string;
  /** Milliseconds without a renewal after which a worker counts as dead. */
  readonly duration: number;
  /** On abort, work in progress is finished and the rest returns to the queue. */
  readonly signal: AbortSignal;
  /** Exit after the first run, or after this many milliseconds without one; undefined: never. */
  readonly once: number | undefined;
  readonly say: (sentence: string) => void;
  readonly open: () => Promise<WorkerSession>;
}

/** Milliseconds between attempts to reconnect to the state and the queue. */
const reconnectInterval = 5000;

/**
 * Works on shards of runs with the same manifests until it is stopped. If the state or the queue becomes unavailable
 * later, it waits until they are back, except with `once`. @throws UserError if they cannot be used at the start.
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { signal, say, once } = options;
  let reported = "";
  for (let isReady = false; !signal.aborted; ) {
    try {
      return await workUntilUnavailable(options, () => {
        isReady = true;
        reported = "";
      });
    } catch (error) {
      if (!isReady || once !== undefined || !(error instanceof UnavailableError)) throw error;
      if (reported === "") say(`${error.message}; waiting for it to come back`);
      reported = error.message;
      await pause(reconnectInterval, undefined, { signal }).catch(() => {});
    }
  }
}

/** Milliseconds. */
const pollInterval = 500;

/** @throws UnavailableError if the state or the queue becomes unavailable. */
async function workUntilUnavailable(options: WorkerOptions, onReady: () => void): Promise<void> {
  const { env, place, name, duration, signal, once, say } = options;
  await using session = await options.open();
  let failure: unknown;
  let hasWorked = false;
  const stopped = () => (signal.aborted || failure !== undefined ? "the worker was stopped" : undefined);
  const process = async (job: ShardJob): Promise<"done" | "requeue"> => {
    if (stopped() !== undefined) return "requeue";
    try {
      const end = await workOnShard(session.state, job, { ...options, ...session, stopped });
      if (end !== "held") return end;
      // The previous worker may hold the shard until its lease expires.
      await pause(pollInterval, undefined, { signal }).catch(() => {});
      return "requeue";
    } catch (error) {
      failure ??= error;
      return "requeue";
    } finally {
      hasWorked = true;
    }
  };
  await using consumer = await openConsumer(env, place, { lock: Math.max(duration, 5000), work: process });
  say(`Ready to work for ${name}; interrupt to stop.`);
  onReady();
  for (let idleAt = performance.now(); stopped() === undefined; ) {
    const runs = await session.state.workers.holders(runLeases);
    const lost = consumer.lost();
    if (lost) throw lost;
    const isIdle = once !== undefined && runs.length === 0 && (await consumer.isIdle().catch(() => false));
    if (!isIdle) idleAt = performance.now();
    else if (hasWorked || performance.now() - idleAt >= once) break;
    await pause(pollInterval, undefined, { signal }).catch(() => {});
  }
  await consumer[Symbol.asyncDispose]();
  if (failure instanceof UserError) throw failure;
  if (failure !== undefined) throw new UserError(String(failure));
}
