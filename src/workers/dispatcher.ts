import type { Outcome } from "../model/types.ts";
import { boundedName } from "../state/bounded-name.ts";
import type { WorkersStatus } from "../state/run-progress.ts";
import type { SealedBySenders, WorkerStore } from "../state/worker-store.ts";
import type { Chunk } from "./chunks.ts";
import { Dispatch, type DispatchOptions, type IndexedResult } from "./dispatch.ts";
import { join } from "./membership.ts";
import { openQueue } from "./queue.ts";
import type { SignedOutcomes } from "./signed-outcomes.ts";
import { WorkerMonitor } from "./worker-monitor.ts";

/** Dispatches the chunks of a run to workers. Disposing takes unstarted ones back. */
export interface Dispatcher extends AsyncDisposable {
  /** Why nothing more is dispatched. */
  readonly stopped: () => string | undefined;
  /** Why the run may no longer write itself: it missed heartbeats, and workers may have taken its writes over. */
  readonly lost: () => string | undefined;
  /** A good chunk size for this many projects. */
  readonly chunkSize: (projects: number) => Promise<number>;
  /**
   * Dispatches chunks and yields their results as they arrive; if the run is stopped, those of chunks that were started.
   * @throws UserError if the state is unavailable: then the outcome of the rest is unknown.
   */
  readonly dispatch: (chunks: AsyncIterable<Chunk>) => AsyncIterable<IndexedResult>;
  /** The writes that were claimed for the run, by address. @throws UserError if the state is unavailable. */
  readonly intents: () => Promise<(address: string) => Claimed | undefined>;
}

/** A write that was claimed, with its outcome if known. */
interface Claimed extends SealedBySenders {
  readonly outcome: Outcome | undefined;
}

export interface DispatcherOptions extends DispatchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly outcomes: SignedOutcomes;
  /** Milliseconds after its last heartbeat for which a process counts as alive. */
  readonly duration: number;
  /** Requests that this process has sent. */
  readonly sent: () => number;
  /** Called regularly, and at the end of a stage. */
  readonly watch: (status: WorkersStatus) => void;
}

/** Opens the queue and announces the run to workers. @throws UserError if the queue cannot be used. */
export async function openDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { env, store, key, common, duration } = options;
  const queue = await openQueue(env, key.place);
  const membership = await join(store, { id: common.run, role: "run", origin: key.place }, duration);
  const monitor = new WorkerMonitor({ ...options, run: common.run, allowed: common.rateLimit });
  let stages = 0;
  return {
    stopped: options.stopped,
    lost: membership.lost,
    chunkSize: async (projects) => {
      const workers = await monitor.count();
      return Math.min(maxSize, Math.max(minSize, Math.ceil(projects / (4 * Math.max(1, workers)))));
    },
    dispatch: (chunks) => new Dispatch(options, { queue, membership, monitor }, `${++stages}`).results(chunks),
    intents: async () => claimedIn(await store.intents(common.run), options.outcomes),
    [Symbol.asyncDispose]: async () => {
      await membership[Symbol.asyncDispose]();
      await store.forgetRun(common.run).catch(() => {});
      await queue[Symbol.asyncDispose]();
    },
  };
}

function claimedIn(intents: Awaited<ReturnType<WorkerStore["intents"]>>, outcomes: SignedOutcomes) {
  return (address: string): Claimed | undefined => {
    // A long address is stored by its hash.
    const { outcome, sealed } = intents.get(address) ?? intents.get(boundedName(address)) ?? {};
    return sealed && { outcome: outcome === undefined ? undefined : outcomes.read(address, outcome), sealed };
  };
}

/** Projects of a chunk. */
const minSize = 50;
const maxSize = 200;
