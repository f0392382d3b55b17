import type { Rate } from "../base/rate.ts";
import { version } from "../base/version.ts";
import type { WorkersStatus } from "../state/run-progress.ts";
import type { WorkerStore } from "../state/worker-store.ts";
import { RequestRate } from "./request-rate.ts";

interface CensusOptions {
  readonly store: Pick<WorkerStore, "members">;
  readonly origin: string;
  readonly run: string;
  readonly allowed: Rate | undefined;
  /** Requests that the run itself sent so far. */
  readonly sent: () => number;
  readonly watch: (status: WorkersStatus) => void;
}

/** Sees for a run which of its workers are there, and what they send. */
export class WorkerMonitor {
  readonly #options: CensusOptions;
  readonly #rate = new RequestRate();
  #mostWorkers = 0;

  constructor(options: CensusOptions) {
    this.#options = options;
  }

  /** Counts the workers and reports their status. */
  async count(): Promise<number> {
    const { store, origin, run, allowed, sent, watch } = this.#options;
    const members = await store.members();
    const workers = members.filter(
      (each) => each.role === "worker" && each.origin === origin && each.version === version,
    );
    const counts = workers.map(({ id, requests = 0 }) => [id, requests] as const);
    this.#rate.record([...counts, [run, sent()]], performance.now());
    this.#mostWorkers = Math.max(this.#mostWorkers, workers.length);
    const { total: requests, perSecond } = this.#rate;
    watch({ workers: workers.length, mostWorkers: this.#mostWorkers, requests, perSecond, allowed });
    return workers.length;
  }
}
