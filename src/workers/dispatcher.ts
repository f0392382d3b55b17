import type { WorkersStatus } from "../state/run-progress.ts";
import type { WorkerStore } from "../state/state.ts";
import type { Chunk } from "./chunks.ts";
import { Dispatch, type DispatchOptions, type ResultListener } from "./dispatch.ts";
import { join } from "./membership.ts";
import { openQueue } from "./queue.ts";
import { WorkerMonitor } from "./worker-census.ts";

/** Gives the chunks of a run to workers. Disposing takes back all that nobody has begun. */
export interface Dispatcher extends AsyncDisposable {
  /** Why nothing more is given out. */
  readonly stopped: () => string | undefined;
  /** Why the run may not write by itself any more: workers may have taken it for gone. */
  readonly lost: () => string | undefined;
  /** How many projects a chunk had best hold, of so many. */
  readonly chunkSize: (projects: number) => Promise<number>;
  /**
   * Gives chunks out. Resolves when all are done; when the run is stopped, when all are done that somebody has begun.
   * A rejection of `arrived` ends it.
   * @throws UserError where the state is away: then nobody knows what became of the rest.
   */
  readonly dispatch: (chunks: AsyncIterable<Chunk>, arrived: ResultListener) => Promise<void>;
  /** Every write that the run or a worker meant to send, with its outcome where that is known. @throws UserError where the state is away. */
  readonly intents: () => ReturnType<WorkerStore["intents"]>;
}

export interface DispatcherOptions extends DispatchOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds for which a process is believed to be there without a word of it. */
  readonly duration: number;
  /** Requests that this process sent so far. */
  readonly sent: () => number;
  /** Told now and then, and when all chunks are done, how the workers are. */
  readonly watch: (status: WorkersStatus) => void;
}

/** Opens the queue and tells workers that a run is there. @throws UserError where the queue cannot be used. */
export async function openDispatcher(options: DispatcherOptions): Promise<Dispatcher> {
  const { env, store, origin, common, duration } = options;
  const queue = await openQueue(env, origin);
  const membership = await join(store, { id: common.run, role: "run", origin }, duration);
  const census = new WorkerMonitor({ ...options, run: common.run, allowed: common.rateLimit });
  let stages = 0;
  return {
    stopped: options.stopped,
    lost: membership.lost,
    chunkSize: async (projects) => {
      const workers = await census.count();
      return Math.min(most, Math.max(least, Math.ceil(projects / (4 * Math.max(1, workers)))));
    },
    dispatch: (chunks, arrived) =>
      new Dispatch(options, { queue, membership, census }, `${++stages}`).run(chunks, arrived),
    intents: () => store.intents(common.run),
    [Symbol.asyncDispose]: async () => {
      await membership[Symbol.asyncDispose]();
      await store.forgetRun(common.run).catch(() => {});
      await queue[Symbol.asyncDispose]();
    },
  };
}

/** Projects of a chunk. */
const least = 50;
const most = 200;
