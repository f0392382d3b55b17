import { counted } from "../base/text-format.ts";
import type { Change, Problem } from "../model/types.ts";
import { requestsOf } from "../plan/requests.ts";
import { afterEarlierRuns, type Outcomes, type Target } from "./apply/apply.ts";
import { type AppliedWaves, applyInWaves, writeBatches } from "./apply/waves.ts";
import { missingSecrets } from "./connection.ts";
import type { Context } from "./context.ts";
import { withProblems } from "./failed-plan.ts";
import { counting } from "./history.ts";
import { inSyncRecorder, warnUnkept } from "./keep-results.ts";
import type { RefreshScope } from "./live/refresh-scope.ts";
import { fineGrained } from "./live/token-access.ts";
import { type ConnectedRun, inRun, type WritingRun } from "./open-run.ts";
import { newPlan } from "./plan.ts";
import { batchesOf, divideIntoWaves, type PreparedPlan, withApprovalObjections } from "./prepared-plan.ts";
import { reportUnfinishedRuns, startRecorder, warnPendingWrites } from "./recorder.ts";
import type { Applied, ApplyHooks, Planned, Rehearsed, Request } from "./request.ts";
import { savedPlan } from "./saved-plan.ts";
import { moveSteps, runMoves, skippedMoves } from "./storage-moves.ts";
import { writeByWorkers } from "./workers.ts";

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
    const blocked =
      blockedApply(planned, prepared) ??
      withErrors(planned, [...scopeLacking(run, planned), ...(await secretsLacking(run, prepared))]);
    if (blocked) return await run.end(blocked);
    if (!(await hooks.approve(planned))) return await run.end(planned);
    return run.end(await writePlan(run, { ...prepared, planned, inFlight }, hooks));
  });
}

/** Returns the requests that {@link apply} would send, with the names of projects in place of IDs. Sends none: its client cannot write. */
export function rehearse(request: Request): Promise<Rehearsed> {
  return inRun("rehearse", request, async (run): Promise<Rehearsed> => {
    const { planned, refused, ...prepared } = await preparedPlan(run);
    const steps = await listSteps(run, prepared);
    const settled = steps.flatMap((step) => ("outcome" in step ? [[step.address, step.outcome] as const] : []));
    const outcomes: Outcomes = new Map(settled);
    const requests = steps.flatMap((step) =>
      "change" in step ? requestsOf(withName(step.change), run.context.loaded.workspace.catalogue) : [],
    );
    return { ...planned, refused, requests, ...(outcomes.size > 0 && { outcomes }) };
  });
}

function withName({ projectId: _, ...change }: Change): Change {
  return change;
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

/** Every change of a plan, storage moves last. */
async function listSteps(
  { reader, context }: ConnectedRun,
  { targets, moves }: Pick<PreparedPlan, "targets" | "moves">,
) {
  const changes = await Promise.all(batchesOf(reader, context, targets).map((batch) => batch.steps()));
  const moved = await moveSteps(reader, context, moves);
  return [...changes.flat(), ...moved.map((step) => ("move" in step ? step.move : step))];
}

function blockedApply(planned: Planned, { refused }: PreparedPlan): Applied | undefined {
  if (!planned.compared) return planned;
  return refused.length > 0 ? { ...planned, refused } : undefined;
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

/** Empty with workers: they resolve secrets themselves, and report which they lack. */
async function secretsLacking({ dispatcher, context }: WritingRun, prepared: PreparedPlan): Promise<Problem[]> {
  return dispatcher ? [] : missingSecrets(prepared.references, context);
}

function withErrors(planned: Planned, errors: readonly Problem[]): Planned | undefined {
  return errors.length > 0 ? withProblems(planned, errors) : undefined;
}

interface ApprovedPlan extends Pick<PreparedPlan, "planned" | "targets" | "waves" | "moves"> {
  /** Addresses that an earlier run was sending when it was cut short. */
  readonly inFlight: readonly string[];
}

async function writePlan(
  { writer, context, connection, lease, dispatcher }: WritingRun,
  approved: ApprovedPlan,
  { watchers: listeners, around }: ApplyHooks,
): Promise<Applied> {
  const { planned, targets, waves, moves, inFlight } = approved;
  const { concurrency: workers, request } = context;
  const writes = planned.plan.summary.writes > 0;
  const stopped = () => (request.signal?.aborted ? "the run was stopped" : lease.lost());
  await using recorder = await startRecorder(context, lease, planned, [...listeners, counting(context)]);
  await using record = writes ? await around?.({ connection, planned }) : undefined;
  const { watchers } = recorder;
  warnPendingWrites(context, planned.plan, inFlight);
  const afterEarlier = afterEarlierRuns(inFlight, connection.requestTimeout, stopped);
  context.meter.begin("writing", targets.length, performance.now());
  const byWorkers = dispatcher && { dispatcher, context, writer, plan: planned.plan, inFlight, watchers, stopped };
  const options = { workers, watchers, stopped, known: afterEarlier };
  const write = (each: readonly Target[], isWave: boolean) =>
    byWorkers
      ? writeByWorkers(byWorkers, each, isWave)
      : writeBatches(writer, batchesOf(writer, context, each), options, isWave);
  const inWaves = waves && (await applyInWaves(waves, { watchers, stopped, write: (wave) => write(wave, true) }));
  const written = inWaves ?? (await write(targets, false));
  const steps = inWaves?.halted ? skippedMoves(moves, inWaves.halted) : await moveSteps(writer, context, moves);
  const moved = await runMoves(writer, steps, request, watchers);
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
