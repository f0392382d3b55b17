import type { Holder, Leases } from "./lease-store.ts";

/** What a run and its workers share beside journal and ledger (docs/fleets.md). */
export interface WorkerStore {
  /** A lease of any name: of a run that has workers, or of a shard that somebody works on. */
  readonly leases: (name: string) => Leases;
  /** The holders of all leases whose names start with this. */
  readonly holders: (start: string) => Promise<readonly Holder[]>;
  /** Stores a document of a run: the task of a shard, or its result. The first one of a name stays. */
  readonly write: (run: string, name: string, text: string) => Promise<void>;
  /** Those of these documents that exist. */
  readonly read: (run: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Deletes the documents and leases of a run, and of all older than a day. */
  readonly forget: (run: string) => Promise<void>;
}

/** The lease of a run that has workers; it ends when the run ends or is stopped. */
export function runLease(run: string): string {
  return `${runLeases}${run}`;
}

export const runLeases = "run/";

/** The lease of a shard, held by whoever works on it. */
export function shardLease(run: string, shard: string): string {
  return `${shardLeases(run)}${shard}`;
}

export function shardLeases(run: string): string {
  return `shard/${run}/`;
}
