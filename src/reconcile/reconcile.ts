import { afterEarlierRuns } from "../apply/earlier-writes.ts";
import { type ClientOptions, connectReader, connectWriter, type Reader, type Writer } from "../client/client.ts";
import { inSpan } from "../client/spans.ts";
import { refresh, select } from "../live/survey.ts";
import { hasErrors } from "../manifest/validate.ts";
import type { Project } from "../model/types.ts";
import { checkGuards } from "../plan/guards.ts";
import { checkLoosening } from "../plan/loosening.ts";
import { callOf } from "../plan/make-plan.ts";
import type { Plan } from "../plan/plan.ts";
import type { Lease } from "../state/lease.ts";
import { keepProjects } from "../state/project-list.ts";
import type { Dispatcher } from "../workers/dispatcher.ts";
import { applyingBy } from "./apply-by-workers.ts";
import { withApprovalObjections, withApprovals } from "./approvals.ts";
import { batchesOf, inItsWaves, writeChanges } from "./batches.ts";
import { connectionOf } from "./connection.ts";
import { type Checked, type Context, leaseOf, openContext } from "./context.ts";
import { applying, counting, looking } from "./history.ts";
import { notPlanned, withProblems } from "./not-planned.ts";
import {
  documentOf,
  missingSecrets,
  neededBy,
  type Prepared,
  preparedOf,
  secretsToCompare,
  sinceOf,
  unreadPlan,
} from "./prepared.ts";
import { namesForPlan } from "./project-names.ts";
import { readBy } from "./read-by-workers.ts";
import { readyToRecord, reportUnfinishedRuns, startRecorder, warnPendingWrites } from "./recorder.ts";
import type { Applied, ApplyHooks, Planned, Rehearsed, Request } from "./request.ts";
import { openWorkspace } from "./revisions.ts";
import { withRuleObjections, withRules } from "./rules.ts";
import { requestedPlan, savedPlan } from "./saved-plan.ts";
import { guardRules, idleCanaries, idleProtection, scopeOf } from "./scope.ts";
import { atRelease, isRefused } from "./server-release.ts";
import { moveSteps, movesOf, runMoves, skippedMoves } from "./storage-moves.ts";
import { forgotten } from "./update-ledger.ts";
import { dispatcherOf } from "./workers.ts";

/**
 * open, validate, select, read, diff, judge, plan. Sends GET requests only: its client has no way to write. What a
 * person can mend is not thrown: it stands in `plan.problems`.
 */
export async function plan(request: Request): Promise<Planned> {
  let known: Checked | undefined;
  try {
    known = await withRules(await openWorkspace(request));
    if (isRefused(known)) return notPlanned(known);
    await using context = await openContext(known);
    known = context;
    if (isRefused(context)) return notPlanned(context);
    await using history = await looking(context);
    const connection = connectionOf(context);
    await using reader = await connectReader(connection);
    const current = await atRelease(reader, context);
    if (hasErrors(current.problems)) return await history.end(notPlanned(current));
    await using dispatcher = await dispatcherOf(current, connection, { reader });
    const { planned } = await newPlan(reader, current, dispatcher);
    return await history.end(planned);
  } catch (error) {
    return notPlanned(known, error);
  }
}

/** select, read, diff, judge, plan. @throws CallFailed where it ends the run. */
async function newPlan(reader: Reader, context: Context, dispatcher?: Dispatcher): Promise<Prepared> {
  const scope = readBy(dispatcher, scopeOf(context));
  const selection = await inSpan("select", {}, () => select(reader, scope));
  const { desired, problems } = selection;
  await keepListing(context, selection.listing);
  const since = sinceOf(context, selection);
  if (hasErrors(problems))
    return preparedOf(context, unreadPlan(context, since, problems, reader.counts.reads), desired);
  const uncompared = await secretsToCompare(context, desired);
  context.meter.begin("reading", desired.length, performance.now());
  const { differences, lookUps, delegatedReads, ...read } = await inSpan(
    "read",
    { "evenkeel.run": context.claim.run },
    () => refresh(reader, selection, scope),
  );
  const named = await namesForPlan(reader, context, desired, differences);
  const { moves, ...storage } = await movesOf(reader, context);
  const changes = differences.flatMap((difference) => difference.changes);
  const loosening = context.request.failOnLoosening ? checkLoosening(changes) : [];
  const objections = [...checkGuards(differences, guardRules(context, desired)), ...storage.objections, ...loosening];
  const unjudged = documentOf(context, since, {
    differences,
    projects: named.projects,
    moves: moves.map(({ change }) => change),
    objections,
    problems: [
      ...idleProtection(context, desired),
      ...idleCanaries(context, desired),
      ...problems,
      ...uncompared,
      ...read.problems,
      ...storage.problems,
    ],
    reads: reader.counts.reads - lookUps - named.lookUps + delegatedReads,
  });
  const document = withRuleObjections(unjudged, context, desired);
  const missing = context.secrets.missing(neededBy(differences));
  return preparedOf(context, { plan: document, differences, moves, compared: true, missing }, desired);
}

/** For runs that have no server to ask. */
async function keepListing({ state, heading }: Context, projects: readonly Project[] | undefined): Promise<void> {
  if (projects) await keepProjects(state.notes, { server: heading.url, at: new Date(), projects });
}

/** The requests that {@link apply} would send now; none is sent, for the client has no way to. */
export async function rehearse(request: Request): Promise<Rehearsed> {
  let known: Checked | undefined;
  try {
    known = withApprovals(await withRules(await openWorkspace(request)));
    if (isRefused(known)) return notPlanned(known);
    await using context = await openContext(known);
    known = context;
    if (isRefused(context)) return notPlanned(context);
    const connection = connectionOf(context);
    await using reader = await connectReader(connection);
    const saved = await requestedPlan(context);
    const current = await atRelease(reader, context);
    if (hasErrors(current.problems)) return notPlanned(current);
    await using dispatcher = await dispatcherOf(current, connection, { reader });
    const { planned, refused, targets, moves, stale = [] } = await prepared(reader, current, saved, dispatcher);
    const changes = await Promise.all(batchesOf(reader, current, targets).map((batch) => batch.steps()));
    const moved = await moveSteps(reader, current, moves);
    const steps = [...changes.flat(), ...moved.map((step) => ("move" in step ? step.move : step))];
    const settled = steps.flatMap((step) => ("outcome" in step ? [[step.address, step.outcome] as const] : []));
    const outcomes = new Map([...stale, ...settled]);
    const requests = steps.flatMap((step) => ("change" in step ? [callOf(step.change)] : []));
    return { ...planned, refused, requests, ...(outcomes.size > 0 && { outcomes }) };
  } catch (error) {
    return notPlanned(known, error);
  }
}

/** Of a saved plan, or else of a new one. */
async function prepared(reader: Reader, context: Context, saved?: Plan, dispatcher?: Dispatcher): Promise<Prepared> {
  const found = saved ? await savedPlan(reader, context, saved) : await newPlan(reader, context, dispatcher);
  return inItsWaves(await withApprovalObjections(found, context), context);
}

/**
 * All of {@link plan}, or a saved plan; then guards, approval, writes and report: where no guard objects and `approve`
 * agrees, the writes. Holds the workspace's lease meanwhile, journals what it does, and remembers in the ledger what it
 * left.
 */
export async function apply(request: Request, hooks: ApplyHooks): Promise<Applied> {
  let known: Checked | undefined;
  try {
    known = withApprovals(await withRules(await openWorkspace(request)));
    if (isRefused(known)) return notPlanned(known);
    await using context = await openContext(known);
    known = context;
    if (isRefused(context)) return notPlanned(context);
    request.connecting?.();
    await using lease = await leaseOf(context);
    readyToRecord(context);
    await using history = await applying(context);
    const connection = { ...connectionOf(context), mayWrite: () => lease.lost() ?? dispatcher?.lost() };
    await using writer = await connectWriter(connection);
    const saved = await requestedPlan(context);
    const current = await atRelease(writer, context);
    if (hasErrors(current.problems)) return await history.end(notPlanned(current));
    await using dispatcher = await dispatcherOf(current, connection, { reader: writer, writer, lease });
    const { notices, inFlight } = await reportUnfinishedRuns(current);
    const { planned: found, refused, ...rest } = await prepared(writer, current, saved, dispatcher);
    const planned = withProblems(found, notices);
    if (!planned.compared) return await history.end(planned);
    if (refused.length > 0) return await history.end({ ...planned, refused });
    if (rest.stale) return await history.end({ ...planned, outcomes: rest.stale });
    // Workers have secrets of their own, and tell which they lack.
    const missing = dispatcher ? [] : await missingSecrets(rest.references, current);
    if (missing.length > 0) return await history.end(withProblems(planned, missing));
    if (!(await inSpan("approve", {}, () => hooks.approve(planned)))) return await history.end(planned);
    const work = { ...rest, planned, connection, lease, dispatcher, inFlight };
    return await history.end(await writeApproved(writer, current, work, hooks));
  } catch (error) {
    return notPlanned(known, error);
  }
}

type Approved = Pick<Prepared, "planned" | "targets" | "waves" | "moves"> & {
  readonly connection: ClientOptions;
  readonly lease: Lease;
  readonly dispatcher: Dispatcher | undefined;
  /** Addresses that an earlier run was sending when it was cut short. */
  readonly inFlight: readonly string[];
};

/** The writes of a plan that was approved, each recorded before and after, and the report of what became of them. */
async function writeApproved(
  writer: Writer,
  context: Context,
  approved: Approved,
  { watchers: listeners, around }: ApplyHooks,
): Promise<Applied> {
  const { planned, moves, connection, lease, dispatcher, inFlight } = approved;
  const { concurrency: workers, request } = context;
  const writes = planned.plan.summary.writes > 0;
  const stopped = () => (request.signal?.aborted ? "the run was stopped" : lease.lost());
  await using recorder = await startRecorder(context, lease, planned, [...listeners, counting(context)]);
  await using record = writes ? await around?.({ connection, planned }) : undefined;
  const { watchers } = recorder;
  warnPendingWrites(context, planned.plan, inFlight);
  const delegate = dispatcher && applyingBy(dispatcher, context, lease, inFlight);
  const known = afterEarlierRuns(inFlight, connection.requestTimeout, stopped);
  context.meter.begin("writing", approved.targets.length, performance.now());
  const written = await inSpan("write", { "evenkeel.run": context.claim.run }, () =>
    writeChanges(writer, context, approved, { workers, watchers, stopped, known, delegate }),
  );
  const steps = written.halted ? skippedMoves(moves, written.halted) : await moveSteps(writer, context, moves);
  const moved = await runMoves(writer, steps, request, watchers);
  const outcomes = new Map([...written.outcomes, ...moved.outcomes]);
  await record?.end(outcomes);
  const problems = await recorder.end(outcomes);
  return withProblems({ ...planned, outcomes, ...(written.waves && { waves: written.waves }) }, [
    ...written.problems,
    ...moved.warnings,
    ...problems,
    ...forgotten(context.ledger, planned.plan, outcomes),
  ]);
}
