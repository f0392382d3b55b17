import type { Rate } from "../base/rate.ts";
import { version } from "../base/version.ts";
import type { WorkersStatus } from "../state/run-progress.ts";
import type { WorkerStore } from "../state/worker-store.ts";
import { placesAt, type WorkKey } from "./work-key.ts";

interface MonitorOptions {
  readonly store: Pick<WorkerStore, "members">;
  readonly origin: string;
  readonly key: WorkKey;
  readonly run: string;
  readonly allowed: Rate | undefined;
  /** Requests sent by the run itself. */
  readonly sent: () => number;
  readonly watch: (status: WorkersStatus) => void;
}

/** Counts the workers of a run and the requests that they send. */
export class WorkerMonitor {
  readonly #options: MonitorOptions;
  readonly #rate = new RequestRate();
  #mostWorkers = 0;
  #hasOthers = false;

  constructor(options: MonitorOptions) {
    this.#options = options;
  }

  /** Whether the last count found workers of the server with another key. */
  get hasOthers(): boolean {
    return this.#hasOthers;
  }

  /** Counts the workers and reports their status. */
  async count(): Promise<number> {
    const { store, origin, key, run, allowed, sent, watch } = this.#options;
    const members = await store.members();
    const alike = members.filter((each) => each.role === "worker" && each.version === version);
    const workers = alike.filter((each) => each.origin === key.place);
    this.#hasOthers = alike.some((each) => each.origin !== key.place && each.origin.startsWith(placesAt(origin)));
    const counts = workers.map(({ id, requests = 0 }) => [id, requests] as const);
    this.#rate.record([...counts, [run, sent()]], performance.now());
    this.#mostWorkers = Math.max(this.#mostWorkers, workers.length);
    const { total: requests, perSecond } = this.#rate;
    watch({ workers: workers.length, mostWorkers: this.#mostWorkers, requests, perSecond, allowed });
    return workers.length;
  }
}

/** Milliseconds between two counts of the workers. */
const countInterval = 1000;

/** Whether a stage of a run has workers. Counts them regularly. */
export class WorkerAvailability {
  readonly #monitor: WorkerMonitor;
  readonly #patience: number;
  #countedAt = 0;
  #seenAt = performance.now();
  #workers = 1;
  #isMissing = false;

  /** `patience`: milliseconds without a worker after which there is none. */
  constructor(monitor: WorkerMonitor, patience: number) {
    this.#monitor = monitor;
    this.#patience = patience;
  }

  /** The last count. */
  get workers(): number {
    return this.#workers;
  }

  get isMissing(): boolean {
    return this.#isMissing;
  }

  /** Counts the workers if the last count is old enough. Returns what changed since then. */
  async update(): Promise<"lost" | "returned" | "unchanged"> {
    const now = performance.now();
    if (now - this.#countedAt < countInterval) return "unchanged";
    this.#countedAt = now;
    this.#workers = await this.#monitor.count();
    if (this.#workers > 0) this.#seenAt = now;
    const wasMissing = this.#isMissing;
    this.#isMissing = now - this.#seenAt >= this.#patience;
    if (this.#isMissing === wasMissing) return "unchanged";
    return this.#isMissing ? "lost" : "returned";
  }
}

/** Milliseconds over which the rate is measured, at most and at least. */
const [maxWindow, minWindow] = [15_000, 1000];

/** Adds up the request counters of members. Times are milliseconds of one clock. */
export class RequestRate {
  readonly #last = new Map<string, number>();
  #total = 0;
  #samples: { readonly at: number; readonly total: number }[] = [];

  /** Adds a sample of each member's counter; requests before the first sample do not count. */
  record(counts: Iterable<readonly [string, number]>, now: number): void {
    const isFirst = this.#samples.length === 0;
    for (const [member, count] of counts) {
      if (!isFirst) this.#total += Math.max(0, count - (this.#last.get(member) ?? 0));
      this.#last.set(member, count);
    }
    this.#samples.push({ at: now, total: this.#total });
    while ((this.#samples[1]?.at ?? now) < now - maxWindow) this.#samples.shift();
  }

  /** Since the first sample. */
  get total(): number {
    return this.#total;
  }

  /** Undefined for less than a second of samples. */
  get perSecond(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (!first || !last || last.at - first.at < minWindow) return undefined;
    return ((last.total - first.total) * 1000) / (last.at - first.at);
  }
}
