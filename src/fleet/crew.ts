import { setTimeout as pause } from "node:timers/promises";
import { Refusal } from "../base/exit.ts";
import { version } from "../base/version.ts";
import { currentTraceparent } from "../client/spans.ts";
import type { FleetSeen } from "../state/run-progress.ts";
import type { FleetState } from "../state/state.ts";
import type { Chunk, ChunkResult, Work } from "./chunks.ts";
import { join, type Membership } from "./membership.ts";
import { openQueue, type WorkQueue } from "./queue.ts";
import { WorkerCensus } from "./worker-census.ts";

/** The workers of a run, as the run sees them. Disposing takes back all that nobody has begun. */
export interface Crew extends AsyncDisposable {
  /** Why nothing more is given out. */
  readonly why: () => string | undefined;
  /** Why the run may not write by itself any more: workers may have taken it for gone. */
  readonly lost: () => string | undefined;
  /** How many projects a chunk had best hold, of so many. */
  readonly chunkSize: (projects: number) => Promise<number>;
  /**
   * Gives chunks out, and tells each result as it comes, by the place of its chunk. Resolves when all are done;
   * when the run is stopped, when all are done that somebody has begun. A rejection of `arrived` ends it.
   * @throws Refusal where the state is away: then nobody knows what became of the rest.
   */
  readonly give: (
    chunks: AsyncIterable<Chunk>,
    arrived: (index: number, result: ChunkResult) => Promise<void>,
  ) => Promise<void>;
}

export interface CrewOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fleet: FleetState;
  readonly origin: string;
  readonly heading: Pick<Work, "workspace" | "run" | "requestTimeout" | "allowInsecure" | "dialect" | "rateLimit">;
  /** Milliseconds for which a process is believed to be there without a word of it. */
  readonly duration: number;
  /** Milliseconds to wait for workers before the run goes on by itself. */
  readonly patience: number;
  /** Why nothing more is given out. */
  readonly stopped: () => string | undefined;
  /** Told in a sentence what a person should know. */
  readonly say: (sentence: string) => void;
  /** Requests that this process sent so far. */
  readonly sent: () => number;
  /** Told now and then, and when all chunks are done, what is seen of the workers. */
  readonly watch: (seen: FleetSeen) => void;
  /** Does a chunk in this process. */
  readonly alone: (chunk: Chunk, lost: () => string | undefined) => Promise<ChunkResult>;
}

/** Opens the queue and tells workers that a run is there. @throws Refusal where the queue cannot be used. */
export async function openCrew(options: CrewOptions): Promise<Crew> {
  const { env, fleet, origin, heading, duration } = options;
  const queue = await openQueue(env, origin);
  const membership = await join(fleet, { id: heading.run, role: "run", origin }, duration);
  const census = new WorkerCensus({ ...options, run: heading.run, allowed: heading.rateLimit });
  let rounds = 0;
  return {
    why: options.stopped,
    lost: membership.lost,
    chunkSize: async (projects) => {
      const workers = await census.count();
      return Math.min(most, Math.max(least, Math.ceil(projects / (4 * Math.max(1, workers)))));
    },
    give: (chunks, arrived) => new Round(options, { queue, membership, census }, `${++rounds}`).give(chunks, arrived),
    [Symbol.asyncDispose]: async () => {
      await membership[Symbol.asyncDispose]();
      await fleet.forget(heading.run).catch(() => {});
      await queue[Symbol.asyncDispose]();
    },
  };
}

const least = 50;
const most = 200;
const byItself = "the run goes on by itself";
const betweenLooks = 100;
const betweenCounts = 1000;
/** Milliseconds after which a chunk that nobody answered for is looked for in the queue. */
const overdue = 10_000;

interface Given {
  readonly index: number;
  readonly chunk: Chunk;
  readonly text: string;
  looked: number;
}

interface Means {
  readonly queue: WorkQueue;
  readonly membership: Membership;
  readonly census: WorkerCensus;
}

/** One stage of a run: its chunks from the first that is given out to the last that is done. */
class Round {
  readonly #options: CrewOptions;
  readonly #queue: WorkQueue;
  readonly #membership: Membership;
  readonly #census: WorkerCensus;
  readonly #name: string;
  readonly #given = new Map<string, Given>();
  readonly #taken: string[] = [];
  /** Parts that were called off and that no worker has any more. */
  readonly #dropped = new Set<string>();
  #workers = 1;
  #counted = 0;
  #seen = performance.now();
  /** Nobody else is there. */
  #lonely = false;
  /** The queue is gone, whoever is there. */
  #away = false;

  constructor(options: CrewOptions, { queue, membership, census }: Means, name: string) {
    this.#options = options;
    this.#queue = queue;
    this.#membership = membership;
    this.#census = census;
    this.#name = name;
  }

  async give(
    chunks: AsyncIterable<Chunk>,
    arrived: (index: number, result: ChunkResult) => Promise<void>,
  ): Promise<void> {
    const source = chunks[Symbol.asyncIterator]();
    let next = 0;
    let isDone = false;
    try {
      for (;;) {
        await this.#count();
        while (!isDone && !this.#why() && this.#given.size < this.#window()) {
          const { value: chunk, done } = await source.next();
          if (done) isDone = true;
          else await this.#add(next++, chunk);
        }
        if (this.#why()) await this.#callOff();
        if (this.#given.size === 0 && (isDone || this.#why())) return await this.#lastLook();
        const heard = await this.#collect(arrived);
        if (heard === 0 && this.#alone && !this.#why()) await this.#doOne(arrived);
        else if (heard === 0) await pause(betweenLooks);
        await this.#lookForLost();
        if (this.#why() && (this.#alone || this.#workers === 0)) return;
      }
    } catch (error) {
      // Without the state nobody works for the run any more, and its jobs find that out.
      if (error instanceof Refusal) this.#away = true;
      throw error;
    } finally {
      await source.return?.();
      if (this.#given.size > 0) await this.#callOff();
    }
  }

  /** What is done is done, whether anybody can be seen or not. */
  async #lastLook(): Promise<void> {
    await this.#census.count().catch((error) => {
      if (!(error instanceof Refusal)) throw error;
    });
  }

  #why(): string | undefined {
    return this.#options.stopped();
  }

  /** Enough that no worker waits for work, and no more: what is given out grows old. */
  #window(): number {
    return 2 * Math.max(1, this.#workers);
  }

  async #add(index: number, chunk: Chunk): Promise<void> {
    const { heading } = this.#options;
    const part = `${this.#name}.${index}`;
    const traceparent = currentTraceparent();
    const text = JSON.stringify({ version, part, traceparent, chunk, ...heading } satisfies Work);
    this.#given.set(part, { index, chunk, text, looked: performance.now() });
    if (!this.#alone) await this.#tried(() => this.#queue.add(new Map([[this.#jobOf(part), text]])));
  }

  /** No character of it may be a colon. */
  #jobOf(part: string): string {
    return `${this.#options.heading.run}.${part}`;
  }

  /** A queue that goes away in the middle leaves the run to itself. */
  async #tried<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!this.#alone) this.#options.say(`${error.message}; ${byItself}`);
      this.#away = true;
      return undefined;
    }
  }

  get #alone(): boolean {
    return this.#lonely || this.#away;
  }

  async #count(): Promise<void> {
    const now = performance.now();
    if (now - this.#counted < betweenCounts) return;
    this.#counted = now;
    const { origin, patience } = this.#options;
    this.#workers = await this.#census.count();
    if (this.#workers > 0) this.#seen = now;
    const wasLonely = this.#lonely;
    this.#lonely = now - this.#seen >= patience;
    if (this.#lonely && !wasLonely) {
      this.#options.say(`no worker for ${origin} was there for ${patience / 1000} s; ${byItself}`);
    }
    if (wasLonely && !this.#lonely) {
      const texts = [...this.#given].map(([part, { text }]) => [this.#jobOf(part), text] as const);
      await this.#tried(() => this.#queue.add(new Map(texts)));
    }
  }

  async #collect(arrived: (index: number, result: ChunkResult) => Promise<void>): Promise<number> {
    const { fleet, heading } = this.#options;
    const results = await fleet.collect(heading.run, this.#taken.splice(0));
    for (const [part, text] of results) {
      this.#taken.push(part);
      const given = this.#given.get(part);
      this.#given.delete(part);
      if (given) await arrived(given.index, JSON.parse(text));
    }
    return results.size;
  }

  async #doOne(arrived: (index: number, result: ChunkResult) => Promise<void>): Promise<void> {
    const [first] = this.#given;
    if (!first) return;
    const [part, { index, chunk }] = first;
    await this.#tried(() => this.#queue.remove(this.#jobOf(part)));
    const result = await this.#options.alone(chunk, this.#membership.lost);
    this.#given.delete(part);
    await arrived(index, result);
  }

  /** A queue may forget; what it does not know any more is given out again. */
  async #lookForLost(): Promise<void> {
    const now = performance.now();
    for (const [part, given] of this.#given) {
      if (this.#alone || this.#why() || now - given.looked < overdue) continue;
      given.looked = now;
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
    for (const part of [...this.#given.keys()]) {
      const job = this.#jobOf(part);
      const isBack = this.#alone || this.#dropped.has(part) || (await this.#tried(() => this.#queue.remove(job)));
      if (isBack) this.#given.delete(part);
      else if ((await this.#tried(() => this.#queue.has(job))) === false) this.#dropped.add(part);
    }
  }
}
