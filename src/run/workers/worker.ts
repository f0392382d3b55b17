import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { connectReader, connectWriter } from "../../client/client.ts";
import { type Claim, runLeases } from "../../state/lease.ts";
import { openState, unshared } from "../../state/open-state.ts";
import type { Loaded } from "../../workspace/load.ts";
import { connectionOf } from "../connection.ts";
import { loadedAt, openContext } from "../context.ts";
import type { Request } from "../request.ts";
import { openWorkspace } from "../revisions.ts";
import { withRules } from "../rules-in-force.ts";
import { openConsumer, type ShardJob } from "./queue.ts";
import { ledgerKeyCheck, type RunDocument, type ShardProcess, workOnShard } from "./shard.ts";

interface Checkout {
  readonly loaded: Loaded;
  readonly request: Pick<Request, "folder" | "env" | "concurrency" | "patience"> & {
    readonly warn: (sentence: string) => void;
  };
}

export interface WorkerOptions extends Checkout {
  readonly claim: Claim;
  /** Identifies workspace and manifests. */
  readonly place: string;
  readonly name: string;
  /** Milliseconds without a renewal after which a worker counts as dead. */
  readonly duration: number;
  /** On abort, work in progress is finished and the rest returns to the queue. */
  readonly signal: AbortSignal;
  /** Exit after the first run, or after this many milliseconds without one; undefined: never. */
  readonly once: number | undefined;
}

/** Milliseconds between attempts to reconnect to the state and the queue. */
const reconnectInterval = 5000;

/**
 * Works on shards of runs with the same manifests until it is stopped. If the state becomes unavailable later, it waits
 * until it is back, except with `once`. @throws UserError if state or queue cannot be used at the start.
 */
export async function work(options: WorkerOptions): Promise<void> {
  const { signal, once, request } = options;
  let reported = "";
  for (let isReady = false; !signal.aborted; ) {
    try {
      return await workUntilUnavailable(options, () => {
        isReady = true;
        reported = "";
      });
    } catch (error) {
      if (!isReady || once !== undefined || !(error instanceof UnavailableError)) throw error;
      if (reported === "") request.warn(`${error.message}; waiting for it to come back`);
      reported = error.message;
      await pause(reconnectInterval, undefined, { signal }).catch(() => {});
    }
  }
}

/** Milliseconds. */
const pollInterval = 500;

/** @throws UnavailableError if the state becomes unavailable. */
async function workUntilUnavailable(options: WorkerOptions, onReady: () => void): Promise<void> {
  const { place, name, duration, signal, once, request } = options;
  const { root, workspace } = options.loaded;
  await using state = await openState({ root, name: workspace.name, env: request.env });
  if (!state.isShared) throw new UserError(unshared);
  await using runs = openRuns(options);
  let failure: unknown;
  let hasWorked = false;
  const stopped = () => (signal.aborted || failure !== undefined ? "the worker was stopped" : undefined);
  const workOn = async (job: ShardJob): Promise<"done" | "requeue"> => {
    if (stopped() !== undefined) return "requeue";
    try {
      const end = await workOnShard(state, job, { ...options, open: runs.open, stopped });
      if (end !== "held") return end;
      // The previous worker may hold the shard until its lease expires.
      await pause(pollInterval, undefined, { signal }).catch(() => {});
      return "requeue";
    } catch (error) {
      failure ??= error;
      return "requeue";
    } finally {
      hasWorked = true;
    }
  };
  await using consumer = await openConsumer(request.env, place, { lock: Math.max(duration, 5000), work: workOn });
  request.warn(`Ready to work for ${name}; interrupt to stop.`);
  onReady();
  let idleAt = performance.now();
  while (stopped() === undefined) {
    const active = await state.holders(runLeases);
    if (once === undefined || active.length > 0 || !(await consumer.isIdle())) idleAt = performance.now();
    else if (hasWorked || performance.now() - idleAt >= once) break;
    await pause(pollInterval, undefined, { signal }).catch(() => {});
  }
  await consumer[Symbol.asyncDispose]();
  if (failure instanceof UserError) throw failure;
  if (failure !== undefined) throw new UserError(String(failure));
}

/** A process that keeps open what it needs for one run. */
interface OpenRun extends ShardProcess, AsyncDisposable {
  readonly run: string;
  /** True if its connection is closed, because the token was refused or the server is gone. */
  readonly isOver: () => boolean;
}

function openRuns(checkout: Checkout) {
  let last: OpenRun | undefined;
  const close = async () => {
    await last?.[Symbol.asyncDispose]();
    last = undefined;
  };
  return {
    open: async (run: string, document: RunDocument): Promise<ShardProcess> => {
      if (last?.run === run && !last.isOver()) return last;
      await close();
      last = await openRun(checkout, run, document);
      return last;
    },
    [Symbol.asyncDispose]: close,
  };
}

async function openRun({ loaded, request }: Checkout, run: string, document: RunDocument): Promise<OpenRun> {
  const { only, ...limits } = document.request;
  const own = { loaded: loadedAt(loaded, document.release), ...(only && { only: { addresses: new Set(only) } }) };
  const context = await openContext(await withRules(await openWorkspace({ ...request, ...limits, ...own })));
  try {
    // A worker with another key would record hashes that no later run can compare.
    if (document.ledgerKey !== undefined && context.ledger?.hashed(ledgerKeyCheck) !== document.ledgerKey)
      throw new UserError(
        "the worker has another key of the ledger; set the same EVENKEEL_LEDGER_KEY for runs and workers",
      );
    const connection = { ...connectionOf(context), mayWrite: () => open.lost?.() };
    const writer = document.token && (await connectWriter(connection));
    const reader = writer ?? (await connectReader(connection));
    const close = () => reader.close().then(() => context[Symbol.asyncDispose]());
    const { isOver } = reader;
    const open: OpenRun = { run, context, reader, writer, isOver, [Symbol.asyncDispose]: close };
    return open;
  } catch (error) {
    await context[Symbol.asyncDispose]();
    throw error;
  }
}
