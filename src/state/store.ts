import type { Leases, LeaseToken } from "./lease.ts";
import type { LedgerStore, Rates } from "./state.ts";

/**
 * Named contents of a store. Journals and signatures are logs, to which lines are appended; the others are documents.
 */
export type Log = "journals" | "signatures";
export type Documents = "runs" | "plans" | "notes" | "snapshots" | "ledger";

/**
 * The part of a state that differs between a folder and a database (`test/state/laws.ts` tests both). Everything else
 * is written once on top. Methods throw a {@link UserError} if something cannot be read or written.
 */
export interface StateStore extends AsyncDisposable {
  /** For messages; contains no password. */
  readonly place: string;
  /** Reason why no journal can be written, as far as that can be checked in advance. */
  readonly writeError: () => string | undefined;
  /** Documents by name; missing ones are left out. */
  readonly get: (from: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /**
   * Replaces documents, or deletes undefined ones, each atomically and durably. With `token`, only if the run holds the
   * lease of an apply. @throws LeaseLostError.
   */
  readonly put: (into: Documents, texts: ReadonlyMap<string, string | undefined>, token?: LeaseToken) => Promise<void>;
  /** A fingerprint of each existing document; it changes with the document. */
  readonly marks: (of: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /**
   * Appends lines durably; several processes may append to the same log. `token`: as for `put`. @throws LeaseLostError.
   */
  readonly append: (log: Log, name: string, lines: readonly string[], token?: LeaseToken) => Promise<void>;
  /** The lines of each existing log, in the order in which they were appended. */
  readonly lines: (log: Log, names: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** The last line of every log. */
  readonly lastLines: (log: Log) => Promise<ReadonlyMap<string, string>>;
  readonly forget: (log: Log, names: readonly string[]) => Promise<void>;
  /** Names, sorted. */
  readonly list: (of: Documents | Log) => Promise<readonly string[]>;
  readonly leases: (name: LeaseName) => Leases;
  readonly rates: Rates;
  /** The ledger, if the store has its own format for it. */
  readonly ledger?: LedgerStore;
  /** Total size in bytes. */
  readonly size: () => Promise<number>;
}

/** Leases of runs that write, of the active watcher, and of changes to snapshots. */
export type LeaseName = "apply" | "watch" | "snapshots";
