import type { Action, Fields, Kind, PolicyEffect } from "../../model/types.ts";

/** Sync statuses of a project, from best to worst known. */
export const syncStatuses = ["in sync", "pending", "drifted", "unreadable"] as const;

/**
 * `drifted`: changed on the server since the last run. `pending`: changed in the manifests and not applied yet.
 * `unreadable`: could not be read, or only in part while the rest is in sync.
 */
export type SyncStatus = (typeof syncStatuses)[number];

/** The number of projects of each status. */
export type SyncStatusCounts = Readonly<Record<SyncStatus, number>>;

/** A declared resource of a project. Secrets are references. */
export interface SeenEntry {
  readonly kind: Kind;
  readonly key: string;
  /** The declared fields; null if it is declared absent. Values are truncated. */
  readonly fields: Fields | null;
  readonly policy: string;
  readonly file: string;
  /** Omitted if it was not determined. */
  readonly line?: number;
  readonly column?: number;
  /** The commit at which it was first seen at this location; null outside a repository. */
  readonly commit: string | null;
  /** Last day and reason of its policy, if it has them. */
  readonly until?: string;
  readonly reason?: string;
}

/** A resource that differed when its project was last seen. Values are truncated. */
export interface SeenDifference {
  /** Its address without the project. */
  readonly rest: string;
  readonly action: Action;
  readonly cause: "drift" | "pending";
  readonly reason: string;
  /** The effect on policy of applying it, if known. */
  readonly effect?: PolicyEffect;
  /** ISO 8601: when it was first seen to differ, by the oldest of the fields that differ now. */
  readonly since: string;
  /** The same by field, if they have different ages. */
  readonly fieldSince?: Readonly<Record<string, string>>;
  /** The policy that sets the first field that differs, if that is not the policy of its entry. */
  readonly policy?: string;
  /** Author and time of the change on the server, if known. */
  readonly changedBy?: { readonly author: string; readonly at: string };
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The state of a project when a plan, drift or apply last saw it. */
export interface ProjectSnapshot {
  /** Full path as the server spells it, or the ID in decimal. */
  readonly project: string;
  readonly id?: number;
  readonly syncStatus: SyncStatus;
  /** ISO 8601: start of this status. */
  readonly since: string;
  /** ISO 8601. A later run over the whole fleet saw it too, see {@link FleetIndex}. */
  readonly seen: string;
  readonly run: string;
  /** Sorted by kind and key. */
  readonly entries: readonly SeenEntry[];
  readonly differences: readonly SeenDifference[];
  /** Declared fields that the server does not report, by the address without the project. */
  readonly unverified: Readonly<Record<string, readonly string[]>>;
  /**
   * Declared resources that are inherited from a group with the declared values, by the address without the project;
   * omitted if there are none.
   */
  readonly inherited?: readonly string[];
  readonly unmanaged: number;
  /** Reasons why it could not be read, or only in part. */
  readonly problems: readonly string[];
}

/** An exception from a rule. */
export interface SeenException {
  readonly rule: string;
  /** Globs over addresses. */
  readonly except: readonly string[];
  readonly until?: string;
}

/** The last observation of a project. `whole` is the last run over the whole fleet. */
export function lastSeen(
  { seen, run }: Pick<ProjectSnapshot, "seen" | "run">,
  fleet: { readonly whole: { readonly run: string; readonly at: string } | null } | undefined,
) {
  const whole = fleet?.whole;
  return whole && whole.at > seen ? whole : { at: seen, run };
}

const none: SyncStatusCounts = { "in sync": 0, pending: 0, drifted: 0, unreadable: 0 };

/** The number of projects per status. */
export function countStatuses(statuses: Iterable<SyncStatus>): SyncStatusCounts {
  const counts: Record<SyncStatus, number> = { ...none };
  for (const status of statuses) counts[status]++;
  return counts;
}

/** The sums of several counts. */
export function addCounts(all: readonly SyncStatusCounts[]): SyncStatusCounts {
  const counts: Record<SyncStatus, number> = { ...none };
  for (const each of all) for (const status of syncStatuses) counts[status] += each[status];
  return counts;
}
