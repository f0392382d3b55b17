import { exitCode, onError, UserError, userErrorOf } from "../base/exit.ts";
import { CallFailed } from "../client/failure.ts";
import { blockingText } from "../plan/guards.ts";
import { datedPlan } from "../plan/highlights.ts";
import { actionOf } from "../plan/plan.ts";
import { endWord, runEnd, runReasons } from "../plan/run-end.ts";
import { keptReasons, type RunSummary, recordRun, touchedBy } from "../state/run-summary.ts";
import { differsSince } from "../state/snapshots/read-snapshots.ts";
import type { Context } from "./context.ts";
import { failedPlan, withProblems } from "./failed-plan.ts";
import { recordSnapshots } from "./keep-results.ts";
import type { Applied, Planned } from "./request.ts";

/** The stored summary of a run. If it is disposed without an end, it records a failure with the error of the start. */
export interface RunHistory extends AsyncDisposable {
  /** Stores the result of a run and, if requested, its plan. Returns the result with the outcome of storing it. */
  readonly end: <Result extends Applied>(result: Result) => Promise<Result>;
}

export interface EarlyEnd {
  failure?: unknown;
  /** The stored summary, or the reason why it could not be stored. */
  recorded?: Planned["recorded"];
}

/**
 * The history of a run. Runs that write or have workers are stored at their start and updated with their progress;
 * others only at their end.
 */
export async function openHistory(context: Context, early: EarlyEnd, writes: boolean): Promise<RunHistory> {
  const started = new Date().toISOString();
  const isFollowed = writes || context.request.workers === true;
  if (isFollowed) await record(context, started, nothingYet);
  const stop = isFollowed ? followProgress(context, started) : async () => {};
  let ended = false;
  return {
    end: async (result) => {
      ended = true;
      await stop();
      const saved = await save(context, result);
      const recorded = await storeResult(context, started, saved);
      const dated = context.request.command === "drift" ? await withSince(context, saved) : saved;
      return recorded ? { ...dated, recorded } : dated;
    },
    [Symbol.asyncDispose]: async () => {
      await stop();
      if (ended) return;
      const { failure } = early;
      const isExpected = failure instanceof UserError || failure instanceof CallFailed;
      const how = isExpected ? describeEnd(failedPlan(context, failure), context) : { outcome: "failed" };
      early.recorded = await record(context, started, { ...nothingYet, ended: new Date().toISOString(), ...how });
    },
  };
}

/** Milliseconds. */
const progressInterval = 2000;

function followProgress(context: Context, started: string): () => Promise<void> {
  const { meter } = context;
  let recording: Promise<unknown> = Promise.resolve();
  const recordProgress = async () => {
    const progress = meter.at(performance.now(), new Date());
    if (progress) await record(context, started, { ...nothingYet, progress });
  };
  const timer = setInterval(() => {
    recording = recording.then(recordProgress);
  }, progressInterval);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await recording;
  };
}

const nothingYet = { ended: null, outcome: null, changes: 0, touched: {} } as const;

/** Adds to each change when it was first seen; unchanged if the state does not know. */
async function withSince<Result extends Applied>({ state }: Context, result: Result): Promise<Result> {
  const addresses = result.plan.resource_changes.map(({ address }) => address);
  const since = await differsSince(state, addresses).catch(onError(UserError, () => new Map<string, string>()));
  return since.size === 0 ? result : { ...result, plan: datedPlan(result.plan, since) };
}

async function storeResult(context: Context, started: string, result: Applied): Promise<Planned["recorded"]> {
  const { plan, outcomes } = result;
  const changes = plan.resource_changes.map((planned) => ({
    address: planned.address,
    action: actionOf(planned),
    status: outcomes?.get(planned.address)?.status,
  }));
  const seen = await recordSnapshots(context, result);
  const recorded = await record(context, started, {
    ended: new Date().toISOString(),
    ...describeEnd(result, context),
    changes: plan.resource_changes.length,
    ...touchedBy(changes),
    reads: plan.summary.reads,
    ...("fleet" in seen && seen),
  });
  return recorded && "run" in recorded && "unseen" in seen ? { ...recorded, ...seen } : recorded;
}

async function save<Result extends Applied>({ request, state, claim }: Context, result: Result): Promise<Result> {
  if (!request.save) return result;
  try {
    await state.put("plans", [[claim.run, JSON.stringify(result.plan, null, 2)]]);
    return { ...result, savedAs: claim.run };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const message = `the plan could not be saved: ${error.message}`;
    return withProblems(result, [{ severity: "error", rule: "state", message }]);
  }
}

/** Stores a summary of the run, unless it is unrecorded. If it cannot be stored, the run still succeeds. */
async function record(
  { claim, heading, request, state }: Context,
  started: string,
  end: Pick<RunSummary, "ended" | "outcome" | "changes" | "touched"> & Partial<RunSummary>,
): Promise<Planned["recorded"]> {
  const { command, savedRun: plan } = request;
  if (!command) return undefined;
  const { run, who, host, job } = claim;
  const { commit } = heading.manifests;
  const optional = { ...(job !== undefined && { job }), ...(plan !== undefined && { plan }) };
  const error = await userErrorOf(recordRun(state, { run, command, who, host, ...optional, started, commit, ...end }));
  return error === undefined ? { run } : { error };
}

function describeEnd(result: Applied, context: Context): Pick<RunSummary, "outcome" | "reasons"> {
  const outcome = chooseOutcome(result, context);
  const { plan, refused, outcomes } = result;
  if (["failed", "refused", "stale", "interrupted"].includes(outcome))
    return { outcome, ...keptReasons(runReasons({ problems: plan.problems, refused, outcomes })) };
  const blocking = outcome === "pending" ? blockingText(plan) : "";
  return { outcome, ...keptReasons(blocking === "" ? [] : [blocking]) };
}

/** The outcome in a word, independent of options that change the exit code. */
function chooseOutcome({ plan, outcomes, refused, stale }: Applied, { request }: Context): string {
  const interrupted = request.signal?.aborted === true;
  const code = exitCode(runEnd({ problems: plan.problems, outcomes, refused, stale, interrupted }));
  const changes = plan.resource_changes;
  const ended = endWord(code) ?? (changes.length === 0 ? "in sync" : undefined);
  if (ended !== undefined) return ended;
  if (request.command === "apply") return outcomes ? "applied" : "not approved";
  if (request.command === "watch") return changes.some(({ cause }) => cause !== "pending") ? "drift" : "pending";
  return request.command === "drift" ? "drift" : "pending";
}
