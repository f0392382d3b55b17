import { setTimeout as pause } from "node:timers/promises";
import { onError, UserError } from "../../base/exit.ts";
import type { ClientOptions, Reader, Writer } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf } from "../../model/kinds.ts";
import type { Change, DesiredProject, Outcome } from "../../model/types.ts";
import type { Plan } from "../../plan/plan.ts";
import { beginningsIn, readJournal } from "../../state/journal.ts";
import { type Lease, leaseDuration, runLease, shardLeases, takeLease } from "../../state/lease.ts";
import { unshared } from "../../state/open-state.ts";
import { type ApplyOptions, applyChanges, type Outcomes, type Target } from "../apply/apply.ts";
import { stopReason, type WrittenWave } from "../apply/waves.ts";
import { type Context, keepsLedgerInState } from "../context.ts";
import type { RefreshedProject, RefreshScope } from "../live/refresh-scope.ts";
import { batchesOf } from "../prepared-plan.ts";
import { openQueue, queuePlace, type ShardJob, shardDuration, type WorkQueue, waitFor } from "./queue.ts";
import {
  type ApplyResult,
  type ApplyTask,
  type EndOfRun,
  forgetWork,
  ledgerKeyCheck,
  type PlanResult,
  type PlanTask,
  type RunDocument,
  readWork,
  resultOf,
  runDocument,
  type ShardProcess,
  workOnShard,
  writeWork,
} from "./shard.ts";

/** Dispatches the work of a run to workers if it has `--workers`. @throws UserError if state, ledger or queue is not shared. */
export async function openDispatcher(
  context: Context,
  { signal }: ClientOptions,
  { lease, ...own }: Pick<ShardProcess, "reader" | "writer"> & { readonly lease: Lease | undefined },
): Promise<Dispatcher | undefined> {
  const { request, state, claim, loaded, ledger, today } = context;
  if (!request.workers) return undefined;
  if (!state.isShared) throw new UserError(unshared);
  if (ledger && !keepsLedgerInState(loaded.workspace)) throw new UserError(unsharedLedger);
  const patience = waitFor(request.env);
  const queue = await openQueue(request.env, queuePlace(context));
  const alive = await takeLease(state.leases(runLease(claim.run)), claim, { duration: leaseDuration(request.env) });
  const { targets = [], excludes = [], resend = [], only } = request;
  const document: RunDocument = {
    token: lease?.token,
    request: { today, targets, excludes, resend, only: only && [...only.addresses] },
    release: loaded.workspace.server.release,
    ...(ledger && lease && { ledgerKey: ledger.hashed(ledgerKeyCheck) }),
  };
  await writeWork(state, claim.run, runDocument, JSON.stringify(document));
  const stopped = () => (signal?.aborted ? "the run was stopped" : lease?.lost());
  return new Dispatcher({ context, queue, alive, patience, stopped, own: { context, ...own, isRun: true } });
}

const unsharedLedger =
  "workers need a ledger that they share: set ledger: state in evenkeel.yaml, and EVENKEEL_LEDGER_KEY for runs and workers";

interface Session {
  readonly context: Context;
  readonly queue: WorkQueue;
  /** The lease by which workers see that the run has not ended. */
  readonly alive: Lease;
  /** Milliseconds to wait for workers before the run continues without them. */
  readonly patience: number;
  readonly stopped: () => string | undefined;
  /** The process of the run, for shards that no worker takes. */
  readonly own: ShardProcess;
}

/** Milliseconds. */
const [pollInterval, countInterval] = [100, 1000];

const maxFetched = 50;

/** Distributes shards of a run to workers. Disposing removes shards that no worker has started. */
export class Dispatcher implements AsyncDisposable {
  readonly #session: Session;
  #stage = 0;
  #ended: string | undefined;
  #isAlone = false;
  #workers = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(session: Session) {
    this.#session = session;
  }

  /** The reason why the run may send nothing itself: another process may work on its shard. */
  lost(): string | undefined {
    return this.#session.own.lost?.();
  }

  /** Dispatches nothing more; workers finish what they have begun. */
  stop(why: string): void {
    this.#ended ??= why;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { context, queue, alive } = this.#session;
    await alive[Symbol.asyncDispose]();
    await forgetWork(context.state, context.claim.run).catch(() => {});
    await queue[Symbol.asyncDispose]();
  }

  /**
   * Queues a shard for each task and yields results as they arrive, also of those that no worker takes and the run works
   * on itself; if the run is stopped, only those of started shards. @throws UserError if the state is unavailable.
   */
  async *dispatch<Result>(command: ShardJob["command"], tasks: readonly object[]) {
    const { context, queue, alive, patience, stopped } = this.#session;
    const { state, claim } = context;
    const { run } = claim;
    const stage = ++this.#stage;
    const left = new Map(
      tasks.map((_, index): [number, ShardJob] => [index, { run, command, shard: `${stage}.${index + 1}` }]),
    );
    try {
      for (const [index, { shard }] of left) await writeWork(state, run, shard, JSON.stringify(tasks[index]));
      await this.#inQueue(() => queue.add([...left.values()]));
      let busyAt = performance.now();
      while (left.size > 0) {
        const isStopped = (this.#ended ?? stopped()) !== undefined;
        if (isStopped) await alive[Symbol.asyncDispose]();
        // A worker that saw the run alive held its shard before that, so a count from now on includes it.
        const workers = await this.#countWorkers(isStopped ? 0 : countInterval);
        const wanted = [...left.values()].slice(0, maxFetched).map(({ shard }) => resultOf(shard));
        const fetched = await readWork(state, run, wanted);
        for (const [index, { shard }] of [...left]) {
          const text = fetched.get(resultOf(shard));
          if (text === undefined) continue;
          left.delete(index);
          yield { index, result: JSON.parse(text) as Result & EndOfRun };
        }
        if (fetched.size > 0 || workers > 0) busyAt = performance.now();
        else if (isStopped) return;
        if (fetched.size > 0) continue;
        if (performance.now() - busyAt >= patience) this.#continueAlone(`no worker for ${patience / 1000} s`);
        if (!this.#isAlone || isStopped || !(await this.#runOneHere(left.values()))) await pause(pollInterval);
      }
    } finally {
      for (const job of left.values()) await this.#inQueue(() => queue.remove(job));
    }
  }

  /** False if workers have all remaining shards. */
  async #runOneHere(left: Iterable<ShardJob>): Promise<boolean> {
    const { context, own, stopped } = this.#session;
    const { state, claim, request } = context;
    const options = { claim, stopped, duration: shardDuration(request.env), open: async () => own };
    for (const job of left) {
      try {
        if ((await workOnShard(state, job, options)) !== "held") return true;
      } finally {
        delete own.lost;
      }
    }
    return false;
  }

  /** Uses the queue; if that fails, the run continues without it. */
  async #inQueue(use: () => Promise<void>): Promise<void> {
    if (!this.#isAlone) await use().catch(onError(UserError, ({ message }) => this.#continueAlone(message)));
  }

  #continueAlone(why: string): void {
    if (!this.#isAlone) this.#session.context.request.warn?.(`${why}; the run continues without workers`);
    this.#isAlone = true;
  }

  /** Counts and reports the workers with a shard of the run, unless they were counted within `interval`. */
  async #countWorkers(interval: number): Promise<number> {
    const { state, claim, meter, request } = this.#session.context;
    if (performance.now() - this.#countedAt < interval) return this.#workers;
    this.#countedAt = performance.now();
    this.#workers = (await state.holders(shardLeases(claim.run))).filter(({ run }) => run !== claim.run).length;
    meter.see(this.#workers);
    const progress = meter.at(performance.now(), new Date());
    if (progress) request.following?.(progress);
    return this.#workers;
  }
}

const [minSize, maxSize] = [50, 200];

function splitShards<Each>(all: readonly Each[]): Each[][] {
  const size = Math.min(maxSize, Math.max(minSize, Math.ceil(all.length / 40)));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

/** The scope of a run whose projects are read by workers, if it has any. */
export function refreshedBy(
  dispatcher: Dispatcher | undefined,
  { catalogue }: Reader,
  scope: RefreshScope,
): RefreshScope {
  if (!dispatcher) return scope;
  return {
    ...scope,
    delegate: async ({ projects, at }, arrived) => {
      const shards = splitShards([...projects.keys()]);
      const tasks = shards.map((shard): PlanTask => ({ projects: shard.flatMap((index) => projects[index] ?? []) }));
      let reads = 0;
      let left = projects.length;
      for await (const { index, result } of dispatcher.dispatch<PlanResult>("plan", tasks)) {
        const end = endOf(result);
        if (end) throw end;
        reads += result.reads;
        for (const [offset, project] of result.projects.entries()) {
          const place = shards[index]?.[offset] ?? 0;
          left--;
          arrived(
            place,
            restore(project, catalogue, () => at(place)),
          );
        }
      }
      if (left > 0) throw interrupted;
      return reads;
    },
  };
}

/** The error of a shard that ends the run. */
function endOf({ failure, refused }: EndOfRun): CallFailed | UserError | undefined {
  if (failure) return new CallFailed(failure);
  return refused === undefined ? undefined : new UserError(refused);
}

const interrupted = new CallFailed({
  ...{ method: "GET", path: "/projects", url: "the rest of the projects", kind: "aborted" },
  ...{ what: "was not sent: the run was stopped", endsRun: true, sent: false, attempts: 0 },
});

/** Restores a refreshed project from JSON, which has neither the manifest lines of changes nor errors. */
function restore(
  { difference, unread, failed: _, ...rest }: RefreshedProject,
  catalogue: Catalogue,
  desired: () => DesiredProject,
): RefreshedProject {
  return {
    ...rest,
    ...(difference && { difference: { ...difference, changes: withOrigins(difference.changes, catalogue, desired) } }),
    ...(unread && { unread: unread.map((part) => ({ ...part, failure: new CallFailed(part.failure.facts) })) }),
  };
}

function withOrigins(changes: readonly Change[], catalogue: Catalogue, desired: () => DesiredProject) {
  if (changes.length === 0) return changes;
  const { resources, exclusive } = desired();
  const origins = new Map(resources.map((each) => [identityOf(catalogue, each), each.origin]));
  return changes.map((change): Change => {
    const origin = origins.get(identityOf(catalogue, change)) ?? exclusive.get(change.kind);
    if (!origin) throw new RangeError(`no policy declares ${change.address}`);
    return { ...change, origin };
  });
}

interface DelegatingRun extends Pick<ApplyOptions, "watchers" | "stopped"> {
  readonly dispatcher: Dispatcher;
  readonly context: Context;
  readonly writer: Writer;
  readonly plan: Plan;
  readonly inFlight: readonly string[];
}

/** Writes changes through workers, as a wave or all at once. */
export async function writeByWorkers(
  run: DelegatingRun,
  targets: readonly Target[],
  isWave: boolean,
): Promise<WrittenWave> {
  const { dispatcher, context, writer, watchers, stopped } = run;
  // Targets without planned changes already have their outcomes.
  const settled = targets.filter((target) => !("planned" in target));
  const options = { workers: context.concurrency, watchers, stopped };
  const outcomes = new Map(await applyChanges(writer, batchesOf(writer, context, settled), options));
  const tasks = createTasks(run, targets, isWave);
  const left = new Set(tasks.keys());
  let reason: string | undefined;
  let ended: string | undefined;
  const report = async (reported: Iterable<readonly [string, Outcome]>) => {
    for (const [address, outcome] of reported) {
      outcomes.set(address, outcome);
      for (const watcher of watchers) if (!watcher.isJournal) await watcher.outcome?.({ address, outcome });
    }
  };
  try {
    for await (const { index, result } of dispatcher.dispatch<ApplyResult>("apply", tasks)) {
      const failure = endOf(result)?.message;
      ended ??= failure ?? result.ended;
      if (ended !== undefined) dispatcher.stop(ended);
      if (failure !== undefined) continue;
      left.delete(index);
      await report(result.outcomes);
      reason ??= result.reason;
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    ended ??= error.message;
  }
  const addresses = [...left].flatMap((index) => tasks[index]?.resource_changes.map(({ address }) => address) ?? []);
  await report(await outcomesFromJournal(context, addresses, stopped() ?? ended ?? "the run was stopped"));
  return { outcomes, reason: stopReason(outcomes) ?? reason ?? stopped() ?? ended };
}

function createTasks({ plan, inFlight }: DelegatingRun, targets: readonly Target[], isWave: boolean): ApplyTask[] {
  const due = targets.flatMap((target) => ("planned" in target ? target : []));
  return splitShards(due).map((shard) => {
    const resource_changes = shard.flatMap(({ planned }) => planned);
    const own = new Set(resource_changes.map(({ address }) => address));
    return {
      projects: shard.map(({ desired }) => desired.project),
      resource_changes,
      unverified: plan.unverified.filter(({ address }) => own.has(address)),
      inFlight: inFlight.filter((address) => own.has(address)),
      isWave,
    };
  });
}

/** The outcomes of changes whose shards have no result. */
async function outcomesFromJournal(
  { state, claim }: Context,
  addresses: readonly string[],
  why: string,
): Promise<Outcomes> {
  if (addresses.length === 0) return new Map();
  const read = await readJournal(state, claim.run).catch(onError(UserError, (error) => error));
  const begun = beginningsIn(read instanceof UserError ? [] : (read ?? []));
  const other: Outcome =
    read instanceof UserError
      ? { status: "unknown", error: `a worker may have sent it: ${read.message}` }
      : { status: "skipped", error: why };
  const sending: Outcome = { status: "unknown", error: "a worker was sending it when the run ended" };
  return new Map(addresses.map((address) => [address, begun.has(address) ? (begun.get(address) ?? sending) : other]));
}
