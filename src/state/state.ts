import type { Problem } from "../model/types.ts";
import type { Holder, Leases, LeaseToken } from "./lease.ts";

/** Logs, to which lines are appended; everything else is a document. `work`: data of a run and its workers. */
export type Log = "journals" | "signatures";
export type Documents = "runs" | "plans" | "notes" | "snapshots" | "ledger" | "work";

/** The state between the runs of a workspace (laws: `test/state/laws.ts`). Methods throw a {@link UserError}. */
export interface WorkspaceState extends AsyncDisposable {
  /** For messages; contains no password. */
  readonly place: string;
  /** True if several machines share it, which workers need. */
  readonly isShared: boolean;
  /** The reason why no journal can be written. */
  readonly writeError: () => string | undefined;
  /** Documents by name; missing ones are left out. */
  readonly get: (from: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Replaces or deletes (undefined) durably; with `token` only under its lease. @throws LeaseLostError. */
  readonly put: (
    into: Documents,
    texts: Iterable<readonly [name: string, text: string | undefined]>,
    token?: LeaseToken,
  ) => Promise<void>;
  /** A fingerprint of each existing document; it changes with the document. */
  readonly marks: (of: Documents, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Appends durably; several processes may append to one log. `token`: as for `put`. */
  readonly append: (log: Log, name: string, lines: readonly string[], token?: LeaseToken) => Promise<void>;
  /** The lines of each existing log, in the order in which they were appended. */
  readonly lines: (log: Log, names: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** The last line of every log. */
  readonly lastLines: (log: Log) => Promise<ReadonlyMap<string, string>>;
  /** Sorted names. */
  readonly list: (of: Documents | Log) => Promise<readonly string[]>;
  /** Deletes logs, or leases and all those of workers that are older than a day. */
  readonly forget: (from: Log | "leases", names: readonly string[]) => Promise<void>;
  /** `apply`: of runs that write, one at a time. `watch`: of the active watcher. `snapshots`: of changes to them. */
  readonly leases: (name: string) => Leases;
  /** The holders of leases whose names begin so. */
  readonly holders: (start: string) => Promise<readonly Holder[]>;
  /** Request rates of tokens, shared by all workspaces. */
  readonly rates: Rates;
  readonly ledger: LedgerStore;
  readonly bytes: () => Promise<number>;
}

export type Readable = Pick<WorkspaceState, "get">;

export async function getText({ get }: Readable, from: Documents, name: string): Promise<string | undefined> {
  return (await get(from, [name])).get(name);
}

/** The current lines of a ledger by the lowercase name of the project (docs/comparing.md). */
export type LedgerLines = Pick<ReadonlyMap<string, string>, "size" | "get">;

export interface LedgerContents {
  readonly lines: LedgerLines;
  /** The key of the fingerprints in each line. */
  readonly keys: readonly string[];
  /** The invalid lines. */
  readonly problems: readonly Problem[];
}

/** Changed lines as UTF-8; undefined for deleted ones. */
export type LedgerChanges = ReadonlyMap<string, Buffer | undefined>;

export interface LedgerStore {
  /** Path in the workspace, for a file. */
  readonly file?: string;
  readonly read: () => Promise<LedgerContents>;
  readonly writeError: () => string | undefined;
  /** Replaces or deletes lines, also in what was read from this store. */
  readonly write: (token: LeaseToken, changed: LedgerChanges) => Promise<void>;
}

/** Request rates that all processes with one token share, by key. Each request reserves a slot of time. */
export interface Rates {
  /** Reserves this many milliseconds after all earlier reservations; returns the milliseconds until they start. */
  readonly reserve: (key: string, milliseconds: number) => Promise<number>;
  /** Pauses new reservations for this many milliseconds from now. */
  readonly hold: (key: string, milliseconds: number) => Promise<void>;
}

export function memoryRates(): Rates {
  const ends = new Map<string, number>();
  const endOf = (key: string) => Math.max(performance.now(), ends.get(key) ?? 0);
  return {
    reserve: async (key, milliseconds) => {
      const start = endOf(key);
      ends.set(key, start + milliseconds);
      return Math.max(0, start - performance.now());
    },
    hold: async (key, milliseconds) => {
      ends.set(key, Math.max(endOf(key), performance.now() + milliseconds));
    },
  };
}

export const processRates = memoryRates();
