import { hostname } from "node:os";
import { pid } from "node:process";
import { UnavailableError, UserError } from "../base/exit.ts";
import { knownSecrets } from "../base/known-secrets.ts";
import type { Reader, Writer } from "../client/client.ts";
import { CallFailed, type FailureFacts } from "../client/failure.ts";
import { desiredAmong, eachDesired } from "../manifest/desired-fleet.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf } from "../model/kinds.ts";
import type { Change, DesiredProject, Origin, Outcome, Project } from "../model/types.ts";
import { referencesIn } from "../model/values.ts";
import type { Difference } from "../plan/diff/diff.ts";
import type { Plan } from "../plan/plan.ts";
import { secretsSentBy } from "../plan/requests.ts";
import { beginningsIn, startJournal } from "../state/journal.ts";
import type { Ledger } from "../state/ledger/ledger.ts";
import { saveUnstored } from "../state/state-folder.ts";
import { afterEarlierRuns, type Batch, recheckTargets, type Step, type Target, type Watcher } from "./apply/apply.ts";
import { journalling } from "./apply/send-change.ts";
import { writeBatches } from "./apply/waves.ts";
import { secretsToCompare } from "./connection.ts";
import type { Context } from "./context.ts";
import { inSyncRecorder, ledgerWatcher } from "./keep-results.ts";
import type { Unread } from "./live/partly-read.ts";
import { refreshEach } from "./live/refresh.ts";
import type { RefreshedProject, RefreshScope } from "./live/refresh-scope.ts";
import { select } from "./live/select-projects.ts";
import { batchesOf } from "./prepared-plan.ts";
import { plannedSecrets } from "./saved-plan.ts";
import { scopeOf } from "./scope.ts";
import type { HeldShard } from "./workers/work-on-shard.ts";

export interface ShardProcess {
  readonly context: Context;
  readonly reader: Reader;
  /** Undefined if the run only reads. */
  readonly writer: Writer | undefined;
  /** True if this is the run itself, whose requests are counted already. */
  readonly isRun?: true;
  /** The shard that it works on, or the last one. */
  held?: HeldShard;
}

export interface PlanTask {
  readonly projects: readonly Project[];
}

export interface PlanResult {
  readonly reads: number;
  /** In the order of the task. */
  readonly projects: readonly WireProject[];
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

type EndOfRun = { readonly failure: FailureFacts } | { readonly refused: string };

/** Plans or applies a shard with the ordinary code. Returns the result as JSON; undefined if it was stopped. */
export async function performShard(process: ShardProcess, shard: HeldShard): Promise<string | undefined> {
  process.held = shard;
  try {
    return JSON.stringify(
      await (shard.job.command === "plan" ? planShard(process, shard) : applyShard(process, shard)),
    );
  } catch (error) {
    if (error instanceof UnavailableError) throw error;
    if (shard.stopped() !== undefined) return undefined;
    // Another process would fail in the same way.
    return JSON.stringify(endOfRun(error));
  }
}

/** Names this process, because its token or network may be the cause. */
function endOfRun(error: unknown): EndOfRun {
  const whose = `by the worker on ${hostname().slice(0, 100)} (process ${pid})`;
  if (error instanceof CallFailed) return { failure: error.endingRun(`sent ${whose}`).facts };
  const text = knownSecrets.clean(error instanceof Error ? error.message : String(error));
  return { refused: `${error instanceof UserError ? text : `internal error: ${text}`}; reported ${whose}` };
}

async function planShard(
  { context, reader, isRun }: ShardProcess,
  { task, document, stopped }: HeldShard,
): Promise<PlanResult> {
  const { projects }: PlanTask = JSON.parse(task);
  const { ledger } = context;
  const { token } = document;
  const remember = ledger && token && inSyncRecorder(ledger);
  const scope = { ...scopeOfShard(context, projects), ...(remember && { remember }) };
  const { fleet } = await select(reader, scope);
  const before = reader.counts.reads;
  const references = [...eachDesired(fleet)].flatMap(({ resources }) =>
    resources.flatMap(({ fields }) => referencesIn(fields)),
  );
  await secretsToCompare(context, references);
  const read = await refreshEach(reader, fleet, scope, (result) => {
    const why = stopped();
    if (why !== undefined) throw new UserError(why);
    return result;
  });
  if (token) await saveLedger(context, token);
  return { reads: isRun ? 0 : reader.counts.reads - before, projects: read.map(wireProject) };
}

/** The scope of the run, limited to projects that it has already found. */
function scopeOfShard(context: Context, found: readonly Project[]): RefreshScope {
  const { progress: _, ...scope } = scopeOf(context);
  return { ...scope, found };
}

async function saveLedger({ ledger }: Context, token: NonNullable<HeldShard["document"]["token"]>): Promise<void> {
  const error = await ledger?.save(token);
  if (error) throw new UserError(error);
}

const reread = new WeakSet<Ledger>();

/** Other workers may have recorded resources in sync during planning, and sent changes of an unfinished shard. */
async function rereadLedger({ ledger }: Context, { isRepeated }: HeldShard): Promise<void> {
  if (!ledger || (reread.has(ledger) && !isRepeated)) return;
  await ledger.ready();
  reread.add(ledger);
}

async function applyShard(process: ShardProcess, shard: HeldShard): Promise<ApplyResult> {
  const { context, writer } = process;
  const { state } = context;
  const { task, stopped } = shard;
  const { token } = shard.document;
  if (!writer || !token) throw new RangeError("this run only reads");
  const { projects, inFlight, isWave, ...plan }: ApplyTask = JSON.parse(task);
  await rereadLedger(context, shard);
  const { fleet } = await select(writer, scopeOfShard(context, projects));
  const desired = desiredAmong(fleet, new Set(plan.resource_changes.map(({ project }) => project)));
  const earlier = shard.isRepeated ? beginningsIn((await state.journals.read(token.run)) ?? []) : new Map();
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

/** A refreshed project as JSON: without secrets, and without manifest lines, which the run adds again. */
interface WireProject extends Omit<RefreshedProject, "difference" | "unread" | "failed"> {
  readonly difference?: Omit<Difference, "changes"> & { readonly changes: readonly Omit<Change, "origin">[] };
  readonly unread?: readonly (Omit<Unread, "failure"> & { readonly failure: FailureFacts })[];
}

function wireProject({ difference, unread, failed: _, ...rest }: RefreshedProject): WireProject {
  return {
    ...rest,
    ...(difference && { difference: { ...difference, changes: difference.changes.map(withoutOrigin) } }),
    ...(unread && { unread: unread.map(({ failure, ...part }) => ({ ...part, failure: failure.facts })) }),
  };
}

function withoutOrigin({ origin: _, ...change }: Change): Omit<Change, "origin"> {
  return change;
}

export function refreshedProject(
  { difference, unread, ...rest }: WireProject,
  catalogue: Catalogue,
  desired: () => DesiredProject,
): RefreshedProject {
  return {
    ...rest,
    ...(difference && {
      difference: { ...difference, changes: withOrigins(difference.changes, catalogue, desired) },
    }),
    ...(unread && { unread: unread.map(({ failure, ...part }) => ({ ...part, failure: new CallFailed(failure) })) }),
  };
}

function withOrigins(
  changes: readonly Omit<Change, "origin">[],
  catalogue: Catalogue,
  desired: () => DesiredProject,
): readonly Change[] {
  if (changes.length === 0) return [];
  const { resources, exclusive } = desired();
  const origins = new Map(resources.map((each) => [identityOf(catalogue, each), each.origin]));
  return changes.map((change) => {
    const origin: Origin | undefined = origins.get(identityOf(catalogue, change)) ?? exclusive.get(change.kind);
    if (!origin) throw new RangeError(`no policy declares ${change.address}`);
    return { ...change, origin };
  });
}
