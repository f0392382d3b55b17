import { counted } from "../base/text-format.ts";
import { addressParts } from "../model/address.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { Change, Problem } from "../model/types.ts";
import { requestsOf } from "../plan/requests.ts";
import { afterEarlierRuns, type Outcomes, type Target, type Watcher } from "./apply/apply.ts";
import { type AppliedWaves, applyInWaves, writeBatches } from "./apply/waves.ts";
import { missingSecrets } from "./connection.ts";
import type { Context } from "./context.ts";
import { withProblems } from "./failed-plan.ts";
import { inSyncRecorder, warnUnkept } from "./keep-results.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { fineGrained } from "./live/token-access.ts";
import { type ConnectedRun, inRun, type WritingRun } from "./open-run.ts";
import { newPlan } from "./plan.ts";
import { batchesOf, divideIntoWaves, type PreparedPlan, withApprovalObjections } from "./prepared-plan.ts";
import { reportUnfinishedRuns, startRecorder, warnPendingWrites } from "./recorder.ts";
import type { Applied, ApplyHooks, Planned, Rehearsed, Request } from "./request.ts";
import { savedPlan } from "./saved-plan.ts";
import { followMoves } from "./storage/follow-moves.ts";
import { moveSteps } from "./storage-moves.ts";
import { writeByWorkers } from "./workers/dispatcher.ts";

/**
 * Makes a plan, or reads the saved one, and checks guards and approvals; sends the writes if `approve` agrees. Holds
 * the workspace's lease, keeps a journal and updates the ledger.
 */
export function apply(request: Request, hooks: ApplyHooks): Promise<Applied> {
  return inRun("apply", request, async (run): Promise<Applied> => {
    const { notices, inFlight } = await reportUnfinishedRuns(run.context);
    const { ledger } = run.context;
    const prepared = await preparedPlan(run, ledger && inSyncRecorder(ledger));
    const planned = withProblems(prepared.planned, notices);
    const blocked = await blockedApply(run, prepared, planned);
    if (blocked) return await run.end(blocked);
    if (!(await hooks.approve(planned))) return await run.end(planned);
    return run.end(await writePlan(run, { ...prepared, planned }, inFlight, hooks));
  });
}

/** Returns the requests that {@link apply} would send, with the names of projects in place of IDs. Sends none: its client cannot write. */
export function rehearse(request: Request): Promise<Rehearsed> {
  return inRun("rehearse", request, async (run): Promise<Rehearsed> => {
    const { planned, refused, targets } = await preparedPlan(run);
    const { reader, context } = run;
    const { catalogue } = context.loaded.workspace;
    const withName = ({ projectId: _, ...change }: Change): Change => change;
    // Every change of the plan, storage moves last.
    const changes = await Promise.all(batchesOf(reader, context, targets).map((batch) => batch.steps()));
    const moved = await moveSteps(reader, context, planned.plan.resource_changes.filter(isMove));
    const steps = [...changes.flat(), ...moved.map((step) => ("move" in step ? step.move : step))];
    const settled = steps.flatMap((step) => ("outcome" in step ? [[step.address, step.outcome] as const] : []));
    const outcomes: Outcomes = new Map(settled);
    const requests = steps.flatMap((step) => ("change" in step ? requestsOf(withName(step.change), catalogue) : []));
    return { ...planned, refused, requests, ...(outcomes.size > 0 && { outcomes }) };
  });
}

async function preparedPlan(
  { reader, context, saved, dispatcher }: ConnectedRun,
  remember?: RefreshScope["remember"],
): Promise<PreparedPlan> {
  const prepared = saved
    ? await savedPlan(reader, context, saved)
    : await newPlan(reader, context, { dispatcher, ...(remember && { remember }) });
  return divideIntoWaves(await withApprovalObjections(prepared, context), context);
}

/** The end of an apply that must not write; undefined if it may. */
async function blockedApply(run: WritingRun, prepared: PreparedPlan, planned: Planned): Promise<Applied | undefined> {
  if (!planned.compared) return planned;
  if (prepared.refused.length > 0) return { ...planned, refused: prepared.refused };
  // Workers resolve secrets themselves, and report which they lack.
  const secrets = run.dispatcher ? [] : await missingSecrets(prepared.references, run.context);
  const errors = [...scopeLacking(run, planned), ...secrets];
  return errors.length > 0 ? withProblems(planned, errors) : undefined;
}

/** The problem of a token whose scopes allow no request of the plan; undefined if the server does not list them. */
function scopeLacking({ context, dispatcher }: WritingRun, { plan }: Planned): readonly Problem[] {
  const { tokenScopes: scopes } = context;
  // Workers write with their own tokens.
  if (!scopes || dispatcher || plan.summary.writes === 0 || scopes.includes("api") || scopes.includes(fineGrained))
    return [];
  const message = `the token may not write, so nothing was sent: it has the scope ${scopes.join(", ") || "(none)"}, and apply needs api`;
  return [{ severity: "error", rule: "token-scope", message }];
}

/** `inFlight`: addresses that an earlier run was sending when it was cut short. */
async function writePlan(
  { writer, context, connection, lease, dispatcher }: WritingRun,
  { planned, targets, waves }: PreparedPlan,
  inFlight: readonly string[],
  { watchers: listeners, around }: ApplyHooks,
): Promise<Applied> {
  const { concurrency: workers, request, meter } = context;
  const stopped = () => (request.signal?.aborted ? "the run was stopped" : lease.lost());
  const reached = new Set<string>();
  const counting: Watcher = {
    outcome: async ({ address }) => meter.reach(reached.add(addressParts(address)[0]).size),
  };
  await using recorder = await startRecorder(context, lease, planned, [...listeners, counting]);
  await using record = planned.plan.summary.writes > 0 ? await around?.({ connection, planned }) : undefined;
  const { watchers } = recorder;
  warnPendingWrites(context, planned.plan, inFlight);
  meter.begin("writing", targets.length, performance.now());
  const byWorkers = dispatcher && { dispatcher, context, writer, plan: planned.plan, inFlight, watchers, stopped };
  const known = afterEarlierRuns(inFlight, connection.requestTimeout, stopped);
  const options = { workers, watchers, stopped, known };
  const write = (each: readonly Target[], isWave: boolean) =>
    byWorkers
      ? writeByWorkers(byWorkers, each, isWave)
      : writeBatches(writer, batchesOf(writer, context, each), options, isWave);
  const inWaves = waves && (await applyInWaves(waves, { watchers, stopped }, (wave) => write(wave, true)));
  const written = inWaves ?? (await write(targets, false));
  const moves = planned.plan.resource_changes.filter(isMove);
  const skipped = inWaves?.halted && ({ status: "skipped", error: inWaves.halted } as const);
  const steps = skipped
    ? moves.map(({ address }) => ({ address, outcome: skipped }))
    : await moveSteps(writer, context, moves);
  const moved = await followMoves(writer, steps, { ...request, watchers });
  const outcomes = new Map([...written.outcomes, ...moved.outcomes]);
  await record?.end(outcomes);
  const problems = await recorder.end(outcomes);
  return withProblems({ ...planned, outcomes, ...(inWaves && { waves: inWaves.waves }) }, [
    ...(inWaves ? remainingWaves(inWaves, context) : []),
    ...moved.warnings,
    ...problems,
    ...warnUnkept(context.ledger, planned.plan, outcomes),
  ]);
}

function remainingWaves({ halted, waves }: AppliedWaves, { request }: Context): readonly Problem[] {
  const left = waves.filter(({ status }) => status === "not started").flatMap(({ projects }) => projects);
  if (halted === undefined || left.length === 0) return [];
  const again = request.again === undefined ? "" : `; to go on: ${request.again}`;
  const untouched = `${counted(left.length, "project")} of later waves ${left.length === 1 ? "is" : "are"} untouched`;
  return [{ severity: "error", rule: "waves", message: `${halted}; ${untouched}${again}` }];
}
