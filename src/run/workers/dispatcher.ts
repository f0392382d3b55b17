import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../../base/exit.ts";
import { type Claim, type Lease, takeLease } from "../../state/lease.ts";
import { runLease, type SharedState, shardLeases } from "../../state/state.ts";
import { openQueue, type ShardJob, type WorkQueue } from "./queue.ts";
import { type RunDocument, resultOf, runDocument } from "./work-on-shard.ts";

/** Distributes shards of a run to workers. Disposing removes shards that no worker has started. */
export interface Dispatcher extends AsyncDisposable {
  /** The reason why the run may send nothing itself: another process may work on its shard. */
  readonly lost: () => string | undefined;
  /**
   * Queues a shard for each task and yields results as they arrive; if the run is stopped, only those of started
   * shards. @throws UserError if the state is unavailable.
   */
  readonly dispatch: (command: ShardJob["command"], tasks: readonly string[]) => AsyncIterable<ShardResult>;
  /** Dispatches nothing more; workers finish what they have begun. */
  readonly stop: (why: string) => void;
}

interface ShardResult {
  readonly index: number;
  readonly result: unknown;
}

export interface DispatcherOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly state: SharedState;
  readonly claim: Claim;
  /** Identifies workspace and manifests. */
  readonly place: string;
  readonly document: RunDocument;
  /** Milliseconds without a renewal after which the run counts as dead. */
  readonly duration: number;
  /** Milliseconds to wait for workers before the run continues without them. */
  readonly patience: number;
  readonly stopped: () => string | undefined;
  readonly warn: (sentence: string) => void;
  readonly watch: (workers: number) => void;
  readonly runHere: (job: ShardJob) => Promise<"done" | "held" | "requeue">;
  readonly lost: () => string | undefined;
}

const pollInterval = 100;

/** Milliseconds between two counts of the workers. */
const countInterval = 1000;

const maxFetched = 50;

interface Session {
  readonly options: DispatcherOptions;
  readonly queue: WorkQueue;
  readonly alive: Lease;
  readonly count: ReturnType<typeof countWorkers>;
  ended: string | undefined;
  isAlone: boolean;
}

export async function openDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { env, state, claim, place, duration, document } = options;
  const { workers: store } = state;
  const { run } = claim;
  const queue = await openQueue(env, place);
  const alive = await takeLease(store.leases(runLease(run)), claim, { duration });
  await store.write(run, runDocument, JSON.stringify(document));
  const session: Session = { options, queue, alive, count: countWorkers(options), ended: undefined, isAlone: false };
  let stages = 0;
  return {
    lost: options.lost,
    dispatch: (command, tasks) => {
      const stage = ++stages;
      const jobs = tasks.map((_, index): ShardJob => ({ run, command, shard: `${stage}.${index + 1}` }));
      return dispatchShards(session, jobs, tasks);
    },
    stop: (why) => {
      session.ended ??= why;
    },
    [Symbol.asyncDispose]: async () => {
      await alive[Symbol.asyncDispose]();
      await store.forget(run).catch(() => {});
      await queue[Symbol.asyncDispose]();
    },
  };
}

interface Shard {
  readonly job: ShardJob;
  readonly index: number;
}

/** Queues the shards and yields their results; those that no worker takes are worked on here. */
async function* dispatchShards(session: Session, jobs: readonly ShardJob[], tasks: readonly string[]) {
  const { options, queue, alive, count } = session;
  const { workers: store } = options.state;
  const { run } = options.claim;
  const left = new Map(jobs.map((job, index): [string, Shard] => [job.shard, { job, index }]));
  try {
    for (const [index, { shard }] of jobs.entries()) await store.write(run, shard, tasks[index] ?? "");
    if (!session.isAlone) await inQueue(session, () => queue.add(jobs));
    let busyAt = performance.now();
    while (left.size > 0) {
      const isStopped = (session.ended ?? options.stopped()) !== undefined;
      if (isStopped) await alive[Symbol.asyncDispose]();
      // A worker that saw the run alive held its shard before that, so a count from now on includes it.
      const workers = await count({ cached: !isStopped });
      const fetched = await store.read(run, [...left.keys()].slice(0, maxFetched).map(resultOf));
      for (const [shard, { index }] of [...left]) {
        const text = fetched.get(resultOf(shard));
        if (text === undefined) continue;
        left.delete(shard);
        yield { index, result: JSON.parse(text) };
      }
      if (fetched.size > 0 || workers > 0) busyAt = performance.now();
      else if (isStopped) return;
      if (fetched.size > 0) continue;
      const { patience } = options;
      if (performance.now() - busyAt >= patience) continueAlone(session, `no worker for ${patience / 1000} s`);
      if (!session.isAlone || isStopped || !(await runOneHere(options, [...left.values()]))) await pause(pollInterval);
    }
  } finally {
    for (const { job } of left.values()) if (!session.isAlone) await inQueue(session, () => queue.remove(job));
  }
}

/** False if workers have all remaining shards. */
async function runOneHere({ runHere }: DispatcherOptions, left: readonly Shard[]): Promise<boolean> {
  for (const { job } of left) if ((await runHere(job)) !== "held") return true;
  return false;
}

/** Uses the queue; if that fails, the run continues without it. */
async function inQueue(session: Session, use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    continueAlone(session, error.message);
  }
}

function continueAlone(session: Session, why: string): void {
  if (!session.isAlone) session.options.warn(`${why}; the run continues without workers`);
  session.isAlone = true;
}

/** Counts the workers with a shard of the run, at most once a second if `cached`, and reports them. */
function countWorkers({ state, claim, watch }: DispatcherOptions) {
  let countedAt = Number.NEGATIVE_INFINITY;
  let workers = 0;
  return async ({ cached }: { cached: boolean }): Promise<number> => {
    const now = performance.now();
    if (cached && now - countedAt < countInterval) return workers;
    countedAt = now;
    const holders = await state.workers.holders(shardLeases(claim.run));
    workers = holders.filter(({ run }) => run !== claim.run).length;
    watch(workers);
    return workers;
  };
}
