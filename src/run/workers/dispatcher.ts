import { setTimeout as pause } from "node:timers/promises";
import { onError, UserError } from "../../base/exit.ts";
import { durationOf } from "../../base/rate.ts";
import { version } from "../../base/version.ts";
import type { ClientOptions, Reader, Writer } from "../../client/client.ts";
import { type Lease, leaseDuration, takeLease } from "../../state/lease.ts";
import { unshared } from "../../state/open-state.ts";
import { isShared, runLease, type SharedState, shardLeases } from "../../state/state.ts";
import { type Checked, type Context, keepsLedgerInState } from "../context.ts";
import { performShard, type ShardProcess } from "../shard-work.ts";
import { openQueue, type ShardJob, type WorkQueue } from "./queue.ts";
import { ledgerKeyCheck, type RunDocument, resultOf, runDocument, workOnShard } from "./work-on-shard.ts";

/** Distributes shards of a run to workers. Disposing removes shards that no worker has started. */
export interface Dispatcher extends AsyncDisposable {
  /** The reason why the run may send nothing itself: another process may work on its shard. */
  readonly lost: () => string | undefined;
  /**
   * Queues a shard for each task and yields results as they arrive; if the run is stopped, only those of started
   * shards. @throws UserError if the state is unavailable.
   */
  readonly dispatch: (command: ShardJob["command"], tasks: readonly object[]) => AsyncIterable<ShardResult>;
  /** Dispatches nothing more; workers finish what they have begun. */
  readonly stop: (why: string) => void;
}

interface ShardResult {
  readonly index: number;
  readonly result: unknown;
}

interface OwnConnection {
  readonly reader: Reader;
  readonly writer?: Writer | undefined;
  readonly lease?: Lease | undefined;
}

/** Dispatches the work of a run to workers if it has `--workers`. @throws UserError if state, ledger or queue is not shared. */
export async function openDispatcher(
  context: Context,
  { signal }: ClientOptions,
  { reader, writer, lease }: OwnConnection,
): Promise<Dispatcher | undefined> {
  const { request, state, claim, loaded, ledger } = context;
  if (!request.workers) return undefined;
  if (!isShared(state)) throw new UserError(unshared);
  if (ledger && !keepsLedgerInState(loaded.workspace)) throw new UserError(unsharedLedger);
  const patience = waitFor(request.env);
  const queue = await openQueue(request.env, queuePlace(context));
  const duration = leaseDuration(request.env);
  const alive = await takeLease(state.workers.leases(runLease(claim.run)), claim, { duration });
  await state.workers.write(claim.run, runDocument, JSON.stringify(createDocument(context, lease)));
  const session: Session = {
    context,
    state,
    queue,
    alive,
    patience,
    own: { context, reader, writer, isRun: true },
    ended: undefined,
    isAlone: false,
    countedAt: Number.NEGATIVE_INFINITY,
    workers: 0,
    stopped: () => (signal?.aborted ? "the run was stopped" : lease?.lost()),
  };
  let stages = 0;
  return {
    lost: () => session.own.held?.lost(),
    dispatch: (command, tasks) => {
      const stage = ++stages;
      const jobs = tasks.map((_, index): ShardJob => ({ run: claim.run, command, shard: `${stage}.${index + 1}` }));
      return dispatchShards(session, jobs, tasks);
    },
    stop: (why) => {
      session.ended ??= why;
    },
    [Symbol.asyncDispose]: async () => {
      await alive[Symbol.asyncDispose]();
      await state.workers.forget(claim.run).catch(() => {});
      await queue[Symbol.asyncDispose]();
    },
  };
}

const unsharedLedger =
  "workers need a ledger that they share: set ledger: state in evenkeel.yaml, and EVENKEEL_LEDGER_KEY for runs and workers";

/** Identifies a queue: only workers with the same manifests for the same server see its jobs. */
export function queuePlace({ loaded, heading }: Pick<Checked, "loaded" | "heading">): string {
  return JSON.stringify([version, loaded.workspace.name ?? "", loaded.digest, heading.url]);
}

function createDocument({ request, loaded, today, ledger }: Context, lease: Lease | undefined): RunDocument {
  const { targets = [], excludes = [], resend = [], only } = request;
  return {
    token: lease?.token,
    request: { today, targets, excludes, resend, only: only && [...only.addresses] },
    release: loaded.workspace.server.release,
    ...(ledger && lease && { ledgerKey: ledger.hashed(ledgerKeyCheck) }),
  };
}

/** Milliseconds without a renewal after which a process that works on a shard counts as dead. */
export function shardDuration(env: Context["request"]["env"]): number {
  return Math.min(leaseDuration(env), 20_000);
}

const standardWait = 30_000;

/**
 * Milliseconds that a run waits for workers, and a worker for a run. @throws UserError for an invalid
 * EVENKEEL_WORKER_WAIT.
 */
export function waitFor({ EVENKEEL_WORKER_WAIT: written }: Context["request"]["env"]): number {
  const wait = written ? durationOf(written) : standardWait;
  if (wait !== undefined) return wait;
  throw new UserError(`EVENKEEL_WORKER_WAIT is ${JSON.stringify(written)}; expected a duration such as 30s`);
}

interface Session {
  readonly context: Context;
  readonly state: SharedState;
  readonly queue: WorkQueue;
  /** The lease by which workers see that the run has not ended. */
  readonly alive: Lease;
  /** Milliseconds to wait for workers before the run continues without them. */
  readonly patience: number;
  /** The process of the run, for shards that no worker takes. */
  readonly own: ShardProcess;
  readonly stopped: () => string | undefined;
  ended: string | undefined;
  isAlone: boolean;
  countedAt: number;
  workers: number;
}

const pollInterval = 100;

const maxFetched = 50;

interface Shard {
  readonly job: ShardJob;
  readonly index: number;
}

/** Queues the shards and yields their results; those that no worker takes are worked on here. */
async function* dispatchShards(session: Session, jobs: readonly ShardJob[], tasks: readonly object[]) {
  const { context, state, queue, alive, patience } = session;
  const { run } = context.claim;
  const left = new Map(jobs.map((job, index): [string, Shard] => [job.shard, { job, index }]));
  try {
    for (const [index, { shard }] of jobs.entries())
      await state.workers.write(run, shard, JSON.stringify(tasks[index]));
    if (!session.isAlone) await inQueue(session, () => queue.add(jobs));
    let busyAt = performance.now();
    while (left.size > 0) {
      const isStopped = (session.ended ?? session.stopped()) !== undefined;
      if (isStopped) await alive[Symbol.asyncDispose]();
      // A worker that saw the run alive held its shard before that, so a count from now on includes it.
      const workers = await countWorkers(session, isStopped ? 0 : countInterval);
      const fetched = await state.workers.read(run, [...left.keys()].slice(0, maxFetched).map(resultOf));
      for (const [shard, { index }] of [...left]) {
        const text = fetched.get(resultOf(shard));
        if (text === undefined) continue;
        left.delete(shard);
        yield { index, result: JSON.parse(text) };
      }
      if (fetched.size > 0 || workers > 0) busyAt = performance.now();
      else if (isStopped) return;
      if (fetched.size > 0) continue;
      if (performance.now() - busyAt >= patience) continueAlone(session, `no worker for ${patience / 1000} s`);
      if (!session.isAlone || isStopped || !(await runOneHere(session, [...left.values()]))) await pause(pollInterval);
    }
  } finally {
    for (const { job } of left.values()) if (!session.isAlone) await inQueue(session, () => queue.remove(job));
  }
}

/** False if workers have all remaining shards. */
async function runOneHere({ context, state, own, stopped }: Session, left: readonly Shard[]): Promise<boolean> {
  const { claim, request } = context;
  const options = { claim, stopped, duration: shardDuration(request.env) };
  for (const { job } of left) {
    try {
      const end = await workOnShard(state, job, { ...options, perform: (shard) => performShard(own, shard) });
      if (end !== "held") return true;
    } finally {
      delete own.held;
    }
  }
  return false;
}

/** Uses the queue; if that fails, the run continues without it. */
async function inQueue(session: Session, use: () => Promise<void>): Promise<void> {
  await use().catch(onError(UserError, ({ message }) => continueAlone(session, message)));
}

function continueAlone(session: Session, why: string): void {
  if (!session.isAlone) session.context.request.warn?.(`${why}; the run continues without workers`);
  session.isAlone = true;
}

/** Milliseconds between two counts of the workers. */
const countInterval = 1000;

/** Counts and reports the workers with a shard of the run, unless they were counted within `interval`. */
async function countWorkers(session: Session, interval: number): Promise<number> {
  const { context, state } = session;
  const { claim, meter, request } = context;
  const now = performance.now();
  if (now - session.countedAt < interval) return session.workers;
  session.countedAt = now;
  const holders = await state.workers.holders(shardLeases(claim.run));
  session.workers = holders.filter(({ run }) => run !== claim.run).length;
  meter.see(session.workers);
  const progress = meter.at(performance.now(), new Date());
  if (progress) request.following?.(progress);
  return session.workers;
}
