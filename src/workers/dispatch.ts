import { setTimeout as pause } from "node:timers/promises";
import { UserError } from "../base/exit.ts";
import { version } from "../base/version.ts";
import { currentTraceparent } from "../client/spans.ts";
import type { WorkerStore } from "../state/state.ts";
import type { Chunk, ChunkResult, Work } from "./chunks.ts";
import type { Membership } from "./membership.ts";
import type { WorkQueue } from "./queue.ts";
import type { WorkerMonitor } from "./worker-census.ts";

/** What a dispatch knows of the run whose chunks it gives out. */
export interface DispatchOptions {
  readonly store: WorkerStore;
  readonly origin: string;
  /** What all work of the run has in common. */
  readonly common: Pick<Work, "workspace" | "run" | "requestTimeout" | "allowInsecure" | "dialect" | "rateLimit">;
  /** Milliseconds to wait for workers before the run goes on by itself. */
  readonly patience: number;
  /** Why nothing more is given out. */
  readonly stopped: () => string | undefined;
  /** Told in a sentence what a person should know. */
  readonly say: (sentence: string) => void;
  /** Does a chunk in this process. */
  readonly doHere: (chunk: Chunk, lost: () => string | undefined) => Promise<ChunkResult>;
}

/** By what a run reaches its workers. */
export interface WorkerAccess {
  readonly queue: WorkQueue;
  readonly membership: Membership;
  readonly census: WorkerMonitor;
}

/** Told each result as it comes, by the place of its chunk. */
export type ResultListener = (index: number, result: ChunkResult) => Promise<void>;

const byItself = "the run goes on by itself";
const betweenLooks = 100;
const betweenCounts = 1000;
/** Milliseconds after which a chunk that nobody answered for is looked for in the queue. */
const overdue = 10_000;

/** A chunk that was given out and has no result yet. */
interface Outstanding {
  readonly index: number;
  readonly chunk: Chunk;
  readonly text: string;
  /** When it was last known to be in the queue. */
  checked: number;
}

/** One stage of a run: its chunks from the first that is given out to the last that is done. */
export class Dispatch {
  readonly #options: DispatchOptions;
  readonly #queue: WorkQueue;
  readonly #membership: Membership;
  readonly #census: WorkerMonitor;
  readonly #name: string;
  /** By part. */
  readonly #outstanding = new Map<string, Outstanding>();
  /** Parts whose results the state need not keep any longer. */
  readonly #collected: string[] = [];
  /** Parts that were called off and that no worker has any more. */
  readonly #dropped = new Set<string>();
  #next = 0;
  #isExhausted = false;
  #workers = 1;
  #countedAt = 0;
  #workersSeenAt = performance.now();
  #hasNoWorkers = false;
  #hasNoQueue = false;

  constructor(options: DispatchOptions, { queue, membership, census }: WorkerAccess, name: string) {
    this.#options = options;
    this.#queue = queue;
    this.#membership = membership;
    this.#census = census;
    this.#name = name;
  }

  /** Gives the chunks out; once for each dispatch. @throws UserError where the state is away. */
  async run(chunks: AsyncIterable<Chunk>, arrived: ResultListener): Promise<void> {
    const source = chunks[Symbol.asyncIterator]();
    try {
      await this.#untilDone(source, arrived);
    } catch (error) {
      // Without the state nobody works for the run any more, and its jobs find that out.
      if (error instanceof UserError) this.#hasNoQueue = true;
      throw error;
    } finally {
      await source.return?.();
      if (this.#outstanding.size > 0) await this.#callOff();
    }
  }

  async #untilDone(source: AsyncIterator<Chunk>, arrived: ResultListener): Promise<void> {
    for (;;) {
      await this.#countWorkers();
      await this.#giveOut(source);
      if (this.#stopped()) await this.#callOff();
      if (this.#outstanding.size === 0 && (this.#isExhausted || this.#stopped())) return await this.#lastCount();
      const results = await this.#collect(arrived);
      if (results === 0 && this.#isAlone && !this.#stopped()) await this.#doOne(arrived);
      else if (results === 0) await pause(betweenLooks);
      await this.#giveLostOutAgain();
      if (this.#stopped() && (this.#isAlone || this.#workers === 0)) return;
    }
  }

  /** What is done is done, whether anybody can be seen or not. */
  async #lastCount(): Promise<void> {
    await this.#census.count().catch((error) => {
      if (!(error instanceof UserError)) throw error;
    });
  }

  #stopped(): string | undefined {
    return this.#options.stopped();
  }

  get #isAlone(): boolean {
    return this.#hasNoWorkers || this.#hasNoQueue;
  }

  /** So many that no worker waits for work, and no more: what is given out grows old. */
  async #giveOut(source: AsyncIterator<Chunk>): Promise<void> {
    const most = 2 * Math.max(1, this.#workers);
    while (!this.#isExhausted && !this.#stopped() && this.#outstanding.size < most) {
      const { value: chunk, done } = await source.next();
      if (done) this.#isExhausted = true;
      else await this.#add(this.#next++, chunk);
    }
  }

  async #add(index: number, chunk: Chunk): Promise<void> {
    const part = `${this.#name}.${index}`;
    const traceparent = currentTraceparent();
    const text = JSON.stringify({ version, part, traceparent, chunk, ...this.#options.common } satisfies Work);
    this.#outstanding.set(part, { index, chunk, text, checked: performance.now() });
    if (!this.#isAlone) await this.#tried(() => this.#queue.add(new Map([[this.#jobOf(part), text]])));
  }

  /** No character of it may be a colon. */
  #jobOf(part: string): string {
    return `${this.#options.common.run}.${part}`;
  }

  /** A queue that goes away in the middle leaves the run to itself. */
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

  async #countWorkers(): Promise<void> {
    const now = performance.now();
    if (now - this.#countedAt < betweenCounts) return;
    this.#countedAt = now;
    this.#workers = await this.#census.count();
    if (this.#workers > 0) this.#workersSeenAt = now;
    const hadNone = this.#hasNoWorkers;
    this.#hasNoWorkers = now - this.#workersSeenAt >= this.#options.patience;
    if (this.#hasNoWorkers && !hadNone && !this.#hasNoQueue) this.#sayAlone();
    if (hadNone && !this.#hasNoWorkers) await this.#giveAllOutAgain();
  }

  #sayAlone(): void {
    const { origin, patience, say } = this.#options;
    say(`no worker for ${origin} was there for ${patience / 1000} s; ${byItself}`);
  }

  async #giveAllOutAgain(): Promise<void> {
    const texts = [...this.#outstanding].map(([part, { text }]) => [this.#jobOf(part), text] as const);
    await this.#tried(() => this.#queue.add(new Map(texts)));
  }

  /** How many results came. */
  async #collect(arrived: ResultListener): Promise<number> {
    const { store, common } = this.#options;
    const results = await store.collectResults(common.run, this.#collected.splice(0));
    for (const [part, text] of results) {
      this.#collected.push(part);
      const done = this.#outstanding.get(part);
      this.#outstanding.delete(part);
      if (done) await arrived(done.index, JSON.parse(text));
    }
    return results.size;
  }

  async #doOne(arrived: ResultListener): Promise<void> {
    const [first] = this.#outstanding;
    if (!first) return;
    const [part, { index, chunk }] = first;
    await this.#tried(() => this.#queue.remove(this.#jobOf(part)));
    const result = await this.#options.doHere(chunk, this.#membership.lost);
    this.#outstanding.delete(part);
    await arrived(index, result);
  }

  /** A queue may forget; what it does not know any more is given out again. */
  async #giveLostOutAgain(): Promise<void> {
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
   * Workers that don't find the run any more finish what is in flight. Who had only taken a chunk leaves it without a
   * result: what the queue does not know any more is looked for among the results once more, and then given up.
   */
  async #callOff(): Promise<void> {
    await this.#membership[Symbol.asyncDispose]();
    for (const part of [...this.#outstanding.keys()]) {
      const job = this.#jobOf(part);
      const isBack = this.#isAlone || this.#dropped.has(part) || (await this.#tried(() => this.#queue.remove(job)));
      if (isBack) this.#outstanding.delete(part);
      else if ((await this.#tried(() => this.#queue.has(job))) === false) this.#dropped.add(part);
    }
  }
}
