import type { Outcomes } from "../apply/apply.ts";
import type { RefreshScope } from "../live/refresh-scope.ts";
import type { Problem } from "../model/types.ts";
import { callsOf } from "../plan/requests.ts";
import { withApprovalObjections } from "./approvals.ts";
import { failedPlan, withProblems } from "./failed-plan.ts";
import { newPlan } from "./new-plan.ts";
import {
  type ApplyingRun,
  type BlockedRun,
  openApplyRun,
  openPlanRun,
  openRehearsalRun,
  type RunStart,
  type WritingRun,
} from "./open-run.ts";
import { batchesOf, divideIntoWaves, type PreparedPlan } from "./prepared-plan.ts";
import { reportUnfinishedRuns } from "./recorder.ts";
import type { Applied, ApplyHooks, Planned, Rehearsed, Request } from "./request.ts";
import { missingSecrets } from "./run-secrets.ts";
import { savedPlan } from "./saved-plan.ts";
import { moveSteps } from "./storage-moves.ts";
import { inSyncRecorder } from "./update-ledger.ts";
import { writePlan } from "./write-plan.ts";

/**
 * open, validate, select, read, diff, check, plan. Sends GET requests only: its client cannot write. What a person can
 * correct is not thrown but reported in `plan.problems`.
 */
export function plan(request: Request): Promise<Planned> {
  return inRun(openPlanRun, request, async (run) => {
    const found = await newPlan(run.reader, run.context, run);
    const { planned } = await withApprovalObjections(found, run.context);
    return run.end(planned);
  });
}

/** Opens a run, does its work and closes it. What ends it early is reported, and known to its record as it is closed. */
async function inRun<Run extends AsyncDisposable & { readonly blocked?: undefined }, Result>(
  open: (start: RunStart) => Promise<Run | BlockedRun>,
  request: Request,
  work: (run: Run) => Promise<Result>,
): Promise<Result | Planned> {
  const start: RunStart = { request };
  try {
    await using run = await open(start);
    if (run.blocked) return run.blocked;
    return await work(run).catch((error) => {
      start.failure = error;
      throw error;
    });
  } catch (error) {
    const failed = failedPlan(start.known, error);
    return start.recorded ? { ...failed, recorded: start.recorded } : failed;
  }
}

/** The requests that {@link apply} would send now; none is sent, because the client cannot write. */
export function rehearse(request: Request): Promise<Rehearsed> {
  return inRun(openRehearsalRun, request, async (run): Promise<Rehearsed> => {
    const { planned, refused, stale, ...prepared } = await preparedPlan(run);
    const steps = await stepsOf(run, prepared);
    const settled = steps.flatMap((step) => ("outcome" in step ? [[step.address, step.outcome] as const] : []));
    const outcomes: Outcomes = new Map([...(stale ?? []), ...settled]);
    const requests = steps.flatMap((step) =>
      "change" in step ? callsOf(step.change, run.context.loaded.workspace.catalogue) : [],
    );
    return { ...planned, refused, requests, ...(outcomes.size > 0 && { outcomes }) };
  });
}

/** A new plan, or the saved one of the request, with the approvals it lacks and its waves. */
async function preparedPlan(
  { reader, context, saved, dispatcher }: ApplyingRun,
  remember?: RefreshScope["remember"],
): Promise<PreparedPlan> {
  const found = saved
    ? await savedPlan(reader, context, saved)
    : await newPlan(reader, context, { dispatcher, ...(remember && { remember }) });
  return divideIntoWaves(await withApprovalObjections(found, context), context);
}

/** Every change of a plan, storage moves last. */
async function stepsOf({ reader, context }: ApplyingRun, { targets, moves }: Pick<PreparedPlan, "targets" | "moves">) {
  const changes = await Promise.all(batchesOf(reader, context, targets).map((batch) => batch.steps()));
  const moved = await moveSteps(reader, context, moves);
  return [...changes.flat(), ...moved.map((step) => ("move" in step ? step.move : step))];
}

/**
 * All of {@link plan}, or a saved plan; then guards, approval, writes and report: where no guard objects and `approve`
 * agrees, the writes. Holds the lease of the workspace meanwhile, journals what it does, and updates the ledger.
 */
export function apply(request: Request, hooks: ApplyHooks): Promise<Applied> {
  return inRun(openApplyRun, request, async (run): Promise<Applied> => {
    const { notices, inFlight } = await reportUnfinishedRuns(run.context);
    const { ledger } = run.context;
    const prepared = await preparedPlan(run, ledger && inSyncRecorder(ledger));
    const planned = withProblems(prepared.planned, notices);
    const blocked = blockedApply(planned, prepared) ?? withErrors(planned, await secretsLacking(run, prepared));
    if (blocked) return await run.end(blocked);
    if (!(await hooks.approve(planned))) return await run.end(planned);
    return run.end(await writePlan(run, { ...prepared, planned, inFlight }, hooks));
  });
}

/** What an apply comes to that may not write; undefined where it may. */
function blockedApply(planned: Planned, { refused, stale }: PreparedPlan): Applied | undefined {
  if (!planned.compared) return planned;
  if (refused.length > 0) return { ...planned, refused };
  return stale && { ...planned, outcomes: stale };
}

/** Workers resolve secrets themselves, and report which they lack. */
async function secretsLacking({ dispatcher, context }: WritingRun, prepared: PreparedPlan): Promise<Problem[]> {
  return dispatcher ? [] : missingSecrets(prepared.references, context);
}

function withErrors(planned: Planned, errors: readonly Problem[]): Planned | undefined {
  return errors.length > 0 ? withProblems(planned, errors) : undefined;
}
