import { setTimeout as pause } from "node:timers/promises";
import { ignoreUserError, UserError } from "../base/exit.ts";
import { version } from "../base/version.ts";
import type { WorkerStore } from "../state/worker-store.ts";
import type { Chunk, ChunkResult, Work } from "./chunks.ts";
import type { Membership } from "./membership.ts";
import type { WorkQueue } from "./queue.ts";
import { sharedKeyWords, type WorkKey } from "./work-key.ts";
import { WorkerAvailability, type WorkerMonitor } from "./worker-monitor.ts";

/** The run whose chunks are dispatched. */
export interface DispatchOptions {
  readonly store: WorkerStore;
  readonly origin: string;
  readonly key: WorkKey;
  /** Common to all work of the run. */
  readonly common: Omit<Work, "version" | "made" | "part" | "traceparent" | "chunk">;
  /** Milliseconds to wait for workers before the run continues without them. */
  readonly patience: number;
  /** Why nothing more is dispatched. */
  readonly stopped: () => string | undefined;
  /** Prints a warning. */
  readonly say: (sentence: string) => void;
  /** Runs a chunk in this process. */
  readonly runHere: (chunk: Chunk, lost: () => string | undefined) => Promise<ChunkResult>;
}

/** How a run reaches its workers. */
export type WorkerAccess = {
  readonly queue: WorkQueue;
  readonly membership: Membership;
  readonly monitor: WorkerMonitor;
};

/** The result of a chunk, by the index of the chunk. */
export interface IndexedResult {
  readonly index: number;
  readonly result: ChunkResult;
}

const byItself = "the run continues without workers";
const pollInterval = 100;
/** Milliseconds after which the queue is asked whether it still has a chunk without a result. */
const overdue = 10_000;

/** A dispatched chunk without a result. */
interface Outstanding {
  readonly index: number;
  readonly chunk: Chunk;
  readonly text: string;
  /** When it was last known to be in the queue. */
  checked: number;
}

/** One stage of a run, from its first chunk to its last result. */
export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #queue: WorkQueue;
  readonly #membership: Membership;
  readonly #monitor: WorkerMonitor;
  readonly #availability: WorkerAvailability;
  readonly #name: string;
  /** By part. */
  readonly #outstanding = new Map<string, Outstanding>();
  /** Parts whose results the state may delete. */
  readonly #collected: string[] = [];
  /** Cancelled parts that no worker has. */
  readonly #dropped = new Set<string>();
  #next = 0;
  #isExhausted = false;
  #hasNoQueue = false;

  constructor(options: DispatchOptions, { queue, membership, monitor }: WorkerAccess, name: string) {
    this.#options = options;
    this.#queue = queue;
    this.#membership = membership;
    this.#monitor = monitor;
    this.#availability = new WorkerAvailability(monitor, options.patience);
    this.#name = name;
  }

  /** Dispatches chunks and yields each result as it arrives; once per stage. @throws UserError if the state is unavailable. */
  async *results(chunks: AsyncIterable<Chunk>): AsyncGenerator<IndexedResult, void> {
    const source = chunks[Symbol.asyncIterator]();
    try {
      for (;;) {
        await this.#updateAvailability();
        await this.#dispatchMore(source);
        if (this.#stopped()) await this.#cancel();
        if (this.#outstanding.size === 0 && (this.#isExhausted || this.#stopped())) break;
        const results = await this.#collect();
        yield* results;
        if (results.length === 0 && this.#isAlone && !this.#stopped()) yield* await this.#runOneHere();
        else if (results.length === 0) await pause(pollInterval);
        await this.#redispatchLost();
        if (this.#stopped() && (this.#isAlone || this.#availability.workers === 0)) return;
      }
      // The results are complete, so an unavailable state no longer matters.
      await this.#monitor.count().catch(ignoreUserError);
    } catch (error) {
      // Without the state no worker continues, so there is nothing to take back from the queue.
      if (error instanceof UserError) this.#hasNoQueue = true;
      throw error;
    } finally {
      await source.return?.();
      if (this.#outstanding.size > 0) await this.#cancel();
    }
  }

  #stopped(): string | undefined {
    return this.#options.stopped();
  }

  get #isAlone(): boolean {
    return this.#availability.isMissing || this.#hasNoQueue;
  }

  /** Enough that no worker is idle, and no more, because dispatched chunks become outdated. */
  async #dispatchMore(source: AsyncIterator<Chunk>): Promise<void> {
    const limit = 2 * Math.max(1, this.#availability.workers);
    while (!this.#isExhausted && !this.#stopped() && this.#outstanding.size < limit) {
      const { value: chunk, done } = await source.next();
      if (done) this.#isExhausted = true;
      else await this.#add(this.#next++, chunk);
    }
  }

  async #add(index: number, chunk: Chunk): Promise<void> {
    const part = `${this.#name}.${index}`;
    const { common, key } = this.#options;
    const made = new Date().toISOString();
    const text = key.sign(["work"], JSON.stringify({ version, made, part, chunk, ...common } satisfies Work));
    this.#outstanding.set(part, { index, chunk, text, checked: performance.now() });
    if (!this.#isAlone) await this.#tried(() => this.#queue.add(new Map([[this.#jobOf(part), text]])));
  }

  /** Must not contain a colon. */
  #jobOf(part: string): string {
    return `${this.#options.common.run}.${part}`;
  }

  /** If the queue becomes unavailable, the run continues without workers. */
  async #tried<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      if (!this.#isAlone) this.#options.say(`${error.message}; ${byItself}`);
      this.#hasNoQueue = true;
      return undefined;
    }
  }

  async #updateAvailability(): Promise<void> {
    const change = await this.#availability.update();
    const { origin, patience, say } = this.#options;
    const others = this.#monitor.hasOthers ? ` with this run's ${sharedKeyWords}` : "";
    if (change === "lost" && !this.#hasNoQueue)
      say(`no worker for ${origin}${others} for ${patience / 1000} s; ${byItself}`);
    if (change === "returned") await this.#redispatchAll();
  }

  async #redispatchAll(): Promise<void> {
    const texts = [...this.#outstanding].map(([part, { text }]) => [this.#jobOf(part), text] as const);
    await this.#tried(() => this.#queue.add(new Map(texts)));
  }

  async #collect(): Promise<readonly IndexedResult[]> {
    const { store, common, key } = this.#options;
    const results = await store.collectResults(common.run, this.#collected.splice(0));
    return [...results].flatMap(([part, signed]) => {
      this.#collected.push(part);
      const text = key.open(["result", common.workspace, common.run, part], signed);
      // Its chunk is dispatched again.
      if (text === undefined) return [];
      const done = this.#outstanding.get(part);
      this.#outstanding.delete(part);
      return done ? [{ index: done.index, result: JSON.parse(text) }] : [];
    });
  }

  async #runOneHere(): Promise<readonly IndexedResult[]> {
    const [first] = this.#outstanding;
    if (!first) return [];
    const [part, { index, chunk }] = first;
    await this.#tried(() => this.#queue.remove(this.#jobOf(part)));
    const result = await this.#options.runHere(chunk, this.#membership.lost);
    this.#outstanding.delete(part);
    return [{ index, result }];
  }

  /** Queues may lose jobs; those are dispatched again. */
  async #redispatchLost(): Promise<void> {
    const now = performance.now();
    for (const [part, given] of this.#outstanding) {
      if (this.#isAlone || this.#stopped() || now - given.checked < overdue) continue;
      given.checked = now;
      const job = this.#jobOf(part);
      const isThere = await this.#tried(() => this.#queue.has(job));
      if (isThere === false) await this.#tried(() => this.#queue.add(new Map([[job, given.text]])));
    }
  }

  /**
   * Workers that no longer find the run finish their requests in flight. A worker that had not started its chunk leaves
   * no result, so a chunk that the queue no longer has is abandoned once results were collected again.
   */
  async #cancel(): Promise<void> {
    await this.#membership[Symbol.asyncDispose]();
    for (const part of [...this.#outstanding.keys()]) {
      const job = this.#jobOf(part);
      const isBack = this.#isAlone || this.#dropped.has(part) || (await this.#tried(() => this.#queue.remove(job)));
      if (isBack) this.#outstanding.delete(part);
      else if ((await this.#tried(() => this.#queue.has(job))) === false) this.#dropped.add(part);
    }
  }
}
