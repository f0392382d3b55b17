import type { Leases, LeaseToken } from "./lease.ts";
import type { LedgerStore, Rates } from "./state.ts";

/** Logs, to which lines are appended; everything else is a document. */
export type Log = "journals" | "signatures";
export type Documents = "runs" | "plans" | "notes" | "snapshots" | "ledger";

/** The part of a state that differs between a folder and a database. Methods throw a {@link UserError}. */
export interface StateStore extends AsyncDisposable {
  readonly place: string;
  readonly writeError: () => string | undefined;
  /** Documents by name; missing ones are left out. */
  readonly get: (from: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Replaces or deletes (undefined) durably; with `token` only under its lease. @throws LeaseLostError. */
  readonly put: (into: Documents, texts: ReadonlyMap<string, string | undefined>, token?: LeaseToken) => Promise<void>;
  /** A fingerprint of each existing document; it changes with the document. */
  readonly marks: (of: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Appends durably; several processes may append to one log. `token`: as for `put`. */
  readonly append: (log: Log, name: string, lines: readonly string[], token?: LeaseToken) => Promise<void>;
  /** The lines of each existing log, in the order in which they were appended. */
  readonly lines: (log: Log, names: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** The last line of every log. */
  readonly lastLines: (log: Log) => Promise<ReadonlyMap<string, string>>;
  readonly forget: (log: Log, names: readonly string[]) => Promise<void>;
  readonly list: (of: Documents | Log) => Promise<readonly string[]>;
  readonly leases: (name: LeaseName) => Leases;
  readonly rates: Rates;
  /** The ledger, if the store has its own format for it. */
  readonly ledger?: LedgerStore;
  readonly size: () => Promise<number>;
}

/** Leases of runs that write, of the active watcher, and of changes to snapshots. */
export type LeaseName = "apply" | "watch" | "snapshots";
