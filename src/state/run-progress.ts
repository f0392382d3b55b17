import { isObject } from "../base/json.ts";
import type { Rate } from "../base/rate.ts";

/** The stages of a run. */
export type Stage = "reading" | "writing";

/** The progress of an active run. */
export interface RunProgress {
  /** ISO 8601. */
  readonly at: string;
  readonly stage: Stage;
  /** Projects. */
  readonly done: number;
  readonly total: number;
  /** Estimated time until the end of the stage, if known. */
  readonly remaining_seconds?: number;
  readonly workers?: number;
  /** The current request rate of the run and its workers, and the limit. */
  readonly rate?: { readonly used: number; readonly allowed: number | null; readonly per: "s" | "min" };
}

/** The active workers of a run, and the requests of them and the run. */
export interface WorkersStatus {
  readonly workers: number;
  /** The maximum at one time. */
  readonly mostWorkers: number;
  /** Since the start of the run. */
  readonly requests: number;
  /** Undefined while it is not known yet. */
  readonly perSecond: number | undefined;
  readonly allowed: Rate | undefined;
}

/** Tracks the progress of a run. Times are milliseconds of one clock. */
export class ProgressMeter {
  #stage: { readonly name: Stage; readonly since: number; readonly total: number } | undefined;
  #done = 0;
  #fleet: WorkersStatus | undefined;

  begin(name: Stage, total: number, now: number): void {
    this.#stage = { name, total, since: now };
    this.#done = 0;
  }

  /** Sets the number of finished projects of the stage. */
  reach(done: number): void {
    this.#done = done;
  }

  see(status: WorkersStatus): void {
    this.#fleet = status;
  }

  get fleet(): WorkersStatus | undefined {
    return this.#fleet;
  }

  /** Undefined before the first stage. */
  at(now: number, at: Date): RunProgress | undefined {
    if (!this.#stage) return undefined;
    const { name: stage, total, since } = this.#stage;
    const done = Math.min(this.#done, total);
    const remaining = done > 0 ? ((now - since) / done) * (total - done) : undefined;
    return {
      at: at.toISOString(),
      stage,
      done,
      total,
      ...(remaining !== undefined && { remaining_seconds: Math.ceil(remaining / 1000) }),
      ...(this.#fleet && { workers: this.#fleet.workers, ...rateOf(this.#fleet) }),
    };
  }
}

function rateOf({ perSecond, allowed }: WorkersStatus): Pick<RunProgress, "rate"> {
  if (perSecond === undefined) return {};
  const { requests, per } = allowed ?? { requests: null, per: 1000 };
  return { rate: { used: Math.round((perSecond * per) / 1000), allowed: requests, per: per === 1000 ? "s" : "min" } };
}

export function isProgress(value: unknown): value is RunProgress {
  if (!isObject(value)) return false;
  const { at, stage, done, total } = value;
  const isStage = stage === "reading" || stage === "writing";
  return typeof at === "string" && isStage && typeof done === "number" && typeof total === "number";
}
