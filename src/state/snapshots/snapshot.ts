import type { Action, Fields, Kind, PolicyEffect } from "../../model/types.ts";

export const syncStatuses = ["in sync", "pending", "drifted", "unreadable"] as const;

/** `drifted`: changed on the server. `pending`: changed in the manifests. `unreadable`: also only in part. */
export type SyncStatus = (typeof syncStatuses)[number];

export type SyncStatusCounts = Readonly<Record<SyncStatus, number>>;

/** A declared resource of a project. Secrets are references. */
export interface SeenEntry {
  readonly kind: Kind;
  readonly key: string;
  /** The declared fields; null if it is declared absent. Values are truncated. */
  readonly fields: Fields | null;
  readonly policy: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The commit at which it was first seen at this location; null outside a repository. */
  readonly commit: string | null;
  readonly until?: string;
  readonly reason?: string;
}

/** A resource that differed when its project was last seen. Values are truncated. */
export interface SeenDifference {
  readonly rest: string;
  readonly action: Action;
  readonly cause: "drift" | "pending";
  readonly reason: string;
  readonly effect?: PolicyEffect;
  /** ISO 8601: since when it differs, without a break in all of its fields. */
  readonly since: string;
  /** The policy that sets the first field that differs, if that is not the policy of its entry. */
  readonly policy?: string;
  readonly changedBy?: { readonly author: string; readonly at: string };
  readonly before: Fields | null;
  readonly after: Fields | null;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface ProjectSnapshot {
  /** Full path as the server spells it, or the ID in decimal. */
  readonly project: string;
  readonly id?: number;
  readonly syncStatus: SyncStatus;
  readonly since: string;
  /** ISO 8601. A later run over the whole fleet saw it too, see {@link FleetIndex}. */
  readonly seen: string;
  readonly run: string;
  /** Sorted by kind and key. */
  readonly entries: readonly SeenEntry[];
  readonly differences: readonly SeenDifference[];
  /** Declared fields that the server does not report, by the address without the project. */
  readonly unverified: Readonly<Record<string, readonly string[]>>;
  /** Declared resources that a group passes on with the declared values, by the address without the project. */
  readonly inherited?: readonly string[];
  readonly unmanaged: number;
  readonly problems: readonly string[];
}

export interface SeenException {
  readonly rule: string;
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

export function countStatuses(statuses: Iterable<SyncStatus>): SyncStatusCounts {
  const counts: Record<SyncStatus, number> = { ...none };
  for (const status of statuses) counts[status]++;
  return counts;
}

export function addCounts(all: readonly SyncStatusCounts[]): SyncStatusCounts {
  const counts: Record<SyncStatus, number> = { ...none };
  for (const each of all) for (const status of syncStatuses) counts[status] += each[status];
  return counts;
}
