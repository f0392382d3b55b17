import { type ClientOptions, connectReader, connectWriter, type Reader, type Writer } from "../client/client.ts";
import { hasErrors } from "../manifest/validate.ts";
import type { Plan } from "../plan/plan.ts";
import type { Lease } from "../state/lease.ts";
import { connectionOf } from "./connection.ts";
import {
  atRelease,
  type Checked,
  type Context,
  leaseOf,
  openContext,
  refusedWorkspace,
  withTokenDetails,
} from "./context.ts";
import { failedPlan } from "./failed-plan.ts";
import { type EarlyEnd, type RunHistory, recordAtEnd, recordFromStart } from "./history.ts";
import { withApprovals } from "./prepared-plan.ts";
import { readyToRecord } from "./recorder.ts";
import type { Planned, Request } from "./request.ts";
import { openWorkspace } from "./revisions.ts";
import { withRules } from "./rules-in-force.ts";
import { requestedPlan } from "./saved-plan.ts";
import type { Dispatcher } from "./workers/dispatcher.ts";
import { dispatcherOf } from "./workers.ts";

/** The request and, once open, the context of a run: for the report and the record of a failure. */
export interface RunStart extends EarlyEnd {
  readonly request: Request;
  known?: Checked;
}

/** A run connected to its server and workers. Disposing closes everything. */
export interface ConnectedRun extends AsyncDisposable {
  readonly blocked?: undefined;
  readonly context: Context;
  readonly connection: ClientOptions;
  readonly reader: Reader;
  readonly dispatcher: Dispatcher | undefined;
  readonly end: RunHistory["end"];
}

export interface ApplyingRun extends ConnectedRun {
  /** The saved plan to apply; undefined to make a new one. */
  readonly saved: Plan | undefined;
}

/** A run that may write: it holds the lease of the workspace. */
export interface WritingRun extends ApplyingRun {
  readonly writer: Writer;
  readonly lease: Lease;
}

/** A run that cannot plan because its manifests have errors. */
export interface BlockedRun extends AsyncDisposable {
  readonly blocked: Planned;
}

/** Opens a run, does its work and closes it. Errors that end it early are reported, and recorded when it is closed. */
export async function inRun<Run extends AsyncDisposable & { readonly blocked?: undefined }, Result>(
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

/**
 * Opens a run that plans. @throws UserError for errors that users can correct; CallFailed if the server ends the run.
 */
export async function openPlanRun(start: RunStart): Promise<ConnectedRun | BlockedRun> {
  const ruled = await withRules(await openWorkspace(start.request));
  start.known = start.request.command === "plan" ? await withApprovals(ruled) : ruled;
  return openRun(start, start.known, async (context, opened) => {
    const { end } = opened.add(await recordAtEnd(context, start));
    const connection = connectionOf(context);
    const reader = opened.add(await connectReader(connection));
    return atServer(context, { connection, reader, end }, opened);
  });
}

/** Opens a run that rehearses an apply, and writes nothing. @throws as {@link openPlanRun}. */
export async function openRehearsalRun(start: RunStart): Promise<ApplyingRun | BlockedRun> {
  start.known = await withApprovals(await withRules(await openWorkspace(start.request)));
  return openRun(start, start.known, async (context, opened) => {
    const connection = connectionOf(context);
    const reader = opened.add(await connectReader(connection));
    const saved = await requestedPlan(context);
    return atServer(context, { connection, reader, saved, end: unrecorded }, opened);
  });
}

const unrecorded: RunHistory["end"] = async (result) => result;

/**
 * Opens a run that applies: takes the lease, and ensures that the run can be recorded. @throws as {@link openPlanRun}.
 */
export async function openApplyRun(start: RunStart): Promise<WritingRun | BlockedRun> {
  start.known = await withApprovals(await withRules(await openWorkspace(start.request)));
  return openRun(start, start.known, async (context, opened) => {
    start.request.connecting?.();
    const lease = opened.add(await leaseOf(context));
    await readyToRecord(context);
    const { end } = opened.add(await recordFromStart(context, start));
    let dispatcher: Dispatcher | undefined;
    const connection = { ...connectionOf(context), mayWrite: () => lease.lost() ?? dispatcher?.lost() };
    const writer = opened.add(await connectWriter(connection));
    const saved = await requestedPlan(context);
    const run = await atServer(context, { connection, reader: writer, writer, lease, saved, end }, opened);
    dispatcher = run.dispatcher;
    return run;
  });
}

type Connect<Run> = (context: Context, opened: OpenedResources) => Promise<Run | BlockedRun>;

/** Opens the state of a run and connects it, unless its manifests have errors. */
async function openRun<Run>(start: RunStart, checked: Checked, connect: Connect<Run>): Promise<Run | BlockedRun> {
  const opened = new OpenedResources();
  try {
    const mistaken = refusedWorkspace(checked);
    if (mistaken) return blockedRun(failedPlan(mistaken), opened);
    const context = opened.add(await openContext(checked));
    start.known = context;
    const blocked = refusedWorkspace(context);
    return blocked ? blockedRun(failedPlan(blocked), opened) : await connect(context, opened);
  } catch (error) {
    start.failure = error;
    await opened[Symbol.asyncDispose]();
    throw error;
  }
}

type Connected = Pick<ConnectedRun, "connection" | "reader" | "end"> & Partial<Pick<WritingRun, "writer" | "lease">>;

/** Sets the server's release, and connects the workers that the run requested. */
async function atServer<Own extends Connected>(context: Context, own: Own, opened: OpenedResources) {
  const released = await atRelease(own.reader, context);
  if (hasErrors(released.problems)) return blockedRun(await own.end(failedPlan(released)), opened);
  const current = await withTokenDetails(own.reader, released);
  const dispatcher = await dispatcherOf(current, own.connection, own);
  if (dispatcher) opened.add(dispatcher);
  return { ...own, context: current, dispatcher, blocked: undefined, ...disposing(opened) };
}

function blockedRun(blocked: Planned, opened: OpenedResources) {
  return { blocked, dispatcher: undefined, ...disposing(opened) };
}

function disposing(opened: OpenedResources): AsyncDisposable {
  return { [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}

/** The resources of a run, closed in reverse order. */
class OpenedResources implements AsyncDisposable {
  readonly #resources: AsyncDisposable[] = [];

  add<Resource extends AsyncDisposable>(resource: Resource): Resource {
    this.#resources.push(resource);
    return resource;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const resource = this.#resources.pop();
    if (!resource) return;
    try {
      await resource[Symbol.asyncDispose]();
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }
}
