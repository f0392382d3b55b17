import { type ApplyOptions, applyChanges, type Outcomes } from "../apply/apply.ts";
import { afterEarlierRuns } from "../apply/earlier-writes.ts";
import type { Target } from "../apply/recheck.ts";
import { type AppliedWaves, applyInWaves, type PlanWave, type WrittenWave, writeAndCheck } from "../apply/waves.ts";
import { counted } from "../base/text-format.ts";
import type { Writer } from "../client/client.ts";
import type { Problem } from "../model/types.ts";
import type { Context } from "./context.ts";
import { withProblems } from "./failed-plan.ts";
import { counting } from "./history.ts";
import type { WritingRun } from "./open-run.ts";
import { batchesOf, type PreparedPlan } from "./prepared-plan.ts";
import { startRecorder, warnPendingWrites } from "./recorder.ts";
import type { Applied, ApplyHooks } from "./request.ts";
import { moveSteps, runMoves, skippedMoves } from "./storage-moves.ts";
import { warnUnkept } from "./update-ledger.ts";
import { writingBy } from "./workers.ts";

/** A plan that was approved. */
interface ApprovedPlan extends Pick<PreparedPlan, "planned" | "targets" | "waves" | "moves"> {
  /** Addresses that an earlier run was sending when it was cut short. */
  readonly inFlight: readonly string[];
}

/** Makes the changes of an approved plan, each recorded before and after its request, and reports their outcomes. */
export async function writePlan(
  { writer, context, connection, lease, dispatcher }: WritingRun,
  approved: ApprovedPlan,
  { watchers: listeners, around }: ApplyHooks,
): Promise<Applied> {
  const { planned, moves, inFlight } = approved;
  const { concurrency: workers, request } = context;
  const writes = planned.plan.summary.writes > 0;
  const stopped = () => (request.signal?.aborted ? "the run was stopped" : lease.lost());
  await using recorder = await startRecorder(context, lease, planned, [...listeners, counting(context)]);
  await using record = writes ? await around?.({ connection, planned }) : undefined;
  const { watchers } = recorder;
  warnPendingWrites(context, planned.plan, inFlight);
  const known = afterEarlierRuns(inFlight, connection.requestTimeout, stopped);
  context.meter.begin("writing", approved.targets.length, performance.now());
  const write = dispatcher
    ? writingBy({ dispatcher, context, writer, plan: planned.plan, inFlight, watchers, stopped })
    : writingHere(writer, context, { workers, watchers, stopped, known });
  const written = await writeChanges(context, approved, { watchers, stopped, write });
  const steps = written.halted ? skippedMoves(moves, written.halted) : await moveSteps(writer, context, moves);
  const moved = await runMoves(writer, steps, request, watchers);
  const outcomes = new Map([...written.outcomes, ...moved.outcomes]);
  await record?.end(outcomes);
  const problems = await recorder.end(outcomes);
  return withProblems({ ...planned, outcomes, ...(written.waves && { waves: written.waves }) }, [
    ...written.problems,
    ...moved.warnings,
    ...problems,
    ...warnUnkept(context.ledger, planned.plan, outcomes),
  ]);
}

/** The outcomes of the changes of a run; only a wave can halt it. */
interface WrittenChanges extends Pick<AppliedWaves, "halted"> {
  readonly outcomes: Outcomes;
  readonly waves?: readonly PlanWave[];
  readonly problems: readonly Problem[];
}

/** Makes the changes of these projects, as a wave or all at once. */
type WriteTargets = (targets: readonly Target[], isWave: boolean) => Promise<WrittenWave>;

function writingHere(writer: Writer, context: Context, options: ApplyOptions): WriteTargets {
  return async (targets, isWave) => {
    const batches = batchesOf(writer, context, targets);
    if (isWave) return writeAndCheck(writer, batches, options);
    return { outcomes: await applyChanges(writer, batches, options) };
  };
}

/** Makes the changes of all projects, wave by wave where there are waves. */
async function writeChanges(
  context: Context,
  { targets, waves }: Pick<PreparedPlan, "targets" | "waves">,
  { write, ...options }: Pick<ApplyOptions, "watchers" | "stopped"> & { readonly write: WriteTargets },
): Promise<WrittenChanges> {
  if (!waves) return { outcomes: (await write(targets, false)).outcomes, problems: [] };
  const applied = await applyInWaves(waves, { ...options, write: (wave) => write(wave, true) });
  return { ...applied, problems: remainingWaves(applied, context) };
}

/** The error of a run that ended before its last wave: what is left, and how to continue. */
function remainingWaves({ halted, waves }: AppliedWaves, { request }: Context): readonly Problem[] {
  const left = waves.filter(({ status }) => status === "not started").flatMap(({ projects }) => projects);
  if (halted === undefined || left.length === 0) return [];
  const again = request.again === undefined ? "" : `; to go on: ${request.again}`;
  const untouched = `${counted(left.length, "project")} of later waves ${left.length === 1 ? "is" : "are"} untouched`;
  return [{ severity: "error", rule: "waves", message: `${halted}; ${untouched}${again}` }];
}
