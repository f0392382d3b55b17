import type { Leases, LeaseToken } from "./lease.ts";
import type { LedgerStore, Rates } from "./state.ts";

/** What a store holds by name. Journals and signatures are logs, which grow by lines; the rest are documents. */
export type Log = "journals" | "signatures";
export type Documents = "runs" | "plans" | "notes" | "snapshots" | "ledger";

/**
 * What varies between a folder and a database (`test/state/laws.ts` tests both). Everything else of a state is written
 * once, on top of it. Methods throw a {@link UserError} if something cannot be read or written.
 */
export interface StateStore extends AsyncDisposable {
  /** For messages; contains no password. */
  readonly place: string;
  /** Why no journal can be written, as far as that can be checked in advance. */
  readonly writeError: () => string | undefined;
  /** Documents by name; missing ones are left out. */
  readonly get: (from: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /**
   * Replaces documents, or deletes those that are undefined, each atomically and durably. `token`: only if the run holds
   * the lease of an apply. @throws LeaseLostError.
   */
  readonly put: (into: Documents, texts: ReadonlyMap<string, string | undefined>, token?: LeaseToken) => Promise<void>;
  /** A text for each of these documents that exists; it changes with the document. */
  readonly marks: (of: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Appends lines durably; others may append to the same log. `token`: as for `put`. @throws LeaseLostError. */
  readonly append: (log: Log, name: string, lines: readonly string[], token?: LeaseToken) => Promise<void>;
  /** The lines of each of these logs that exists, in the order in which they were appended. */
  readonly lines: (log: Log, names: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** The last line of every log. */
  readonly lastLines: (log: Log) => Promise<ReadonlyMap<string, string>>;
  readonly forget: (log: Log, names: readonly string[]) => Promise<void>;
  /** Names, sorted. */
  readonly list: (of: Documents | Log) => Promise<readonly string[]>;
  readonly leases: (name: LeaseName) => Leases;
  readonly rates: Rates;
  /** The ledger, if the store keeps it in a form of its own. */
  readonly ledger?: LedgerStore;
  /** Bytes of all of it. */
  readonly size: () => Promise<number>;
}

/** Held by a run that writes, by the active watcher, and while snapshots are changed. */
export type LeaseName = "apply" | "watch" | "snapshots";
