import { UserError } from "../base/exit.ts";
import { durationOf } from "../base/rate.ts";
import { version } from "../base/version.ts";
import type { ClientOptions, Reader, Writer } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import type { Outcome } from "../model/types.ts";
import type { Plan } from "../plan/plan.ts";
import { beginningsIn } from "../state/journal.ts";
import { type Lease, leaseDuration } from "../state/lease.ts";
import { unshared } from "../state/open-state.ts";
import { isShared } from "../state/state.ts";
import { applyChanges, type Outcomes, type Target, type Watcher } from "./apply/apply.ts";
import { stopReason, type WrittenWave } from "./apply/waves.ts";
import { type Checked, type Context, keepsLedgerInState } from "./context.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { batchesOf } from "./prepared-plan.ts";
import {
  type ApplyResult,
  type ApplyTask,
  type EndOfRun,
  type PlanResult,
  type PlanTask,
  performShard,
  refreshedProject,
} from "./shard-work.ts";
import { type Dispatcher, openDispatcher } from "./workers/dispatcher.ts";
import { type HeldShard, type RunDocument, workOnShard } from "./workers/work-on-shard.ts";

interface OwnConnection {
  readonly reader: Reader;
  readonly writer?: Writer | undefined;
  readonly lease?: Lease | undefined;
}

/** Dispatches the work of a run to workers if it has `--workers`. @throws UserError if state, ledger or queue is not shared. */
export async function dispatcherOf(
  context: Context,
  connection: ClientOptions,
  { reader, writer, lease }: OwnConnection,
): Promise<Dispatcher | undefined> {
  const { request, state, claim, loaded, meter, ledger } = context;
  if (!request.workers) return undefined;
  if (!isShared(state)) throw new UserError(unshared);
  if (ledger && !keepsLedgerInState(loaded.workspace)) throw new UserError(unsharedLedger);
  let held: HeldShard | undefined;
  const stopped = () => (connection.signal?.aborted ? "the run was stopped" : lease?.lost());
  const own = { context, reader, writer, isRun: true as const };
  return openDispatcher({
    ...{ env: request.env, state, claim, stopped, place: queuePlace(context) },
    document: createDocument(context, lease),
    duration: leaseDuration(request.env, durationOf),
    patience: waitFor(request.env),
    warn: request.warn ?? (() => {}),
    watch: (workers) => {
      meter.see(workers);
      const progress = meter.at(performance.now(), new Date());
      if (progress) request.following?.(progress);
    },
    lost: () => held?.lost(),
    runHere: (job) =>
      workOnShard(state, job, {
        ...{ claim, stopped, duration: shardDuration(request.env) },
        perform: (shard) => {
          held = shard;
          return performShard(own, shard);
        },
      }).finally(() => {
        held = undefined;
      }),
  });
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

export const ledgerKeyCheck = "evenkeel workers";

/** Milliseconds without a renewal after which a process that works on a shard counts as dead. */
export function shardDuration(env: Context["request"]["env"]): number {
  return Math.min(leaseDuration(env, durationOf), 20_000);
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

const [minSize, maxSize] = [50, 200];

function splitShards<Each>(all: readonly Each[]): Each[][] {
  const size = Math.min(maxSize, Math.max(minSize, Math.ceil(all.length / 40)));
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}

export function refreshedBy(dispatcher: Dispatcher | undefined, reader: Reader, scope: RefreshScope): RefreshScope {
  if (!dispatcher) return scope;
  return {
    ...scope,
    delegate: async ({ projects, at }, arrived) => {
      const shards = splitShards(projects.map((project, index) => ({ project, index })));
      const tasks = shards.map((shard): PlanTask => ({ projects: shard.map(({ project }) => project) }));
      let reads = 0;
      let left = projects.length;
      for await (const { index, result } of dispatcher.dispatch("plan", tasks.map(json))) {
        const { projects: found, reads: sent } = planResult(result);
        reads += sent;
        for (const [offset, wire] of found.entries()) {
          const place = shards[index]?.[offset]?.index ?? 0;
          left--;
          arrived(
            place,
            refreshedProject(wire, reader.catalogue, () => at(place)),
          );
        }
      }
      if (left > 0) throw interrupted;
      return reads;
    },
  };
}

const json = (task: unknown) => JSON.stringify(task);

function planResult(result: unknown): PlanResult {
  return checkNotEnded(result as PlanResult | EndOfRun);
}

/** @throws CallFailed or UserError if the result of a shard ends the run. */
function checkNotEnded<Result extends object>(result: Result | EndOfRun): Result {
  if ("failure" in result) throw new CallFailed(result.failure);
  if ("refused" in result) throw new UserError(result.refused);
  return result;
}

const interrupted = new CallFailed({
  ...{ method: "GET", path: "/projects", url: "the rest of the projects", kind: "aborted" },
  ...{ what: "was not sent: the run was stopped", endsRun: true, sent: false, attempts: 0 },
});

interface DelegatingRun {
  readonly dispatcher: Dispatcher;
  readonly context: Context;
  readonly writer: Writer;
  readonly plan: Plan;
  readonly inFlight: readonly string[];
  readonly watchers: readonly Watcher[];
  readonly stopped: () => string | undefined;
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
  const report = async (address: string, outcome: Outcome) => {
    outcomes.set(address, outcome);
    for (const watcher of watchers) if (!watcher.isJournal) await watcher.outcome?.({ address, outcome });
  };
  const end = (why: string) => {
    ended ??= why;
    dispatcher.stop(why);
  };
  try {
    for await (const { index, result } of dispatcher.dispatch("apply", tasks.map(json))) {
      const written = ended === undefined ? checkEnd(result as ApplyResult | EndOfRun, end) : (result as ApplyResult);
      if (!written?.outcomes) continue;
      left.delete(index);
      for (const [address, outcome] of written.outcomes) await report(address, outcome);
      reason ??= written.reason;
      if (written.ended !== undefined) end(written.ended);
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    ended ??= error.message;
  }
  const addresses = [...left].flatMap((index) => tasks[index]?.resource_changes.map(({ address }) => address) ?? []);
  for (const [address, outcome] of await outcomesFromJournal(
    context,
    addresses,
    stopped() ?? ended ?? "the run was stopped",
  ))
    await report(address, outcome);
  return { outcomes, reason: stopReason(outcomes) ?? reason ?? stopped() ?? ended };
}

function checkEnd(result: ApplyResult | EndOfRun, end: (why: string) => void): ApplyResult | undefined {
  try {
    return checkNotEnded(result);
  } catch (error) {
    end(error instanceof Error ? error.message : String(error));
    return undefined;
  }
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

async function outcomesFromJournal(
  { state, claim }: Context,
  addresses: readonly string[],
  why: string,
): Promise<Outcomes> {
  if (addresses.length === 0) return new Map();
  try {
    const begun = beginningsIn((await state.journals.read(claim.run)) ?? []);
    return new Map(
      addresses.map((address) => [
        address,
        begun.has(address) ? (begun.get(address) ?? sentAtTheEnd) : { status: "skipped", error: why },
      ]),
    );
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const outcome: Outcome = { status: "unknown", error: `a worker may have sent it: ${error.message}` };
    return new Map(addresses.map((address) => [address, outcome]));
  }
}

const sentAtTheEnd: Outcome = { status: "unknown", error: "a worker was sending it when the run ended" };
