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
import { type EarlyEnd, openHistory, type RunHistory } from "./history.ts";
import { withApprovals } from "./prepared-plan.ts";
import { readyToRecord } from "./recorder.ts";
import type { Planned, Request } from "./request.ts";
import { openWorkspace } from "./revisions.ts";
import { withRules } from "./rules-in-force.ts";
import { requestedPlan } from "./saved-plan.ts";
import { type Dispatcher, openDispatcher } from "./workers/dispatcher.ts";

/** A run connected to its server and workers. */
export interface ConnectedRun {
  readonly context: Context;
  readonly connection: ClientOptions;
  readonly reader: Reader;
  readonly dispatcher: Dispatcher | undefined;
  /** The saved plan to apply; undefined to make a new one. */
  readonly saved: Plan | undefined;
  readonly end: RunHistory["end"];
}

/** A run that may write: it holds the lease of the workspace. */
export interface WritingRun extends ConnectedRun {
  readonly writer: Writer;
  readonly lease: Lease;
}

/** A rehearsal of an apply records nothing. Only an apply takes the lease, and ensures that it can be recorded. */
interface Runs {
  readonly plan: ConnectedRun;
  readonly rehearse: ConnectedRun;
  readonly apply: WritingRun;
}

interface RunStart extends EarlyEnd {
  readonly request: Request;
  /** The context, as far as it is known, for the report and the record of a failure. */
  context?: Checked;
}

/**
 * Opens a run, does its work and closes it. Errors that end it early are reported, and recorded when it is closed; so
 * is a workspace with errors, whose run cannot plan.
 */
export async function inRun<Mode extends keyof Runs, Result>(
  mode: Mode,
  request: Request,
  work: (run: Runs[Mode]) => Promise<Result>,
): Promise<Result | Planned> {
  const start: RunStart = { request };
  try {
    await using opened = new OpenedResources();
    try {
      const run = await openRun(start, mode, opened);
      return "plan" in run ? run : await work(run as Runs[Mode]);
    } catch (error) {
      start.failure = error;
      throw error;
    }
  } catch (error) {
    const failed = failedPlan(start.context, error);
    return start.recorded ? { ...failed, recorded: start.recorded } : failed;
  }
}

/** @throws UserError for errors that users can correct; CallFailed if the server ends the run. */
async function openRun(start: RunStart, mode: keyof Runs, opened: OpenedResources): Promise<ConnectedRun | Planned> {
  const { request } = start;
  const ruled = await withRules(await openWorkspace(request));
  const checked = mode === "plan" && request.command !== "plan" ? ruled : await withApprovals(ruled);
  start.context = checked;
  const mistaken = refusedWorkspace(checked);
  if (mistaken) return failedPlan(mistaken);
  const context = opened.add(await openContext(checked));
  start.context = context;
  const refused = refusedWorkspace(context);
  return refused ? failedPlan(refused) : connect(start, mode, context, opened);
}

async function connect(
  start: RunStart,
  mode: keyof Runs,
  context: Context,
  opened: OpenedResources,
): Promise<ConnectedRun | Planned> {
  const isApply = mode === "apply";
  if (isApply) start.request.connecting?.();
  const lease = isApply ? opened.add(await leaseOf(context)) : undefined;
  if (isApply) await readyToRecord(context);
  const history = mode !== "rehearse" && opened.add(await openHistory(context, start, isApply));
  const end: RunHistory["end"] = history ? history.end : async (result) => result;
  let dispatcher: Dispatcher | undefined;
  const connection = { ...connectionOf(context), ...(lease && { mayWrite: () => lease.lost() ?? dispatcher?.lost() }) };
  const writer = isApply ? opened.add(await connectWriter(connection)) : undefined;
  const reader = writer ?? opened.add(await connectReader(connection));
  const saved = await requestedPlan(context);
  const released = await atRelease(reader, context);
  if (hasErrors(released.problems)) return end(failedPlan(released));
  const current = await withTokenDetails(reader, released);
  dispatcher = await openDispatcher(current, connection, { reader, writer, lease });
  if (dispatcher) opened.add(dispatcher);
  const run = { context: current, connection, reader, writer, lease, dispatcher, saved, end };
  return run;
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
