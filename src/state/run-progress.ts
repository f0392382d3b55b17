import { isObject } from "../base/json.ts";
import type { Rate } from "../base/rate.ts";

/** What a run does to projects, one after the other. */
export type Stage = "reading" | "writing";

/** How far a run is that goes on. */
export interface RunProgress {
  /** ISO 8601. */
  readonly at: string;
  readonly stage: Stage;
  /** Projects. */
  readonly done: number;
  readonly total: number;
  /** Until the stage is over, by how long it took so far; left out where that says nothing yet. */
  readonly remaining_seconds?: number;
  /** Left out where the run has none. */
  readonly workers?: number;
  /** What run and workers sent of late, and what `rateLimit` allows, in the limit's own time. */
  readonly rate?: { readonly used: number; readonly allowed: number | null; readonly per: "s" | "min" };
}

/** What was seen of the workers of a run: those that are there, and what they and the run sent. */
export interface WorkersStatus {
  readonly workers: number;
  /** The most that were there at one time. */
  readonly mostWorkers: number;
  /** Since the run began. */
  readonly requests: number;
  /** Of late; undefined where nothing is known yet. */
  readonly perSecond: number | undefined;
  readonly allowed: Rate | undefined;
}

/** Follows how far a run is. Times are milliseconds of one clock, handed in. */
export class ProgressMeter {
  #stage: { readonly name: Stage; readonly since: number; readonly total: number } | undefined;
  #done = 0;
  #fleet: WorkersStatus | undefined;

  begin(name: Stage, total: number, now: number): void {
    this.#stage = { name, total, since: now };
    this.#done = 0;
  }

  /** So many projects of the stage are done. */
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

/** Whether what a summary holds can be used as the progress of its run. */
export function isProgress(value: unknown): value is RunProgress {
  if (!isObject(value)) return false;
  const { at, stage, done, total } = value;
  const isStage = stage === "reading" || stage === "writing";
  return typeof at === "string" && isStage && typeof done === "number" && typeof total === "number";
}
