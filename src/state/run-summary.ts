import { grouped } from "../base/grouped.ts";
import { isObject, parsedJson } from "../base/json.ts";
import { compareTexts } from "../base/text-format.ts";
import { addressParts } from "../model/address.ts";
import type { Action, OutcomeStatus } from "../model/types.ts";
import { type Holder, runLeases } from "./lease.ts";
import type { SyncStatusCounts } from "./snapshots/snapshot.ts";
import type { WorkspaceState } from "./state.ts";

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

const day = 24 * 3600 * 1000;

/** Retention in milliseconds; applies and their journals are kept until the user deletes them. */
export const kept = {
  /** Summaries of {@link readCommands}, up to {@link maxReadRuns}. */
  readRuns: 90 * day,
  plans: 30 * day,
  work: day,
} as const;

/** 90 days of a check every five minutes. */
export const maxReadRuns = 26_000;

/** Read-only commands, whose summaries expire. */
const readCommands: readonly string[] = ["plan", "drift", "watch"];

/** Stores the summary of a run. When a run ends, removes expired ones, and expired plans. */
export async function recordRun(state: WorkspaceState, summary: RunSummary): Promise<void> {
  await state.put("runs", [[summary.run, `${JSON.stringify(summary)}\n`]]);
  if (summary.ended === null) return;
  const plans = (await state.list("plans")).filter((run) => ageOf(run) > kept.plans);
  if (plans.length > 0) {
    await remove(state, "plans", plans);
    await state.forget("signatures", plans);
  }
  const names = await state.list("runs");
  const old = names.filter((name, index) => index < names.length - maxReadRuns || ageOf(name) > kept.readRuns);
  const expired = (await readRuns(state, old)).filter(({ command }) => readCommands.includes(command));
  if (expired.length > 0)
    await remove(
      state,
      "runs",
      expired.map(({ run }) => run),
    );
}

export function remove(state: WorkspaceState, from: "plans" | "runs" | "work", names: readonly string[]) {
  return state.put(
    from,
    names.map((name) => [name, undefined] as const),
  );
}

/** Newest first. */
export async function listRuns(state: WorkspaceState): Promise<readonly RunSummary[]> {
  const all = [...(await readRuns(state, await state.list("runs")))];
  return all.sort((a, b) => compareTexts(b.started, a.started) || compareTexts(b.run, a.run));
}

/** A cache: summaries of ended runs do not change. */
const ended = new WeakMap<WorkspaceState, Map<string, RunSummary>>();

async function readRuns(state: WorkspaceState, names: readonly string[]): Promise<readonly RunSummary[]> {
  const cached = ended.get(state) ?? new Map<string, RunSummary>();
  ended.set(state, cached);
  const texts = await state.get(
    "runs",
    names.filter((name) => !cached.has(name)),
  );
  return names.flatMap((name) => {
    const summary = cached.get(name) ?? summaryIn(texts.get(name) ?? "");
    if (summary?.ended) cached.set(name, summary);
    return summary ?? [];
  });
}

/** Milliseconds since a run started, from its name: `20261121T072315Z-1f2e`. */
export function ageOf(run: string): number {
  const [time = ""] = /^\d{8}T\d{6}Z/.exec(run) ?? [];
  return Date.now() - Date.parse(time.replace(/(\d{4})(\d\d)(\d\dT\d\d)(\d\d)/, "$1-$2-$3:$4:"));
}

export interface LiveRuns {
  readonly runs: ReadonlySet<string>;
  readonly holder: Holder | undefined;
}

export async function liveRuns({ leases, holders }: WorkspaceState): Promise<LiveRuns> {
  const holder = await leases("apply").holder();
  const all = [...(await holders(runLeases)), ...(holder ? [holder] : [])];
  return { holder, runs: new Set(all.map(({ run }) => run)) };
}

function summaryIn(text: string): RunSummary | undefined {
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
