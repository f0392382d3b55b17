import type { Action, Fields, Kind } from "../../model/types.ts";

/** How a project stands, from best to worst known. */
export const syncStatuses = ["in sync", "pending", "drifted", "unreadable"] as const;

/**
 * `drifted`: the server differs from what it was last seen or left as. `pending`: the manifests want something that was
 * not carried out. `unreadable`: it could not be read, or not all of it where the rest is in sync.
 */
export type SyncStatus = (typeof syncStatuses)[number];

/** How many projects there are of each standing. */
export type SyncStatusCounts = Readonly<Record<SyncStatus, number>>;

/** What policies said of one thing when its project was last seen. Secrets are references. */
export interface SeenEntry {
  readonly kind: Kind;
  readonly key: string;
  /** The declared fields; null for what must be off. */
  readonly fields: Fields | null;
  readonly policy: string;
  readonly file: string;
  /** Left out where nobody has worked it out yet. */
  readonly line?: number;
  readonly column?: number;
  /** The commit at which it stands there; null outside a repository. */
  readonly commit: string | null;
  /** The last day on which its policy counts, and why there is the policy, where it says so. */
  readonly until?: string;
  readonly reason?: string;
}

/** One thing that differed when its project was last seen. Values are cut after 500 characters. */
export interface SeenDifference {
  /** Its address without the project. */
  readonly rest: string;
  readonly action: Action;
  readonly cause: "drift" | "pending";
  readonly reason: string;
  /** ISO 8601: when it was first seen to differ. */
  readonly since: string;
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** How one project was last seen by a plan, a drift, an apply. */
export interface ProjectSnapshot {
  /** Full path as the server spells it, or the ID in decimal. */
  readonly project: string;
  readonly id?: number;
  readonly standing: SyncStatus;
  /** ISO 8601: since when it stands so. */
  readonly since: string;
  /** ISO 8601. A later look at the whole fleet saw it too, see {@link FleetIndex}. */
  readonly seen: string;
  readonly run: string;
  /** Sorted by kind and key. */
  readonly entries: readonly SeenEntry[];
  readonly differences: readonly SeenDifference[];
  /** Declared fields that the server does not report, by the address without the project. */
  readonly unverified: Readonly<Record<string, readonly string[]>>;
  readonly unmanaged: number;
  /** Why it could not be read, or not all of it. */
  readonly problems: readonly string[];
}

/** What stands above all sheets: when all of the fleet was last seen, and how many projects stand how. */
export interface FleetIndex {
  readonly server: string;
  /** The last look at everything that policies select; null before there was one. */
  readonly whole: { readonly run: string; readonly at: string } | null;
  /** Exceptions from rules that end some day, or never. */
  readonly exceptions: readonly SeenException[];
  /** By the name of a sheet. */
  readonly sheets: Readonly<Record<string, SheetHead>>;
}

/** A rule that does not hold for some addresses. */
export interface SeenException {
  readonly rule: string;
  /** Globs over addresses. */
  readonly except: readonly string[];
  readonly until?: string;
}

/** What is known of a sheet without reading it. */
export interface SheetHead {
  /** The run that wrote it last: where that is another one, the sheet is. */
  readonly run: string;
  /** Of what the last look saw of its projects, where it saw all of them; 0: it did not. */
  readonly mark: number;
  /** Its projects by standing, in the order of {@link syncStatuses}. */
  readonly counts: readonly number[];
}

/** When a project was last seen, and by which run. */
export function lastSeen(
  { seen, run }: Pick<ProjectSnapshot, "seen" | "run">,
  fleet: Pick<FleetIndex, "whole"> | undefined,
) {
  const whole = fleet?.whole;
  return whole && whole.at > seen ? whole : { at: seen, run };
}

/** The projects of all sheets by their standing. */
export function fleetCounts({ sheets }: Pick<FleetIndex, "sheets">): SyncStatusCounts {
  const sums = syncStatuses.map((_, index) =>
    Object.values(sheets).reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0),
  );
  return countsFrom(sums);
}

/** Numbers in the order of {@link syncStatuses} by their names. */
export function countsFrom([
  inSync = 0,
  pending = 0,
  drifted = 0,
  unreadable = 0,
]: readonly number[]): SyncStatusCounts {
  return { "in sync": inSync, pending, drifted, unreadable };
}
