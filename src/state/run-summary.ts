import { grouped } from "../base/grouped.ts";
import { isObject, parsedJson } from "../base/json.ts";
import { addressParts } from "../model/address.ts";
import type { Action, OutcomeStatus } from "../model/types.ts";
import type { SyncStatusCounts } from "./snapshots/snapshot.ts";

/** The stored summary of a run (docs/state.md). */
export interface RunSummary {
  readonly run: string;
  readonly command: string;
  readonly who: string;
  readonly host: string;
  readonly job?: string;
  readonly started: string;
  /** Null while the run is active, and if it was killed. */
  readonly ended: string | null;
  /** `applied`, `in sync`, `pending`, `drift`, `failed`, `refused`, `stale`, `interrupted`. */
  readonly outcome: string | null;
  /** Reasons why it failed or was refused, or what would block an apply of the plan; omitted if there are none. */
  readonly reasons?: readonly string[];
  readonly changes: number;
  readonly commit: string | null;
  /** Last known progress of a run that is active or was killed. */
  readonly progress?: RunProgress;
  /** Changes by project and by the rest of the address; `~a` is an applied update. */
  readonly touched: Touched;
  readonly plan?: string;
  readonly reads?: number;
  /** Number of projects per sync status at the end of the run. */
  readonly fleet?: SyncStatusCounts;
}

type Touched = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface TouchedAddress {
  readonly address: string;
  readonly action: Action;
  readonly status?: OutcomeStatus | undefined;
}

/** Maximum number of reasons, and characters of each. */
const [maxReasons, maxReason] = [3, 250];

export function keptReasons(reasons: readonly string[]): Pick<RunSummary, "reasons"> {
  if (reasons.length === 0) return {};
  const more = reasons.length - maxReasons;
  return {
    reasons: [
      ...reasons.slice(0, maxReasons).map((each) => truncate(each.replace(/\s+/g, " "), maxReason)),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
  };
}

export function touchedBy(changes: readonly TouchedAddress[]): Pick<RunSummary, "touched"> {
  const parts = changes.map((change) => ({ parts: addressParts(change.address), code: toCode(change) }));
  const projects = grouped(parts, ({ parts: [project] }) => project);
  const touched = Array.from(projects, ([project, own]) => {
    return [project, Object.fromEntries(own.map(({ parts: [, rest], code }) => [rest, code]))] as const;
  });
  return { touched: Object.fromEntries(touched) };
}

const actions: Readonly<Record<Action, string>> = { create: "+", update: "~", replace: "r", disable: "x", delete: "-" };
const statuses: Readonly<Record<OutcomeStatus, string>> = {
  applied: "a",
  failed: "f",
  skipped: "k",
  stale: "t",
  unknown: "u",
};

function toCode({ action, status }: TouchedAddress): string {
  return actions[action] + (status ? statuses[status] : "");
}

export function summaryIn(text: string): RunSummary | undefined {
  const read = parsedJson(text);
  return isSummary(read) ? read : undefined;
}

function isSummary(read: unknown): read is RunSummary {
  if (!isObject(read)) return false;
  const { run, command, who, host, started, changes, touched } = read;
  const texts = [run, command, who, host, started].every((each) => typeof each === "string");
  return texts && typeof changes === "number" && isObject(touched);
}

export function concerns({ touched }: RunSummary, project: string): boolean {
  const wanted = project.toLowerCase();
  return Object.keys(touched).some((name) => name.toLowerCase() === wanted);
}

function truncate(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}

export type Stage = "reading" | "writing";

export interface RunProgress {
  readonly at: string;
  readonly stage: Stage;
  /** Projects. */
  readonly done: number;
  readonly total: number;
  /** Estimated time until the end of the stage, if known. */
  readonly remaining_seconds?: number;
  readonly workers?: number;
  readonly waiting?: { readonly why: string; readonly seconds: number };
}

/** Tracks the progress of a run. Times are milliseconds of one clock. */
export class ProgressMeter {
  #stage: { readonly name: Stage; readonly since: number; readonly total: number } | undefined;
  #done = 0;
  #workers: number | undefined;
  #pause: { readonly why: string; readonly until: number } | undefined;

  begin(name: Stage, total: number, now: number): void {
    this.#stage = { name, total, since: now };
    this.#done = 0;
  }

  reach(done: number): void {
    this.#done = done;
  }

  see(workers: number): void {
    this.#workers = workers;
  }

  pause(why: string, until: number): void {
    this.#pause = { why, until };
  }

  /** Undefined before the first stage, unless the run waits already. */
  at(now: number, at: Date): RunProgress | undefined {
    const waiting = this.#waiting(now);
    if (!this.#stage && !waiting) return undefined;
    const { name: stage, total, since } = this.#stage ?? { name: "reading", total: 0, since: now };
    const done = Math.min(this.#done, total);
    const remaining = done > 0 ? ((now - since) / done) * (total - done) : undefined;
    return {
      at: at.toISOString(),
      stage,
      done,
      total,
      ...(remaining !== undefined && { remaining_seconds: Math.ceil(remaining / 1000) }),
      ...(waiting && { waiting }),
      ...(this.#workers !== undefined && { workers: this.#workers }),
    };
  }

  #waiting(now: number): RunProgress["waiting"] {
    if (!this.#pause || this.#pause.until <= now) return undefined;
    return { why: this.#pause.why, seconds: Math.ceil((this.#pause.until - now) / 1000) };
  }
}
