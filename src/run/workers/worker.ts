import { setTimeout as pause } from "node:timers/promises";
import { UnavailableError, UserError } from "../../base/exit.ts";
import { connectReader, connectWriter } from "../../client/client.ts";
import type { Claim } from "../../state/lease.ts";
import { openState, unshared } from "../../state/open-state.ts";
import { isShared, runLeases, type SharedState } from "../../state/state.ts";
import type { Loaded } from "../../workspace/load.ts";
import { connectionOf } from "../connection.ts";
import { type Context, loadedAt, openContext, validateWorkspace } from "../context.ts";
import type { Request } from "../request.ts";
import { withRules } from "../rules-in-force.ts";
import { performShard, type ShardProcess } from "../shard-work.ts";
import { openConsumer, type ShardJob } from "./queue.ts";
import { type HeldShard, ledgerKeyCheck, workOnShard } from "./work-on-shard.ts";

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
 * Works on shards of runs with the same manifests until it is stopped. If the state or the queue becomes unavailable
 * later, it waits until they are back, except with `once`. @throws UserError if they cannot be used at the start.
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

/** Milliseconds between requests to the queue, which show whether it is available. */
const queueInterval = 3000;

/** Milliseconds without a response of the queue; longer than for a state, which is reported first if both are unavailable. */
const queuePatience = 15_000;

/** @throws UnavailableError if the state or the queue becomes unavailable. */
async function workUntilUnavailable(options: WorkerOptions, onReady: () => void): Promise<void> {
  const { place, name, duration, signal, once, request } = options;
  await using state = await openSharedState(options);
  await using runs = openRuns(options);
  let failure: unknown;
  let hasWorked = false;
  const stopped = () => (signal.aborted || failure !== undefined ? "the worker was stopped" : undefined);
  const workOn = async (job: ShardJob): Promise<"done" | "requeue"> => {
    if (stopped() !== undefined) return "requeue";
    try {
      const end = await workOnShard(state, job, { ...options, perform: runs.perform, stopped });
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
  let [idleAt, askedAt, answeredAt] = [performance.now(), performance.now(), performance.now()];
  while (stopped() === undefined) {
    const active = await state.workers.holders(runLeases);
    const mayEnd = once !== undefined && active.length === 0;
    let isIdle: boolean | undefined;
    if (mayEnd || performance.now() - askedAt >= queueInterval) {
      askedAt = performance.now();
      isIdle = await unlessAborted(signal, consumer.isIdle()).catch((error): undefined => {
        if (performance.now() - answeredAt >= queuePatience) throw error;
      });
      if (isIdle !== undefined) answeredAt = performance.now();
    }
    if (!mayEnd || !isIdle) idleAt = performance.now();
    else if (hasWorked || performance.now() - idleAt >= once) break;
    await pause(pollInterval, undefined, { signal }).catch(() => {});
  }
  await consumer[Symbol.asyncDispose]();
  if (failure instanceof UserError) throw failure;
  if (failure !== undefined) throw new UserError(String(failure));
}

/** Returns undefined once the signal is aborted: an unavailable queue responds late, and the worker must stop soon. */
async function unlessAborted<Result>(signal: AbortSignal, result: Promise<Result>): Promise<Result | undefined> {
  let stop = () => {};
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    signal.addEventListener("abort", stop);
  });
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function openSharedState({ loaded, request: { env } }: Checkout): Promise<SharedState> {
  const state = await openState({ root: loaded.root, name: loaded.workspace.name, env });
  if (isShared(state)) return state;
  await state[Symbol.asyncDispose]();
  throw new UserError(unshared);
}

/** The context and the connection of a run. */
interface OpenRun extends AsyncDisposable {
  readonly run: string;
  readonly shardProcess: ShardProcess;
  /** True if its connection is closed, because the token was refused or the server is gone. */
  readonly isOver: () => boolean;
}

/** Performs shards, and keeps what they need open for one run at a time. */
function openRuns(checkout: Checkout) {
  let open: OpenRun | undefined;
  const close = async () => {
    await open?.[Symbol.asyncDispose]();
    open = undefined;
  };
  return {
    perform: async (shard: HeldShard) => {
      if (open?.run !== shard.job.run || open.isOver()) {
        await close();
        open = await openRun(checkout, shard);
      }
      return performShard(open.shardProcess, shard);
    },
    [Symbol.asyncDispose]: close,
  };
}

async function openRun({ loaded, request }: Checkout, { job, document }: HeldShard): Promise<OpenRun> {
  const { only, ...limits } = document.request;
  const asked = { ...request, ...limits, ...(only && { only: { addresses: new Set(only) } }) };
  const checked = await withRules(validateWorkspace(loadedAt(loaded, document.release), asked));
  const context = await openContext(checked);
  try {
    checkLedgerKey(context, document);
    const connection = { ...connectionOf(context), mayWrite: () => shardProcess.held?.lost() };
    const writer = document.token && (await connectWriter(connection));
    const reader = writer ?? (await connectReader(connection));
    const shardProcess: ShardProcess = { context, reader, writer };
    return {
      run: job.run,
      shardProcess,
      isOver: reader.isOver,
      [Symbol.asyncDispose]: async () => {
        await reader.close();
        await context[Symbol.asyncDispose]();
      },
    };
  } catch (error) {
    await context[Symbol.asyncDispose]();
    throw error;
  }
}

/** A worker with another key would record hashes that no later run can compare. */
function checkLedgerKey({ ledger }: Context, { ledgerKey }: HeldShard["document"]): void {
  if (ledgerKey === undefined || ledger?.hashed(ledgerKeyCheck) === ledgerKey) return;
  throw new UserError(
    "the worker has another key of the ledger; set the same EVENKEEL_LEDGER_KEY for runs and workers",
  );
}
