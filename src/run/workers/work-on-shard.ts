import { type Claim, type Lease, type LeaseToken, tryLease } from "../../state/lease.ts";
import { runLease, type SharedState, shardLease } from "../../state/state.ts";
import type { ShardJob } from "./queue.ts";

/** Data common to all shards of a run; stored in the state while the run lasts. */
export interface RunDocument {
  /** Proves the lease of an apply; its workers write under it. */
  readonly token?: LeaseToken | undefined;
  readonly request: {
    readonly today: string;
    readonly targets: readonly string[];
    readonly excludes: readonly string[];
    readonly resend: readonly string[];
    readonly only?: readonly string[] | undefined;
  };
  readonly release: string;
  /** The hash of {@link ledgerKeyCheck}. */
  readonly ledgerKey?: string;
}

export const runDocument = "run";

/** A run and its workers have the same ledger key if they hash this to the same text. */
export const ledgerKeyCheck = "evenkeel workers";

export function resultOf(shard: string): string {
  return `${shard}.result`;
}

export interface HeldShard {
  readonly job: ShardJob;
  readonly document: RunDocument;
  readonly task: string;
  /** True if a process worked on it before, which may have sent requests. */
  readonly isRepeated: boolean;
  /** The reason why nothing may be sent any more: another process may work on the shard or write to the workspace. */
  readonly lost: () => string | undefined;
  /** The reason why nothing new is begun; work in progress is finished. */
  readonly stopped: () => string | undefined;
}

interface ShardOptions {
  readonly claim: Claim;
  /** Milliseconds without a renewal after which a process counts as dead. */
  readonly duration: number;
  readonly stopped: () => string | undefined;
  /** Returns the result as JSON; undefined if it was stopped. */
  readonly perform: (shard: HeldShard) => Promise<string | undefined>;
}

/**
 * Works on a shard under a lease of its own and stores the result. `held`: another process works on it. `requeue`: this
 * one stopped before the end.
 */
export async function workOnShard(
  state: SharedState,
  job: ShardJob,
  { claim, duration, stopped, perform }: ShardOptions,
): Promise<"done" | "held" | "requeue"> {
  const { workers } = state;
  const { run, shard } = job;
  const taken = await tryLease(workers.leases(shardLease(run, shard)), claim, duration);
  if ("heldBy" in taken) return "held";
  await using lease: Lease = taken;
  const documents = await workers.read(run, [runDocument, shard, resultOf(shard)]);
  const [text, task] = [documents.get(runDocument), documents.get(shard)];
  if (text === undefined || task === undefined || documents.has(resultOf(shard))) return "done";
  const document: RunDocument = JSON.parse(text);
  using watched = await watchRun(state, run, document.token);
  if (watched.lost() ?? watched.stopped()) return "done";
  const lost = () => lease.lost() ?? watched.lost();
  const result = await perform({
    ...{ job, document, task, isRepeated: lease.token.fence > 1, lost },
    stopped: () => lost() ?? watched.stopped() ?? stopped(),
  });
  if (stopped() !== undefined || lease.lost() !== undefined) return "requeue";
  if (result !== undefined) await workers.write(run, resultOf(shard), result);
  return "done";
}

/** Milliseconds. */
const pollInterval = 1000;

/** Polls, from now on, whether a run lasts and, if it writes, holds the lease of the workspace. */
async function watchRun({ workers, leases }: SharedState, run: string, token: LeaseToken | undefined) {
  let until = Number.POSITIVE_INFINITY;
  let stopped: string | undefined;
  let lost: string | undefined;
  const poll = async () => {
    const asked = performance.now();
    if (!(await workers.leases(runLease(run)).holder())) stopped ??= "the run was stopped";
    if (!token) return;
    const left = await leases.remaining(token);
    if (left > 0) until = asked + left;
    else lost ??= `run ${run} lost its lease`;
  };
  await poll();
  let isPolling = false;
  const timer = setInterval(async () => {
    if (isPolling) return;
    isPolling = true;
    // While the state is unavailable, the lease expires by itself.
    await poll().catch(() => {});
    isPolling = false;
  }, pollInterval);
  timer.unref();
  return {
    stopped: () => stopped,
    lost: () => {
      if (performance.now() > until) lost ??= `run ${run} lost its lease`;
      return lost;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
