import { hostname } from "node:os";
import { pid } from "node:process";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { knownSecrets } from "../../base/known-secrets.ts";
import type { Reader, Writer } from "../../client/client.ts";
import { CallFailed, type FailureFacts } from "../../client/failure.ts";
import { desiredAmong, eachDesired } from "../../manifest/desired-fleet.ts";
import type { Outcome, Project } from "../../model/types.ts";
import { referencesIn } from "../../model/values.ts";
import type { Plan } from "../../plan/plan.ts";
import { secretsSentBy } from "../../plan/requests.ts";
import { beginningsIn, readJournal, startJournal } from "../../state/journal.ts";
import {
  type Claim,
  type Lease,
  type LeaseToken,
  runLease,
  runLeases,
  shardLease,
  tryLease,
} from "../../state/lease.ts";
import { ageOf, kept, remove } from "../../state/run-summary.ts";
import type { WorkspaceState } from "../../state/state.ts";
import { saveUnstored } from "../../state/state-folder.ts";
import { afterEarlierRuns, type Batch, recheckTargets, type Step, type Target, type Watcher } from "../apply/apply.ts";
import { journalling } from "../apply/send-change.ts";
import { writeBatches } from "../apply/waves.ts";
import { secretsToCompare } from "../connection.ts";
import type { Context } from "../context.ts";
import { inSyncRecorder, ledgerWatcher } from "../keep-results.ts";
import { refreshEach } from "../live/refresh.ts";
import type { RefreshedProject, RefreshScope } from "../live/refresh-scope.ts";
import { select } from "../live/select-projects.ts";
import { batchesOf } from "../prepared-plan.ts";
import { plannedSecrets } from "../saved-plan.ts";
import { scopeOf } from "../scope.ts";
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

export async function writeWork({ put }: WorkspaceState, run: string, name: string, text: string): Promise<void> {
  await put("work", [[`${run}/${name}`, text]]);
}

/** Data of a run and its workers: the tasks of shards, and their results. */
export async function readWork(
  { get }: WorkspaceState,
  run: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const paths = names.map((name) => `${run}/${name}`);
  const found = await get("work", paths);
  return new Map(Array.from(found, ([name, text]) => [name.slice(run.length + 1), text]));
}

/** Deletes the documents and leases of a run, and those of runs that ended and began more than a day ago. */
export async function forgetWork(state: WorkspaceState, run: string): Promise<void> {
  const live = (await state.holders(runLeases)).map((holder) => holder.run);
  const all = await state.list("work");
  const own = all.filter((name) => name.startsWith(`${run}/`));
  const shards = own.map((name) => shardLease(run, name.slice(run.length + 1)));
  await state.forget("leases", [runLease(run), ...shards]);
  const isExpired = (name: string) => ageOf(name) > kept.work && !live.some((each) => name.startsWith(`${each}/`));
  await remove(state, "work", [...own, ...all.filter(isExpired)]);
}

export interface PlanTask {
  readonly projects: readonly Project[];
}

export interface PlanResult {
  readonly reads: number;
  /** In the order of the task. Without the origins of changes, which the run adds again. */
  readonly projects: readonly RefreshedProject[];
}

export interface ApplyTask extends Pick<Plan, "resource_changes" | "unverified"> {
  readonly projects: readonly Project[];
  /** Addresses that an interrupted run left in flight. */
  readonly inFlight: readonly string[];
  /** True if a wave follows, so that the projects are read again after the writes. */
  readonly isWave: boolean;
}

export interface ApplyResult {
  readonly outcomes: readonly (readonly [address: string, outcome: Outcome])[];
  readonly reason?: string | undefined;
  readonly ended?: string | undefined;
}

/** The result of a shard whose error ends the run. */
export interface EndOfRun {
  readonly failure?: FailureFacts;
  readonly refused?: string;
}

export interface ShardProcess {
  readonly context: Context;
  readonly reader: Reader;
  /** Undefined if the run only reads. */
  readonly writer: Writer | undefined;
  /** True if this is the run itself, whose requests are counted already. */
  readonly isRun?: true;
  /** The reason why nothing may be sent any more: another process may work on the shard or write to the workspace. */
  lost?: () => string | undefined;
  /** True once the ledger was read again after planning. */
  hasReread?: true;
}

interface HeldShard extends Pick<RunDocument, "token"> {
  readonly task: string;
  /** True if a process worked on it before, which may have sent requests. */
  readonly isRepeated: boolean;
  /** The reason why nothing new is begun; work in progress is finished. */
  readonly stopped: () => string | undefined;
}

interface ShardOptions {
  readonly claim: Claim;
  /** Milliseconds without a renewal after which a process counts as dead. */
  readonly duration: number;
  readonly stopped: () => string | undefined;
  readonly open: (run: string, document: RunDocument) => Promise<ShardProcess>;
}

/**
 * Works on a shard under a lease of its own and stores the result. `held`: another process works on it. `requeue`: this
 * one stopped before the end.
 */
export async function workOnShard(
  state: WorkspaceState,
  { run, command, shard }: ShardJob,
  { claim, duration, stopped, open }: ShardOptions,
): Promise<"done" | "held" | "requeue"> {
  const taken = await tryLease(state.leases(shardLease(run, shard)), claim, duration);
  if ("heldBy" in taken) return "held";
  await using lease: Lease = taken;
  const documents = await readWork(state, run, [runDocument, shard, resultOf(shard)]);
  const [text, task] = [documents.get(runDocument), documents.get(shard)];
  if (text === undefined || task === undefined || documents.has(resultOf(shard))) return "done";
  const document: RunDocument = JSON.parse(text);
  const { token } = document;
  using watched = await watchRun(state, run, token);
  if (watched.lost() ?? watched.stopped()) return "done";
  const process = await open(run, document);
  const lost = () => lease.lost() ?? watched.lost();
  process.lost = lost;
  const isStopped = () => lost() ?? watched.stopped() ?? stopped();
  const held = { token, task, isRepeated: lease.token.fence > 1, stopped: isStopped };
  const result = await performShard(process, command, held);
  if (stopped() !== undefined || lease.lost() !== undefined) return "requeue";
  if (result !== undefined) await writeWork(state, run, resultOf(shard), result);
  return "done";
}

/** Milliseconds. */
const pollInterval = 1000;

/** Polls, from now on, whether a run lasts and, if it writes, holds the lease of the workspace. */
async function watchRun({ leases }: WorkspaceState, run: string, token: LeaseToken | undefined) {
  let until = Number.POSITIVE_INFINITY;
  let stopped: string | undefined;
  let lost: string | undefined;
  const poll = async () => {
    const asked = performance.now();
    if (!(await leases(runLease(run)).holder())) stopped ??= "the run was stopped";
    if (!token) return;
    const left = await leases("apply").remaining(token);
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

/** Plans or applies a shard with the ordinary code. Returns the result as JSON; undefined if it was stopped. */
async function performShard(
  process: ShardProcess,
  command: ShardJob["command"],
  shard: HeldShard,
): Promise<string | undefined> {
  try {
    const result = await (command === "plan" ? planShard(process, shard) : applyShard(process, shard));
    return JSON.stringify(result, (_, value) => (typeof value?.place === "function" ? undefined : value));
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    if (shard.stopped() !== undefined) return undefined;
    // Another process would fail in the same way. Names this one, because its token or network may be the cause.
    const whose = `by the worker on ${hostname().slice(0, 100)} (process ${pid})`;
    const text = knownSecrets.clean(error instanceof Error ? error.message : String(error));
    const refused = `${error instanceof UserError ? text : `internal error: ${text}`}; reported ${whose}`;
    const end = error instanceof CallFailed ? { failure: error.endingRun(`sent ${whose}`).facts } : { refused };
    return JSON.stringify(end satisfies EndOfRun);
  }
}

async function planShard(
  { context, reader, isRun }: ShardProcess,
  { task, token, stopped }: HeldShard,
): Promise<PlanResult> {
  const { projects }: PlanTask = JSON.parse(task);
  const { ledger } = context;
  const scope = { ...scopeOfShard(context, projects), ...(ledger && token && { remember: inSyncRecorder(ledger) }) };
  const { fleet } = await select(reader, scope);
  const before = reader.counts.reads;
  const resources = [...eachDesired(fleet)].flatMap((desired) => desired.resources);
  const references = resources.flatMap(({ fields }) => referencesIn(fields));
  await secretsToCompare(context, references);
  const read = await refreshEach(reader, fleet, scope, (result) => {
    const why = stopped();
    if (why !== undefined) throw new UserError(why);
    return result;
  });
  if (token) await saveLedger(context, token);
  return { reads: isRun ? 0 : reader.counts.reads - before, projects: read };
}

/** The scope of the run, limited to projects that it has already found. */
function scopeOfShard(context: Context, found: readonly Project[]): RefreshScope {
  const { progress: _, ...scope } = scopeOf(context);
  return { ...scope, found };
}

async function saveLedger({ ledger }: Context, token: LeaseToken): Promise<void> {
  const error = await ledger?.save(token);
  if (error) throw new UserError(error);
}

async function applyShard(process: ShardProcess, shard: HeldShard): Promise<ApplyResult> {
  const { context, writer } = process;
  const { state } = context;
  const { task, token, stopped } = shard;
  if (!writer || !token) throw new RangeError("this run only reads");
  const { projects, inFlight, isWave, ...plan }: ApplyTask = JSON.parse(task);
  // Other workers may have recorded resources in sync during planning, and sent changes of an unfinished shard.
  if (!process.hasReread || shard.isRepeated) await context.ledger?.ready();
  process.hasReread = true;
  const { fleet } = await select(writer, scopeOfShard(context, projects));
  const desired = desiredAmong(fleet, new Set(plan.resource_changes.map(({ project }) => project)));
  const earlier = shard.isRepeated ? beginningsIn((await readJournal(state, token.run)) ?? []) : new Map();
  const known = plan.resource_changes.flatMap(({ address }) => {
    const outcome = earlier.get(address);
    return outcome ? [[address, outcome] as const] : [];
  });
  const left = { ...plan, resource_changes: plan.resource_changes.filter(({ address }) => !earlier.get(address)) };
  const begun = new Set(left.resource_changes.flatMap(({ address }) => (earlier.has(address) ? address : [])));
  const targets = recheckTargets(left, desired).map((target): Target => ({ ...target, begun }));
  const journal = startJournal(state, token, now);
  let ended: string | undefined;
  const listener: Watcher = {
    outcome: async ({ address, failure }) => {
      if (failure?.endsRun) ended ??= `the run ended after ${address} failed`;
    },
  };
  const ledger = context.ledger ? [ledgerWatcher(context.ledger, token, now)] : [];
  const options = {
    workers: scopeOf(context).workers,
    watchers: [...ledger, listener, journalling(journal)],
    stopped: () => stopped() ?? ended,
    known: afterEarlierRuns([...inFlight, ...begun], context.loaded.workspace.requestTimeout, stopped),
  };
  try {
    await context.secrets.ask(plannedSecrets(desired.values(), left));
    const batches = withSecrets(batchesOf(writer, context, targets), context);
    const written = await writeBatches(writer, batches, options, isWave);
    await saveLedger(context, token);
    return { outcomes: [...known, ...written.outcomes], reason: written.reason, ended };
  } finally {
    await journal.close();
    const sentence = saveUnstored(context.loaded.root, token.run, journal.unstored());
    if (sentence !== undefined) context.request.warn?.(sentence);
  }
}

const now = () => new Date();

/** If a project's secret cannot be resolved, none of its changes is written; other projects are. */
function withSecrets(batches: readonly Batch[], { secrets, loaded }: Context): Batch[] {
  const { catalogue } = loaded.workspace;
  return batches.map(({ steps, ...batch }) => ({
    ...batch,
    steps: async () => {
      const due = await steps();
      const references = due.flatMap((step) => ("change" in step ? secretsSentBy(step.change, catalogue) : []));
      const missing = secrets.missing(references);
      if (missing.length === 0) return due;
      const error = `a secret is needed and cannot be resolved: ${missing.join(", ")}`;
      return due.map((step): Step => {
        return "change" in step ? { address: step.change.address, outcome: { status: "failed", error } } : step;
      });
    },
  }));
}
