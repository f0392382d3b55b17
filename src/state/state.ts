import { createHmac } from "node:crypto";
import type { Action, OutcomeStatus, Problem } from "../model/types.ts";
import type { Holder, Leases, LeaseToken } from "./lease.ts";
import type { RunSummary } from "./run-summary.ts";

/** The state between the runs of a workspace (laws: `test/state/laws.ts`). Methods throw a {@link UserError}. */
export interface WorkspaceState extends AsyncDisposable {
  /** For messages; contains no password. */
  readonly place: string;
  /** Held by runs that write, so that only one apply runs at a time. */
  readonly leases: Leases;
  /** Held by the active watcher; does not block an apply. */
  readonly watchLeases: Leases;
  readonly journals: Journals;
  readonly runs: Runs;
  readonly ledger: LedgerStore;
  /** Saved plans as JSON texts, by the run that made them. */
  readonly plans: Texts;
  readonly approvals: Approvals;
  /** Other texts of a workspace by name, for example its list of projects. */
  readonly notes: Texts;
  /** Shared by runs and workers; undefined for a state on this machine. */
  readonly workers: WorkerStore | undefined;
  /** The last observed status of each project. */
  readonly snapshots: SnapshotDocuments;
  /** Request rates of tokens, shared by all workspaces. */
  readonly rates: Rates;
  readonly contents: () => Promise<Contents>;
}

export interface SharedState extends WorkspaceState {
  readonly workers: WorkerStore;
}

export function isShared(state: WorkspaceState): state is SharedState {
  return state.workers !== undefined;
}

export interface Journals {
  readonly writeError: () => string | undefined;
  /** Only the holder of the lease can append, from several processes of the run. */
  readonly open: (token: LeaseToken) => JournalAppender;
  readonly list: () => Promise<readonly string[]>;
  /** The entries of a run in the order in which they were appended; undefined if it has no journal. */
  readonly read: (run: string) => Promise<readonly JournalLine[] | undefined>;
  readonly unfinished: () => Promise<readonly string[]>;
  readonly extend: (token: LeaseToken, run: string, lines: readonly JournalLine[]) => Promise<void>;
}

export interface JournalAppender {
  /** Resolves when the line is durable. After a failed write, all later ones fail. */
  readonly append: (line: JournalLine) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface Runs {
  readonly record: (summary: RunSummary) => Promise<void>;
  /** Newest first. */
  readonly list: () => Promise<readonly RunSummary[]>;
}

export interface Texts {
  readonly read: (name: string) => Promise<string | undefined>;
  readonly write: (name: string, text: string) => Promise<void>;
  /** Sorted. */
  readonly list: () => Promise<readonly string[]>;
  /** A fingerprint of each existing text; it changes with the text. */
  readonly marks: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Documents with snapshots of several projects each (`snapshots/`). */
export interface SnapshotDocuments {
  readonly read: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly write: (texts: ReadonlyMap<string, string>) => Promise<void>;
  /** A fingerprint of each existing document; it changes with the document. */
  readonly marks: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly leases: Leases;
}

/** Signatures of saved plans: armored blocks, oldest first. */
export interface Approvals {
  readonly add: (run: string, signature: string) => Promise<void>;
  readonly list: (run: string) => Promise<readonly string[]>;
  /** By run; runs without signatures may be missing. */
  readonly ofRuns: (runs: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The lines of a ledger by the lowercase name of the project (docs/comparing.md), and problems with invalid ones. */
export interface LedgerContents {
  readonly lines: Map<string, string>;
  readonly problems: readonly Problem[];
}

export interface LedgerStore {
  /** Path in the workspace, for a file. */
  readonly file?: string;
  readonly read: () => Promise<LedgerContents>;
  readonly writeError: () => string | undefined;
  /** Stores `lines`; only those of `changed` projects differ from the stored ones. */
  readonly write: (token: LeaseToken, lines: ReadonlyMap<string, string>, changed: readonly string[]) => Promise<void>;
}

export interface Contents {
  readonly runs: number;
  readonly journals: number;
  readonly plans: number;
  readonly approvals: number;
  readonly ledger: number;
  readonly snapshots: number;
  readonly notes: number;
  readonly bytes: number;
}

/** One line of a journal (docs/safety.md). Contains no parameters, and therefore no secrets. */
export type JournalEntry =
  | {
      readonly event: "start";
      readonly who: string;
      readonly pid: number;
      readonly commit: string | null;
      readonly manifests: string;
      readonly server: string;
      readonly changes: number;
    }
  | {
      readonly event: "intent";
      readonly address: string;
      readonly action: Action;
      readonly method: string;
      readonly path: string;
    }
  | {
      readonly event: "result";
      readonly address: string;
      readonly status: OutcomeStatus;
      /** HTTP status, and the server's request ID. */
      readonly http?: number;
      readonly request_id?: string;
      readonly error?: string;
    }
  | {
      readonly event: "wave";
      readonly wave: number;
      readonly of: number;
      readonly projects: number;
      readonly reason?: string;
    }
  /** The server accepted a storage move, which continues in the background. */
  | { readonly event: "scheduled"; readonly address: string; readonly to: string; readonly http?: number }
  /** The first request of a replacement deleted the resource; the creation is still to follow. */
  | { readonly event: "deleted"; readonly address: string; readonly http?: number }
  | { readonly event: "end"; readonly outcomes: Readonly<Record<string, number>> }
  /** A later run has reported that this one did not finish. */
  | { readonly event: "noticed" };

export type JournalLine = JournalEntry & { readonly at: string };

/** Data shared by a run and its workers, beside journal and ledger (docs/fleets.md). */
export interface WorkerStore {
  readonly leases: (name: string) => Leases;
  readonly holders: (start: string) => Promise<readonly Holder[]>;
  /** Stores a document of a run: the task of a shard, or its result. An existing document of that name stays. */
  readonly write: (run: string, name: string, text: string) => Promise<void>;
  readonly read: (run: string, names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Deletes the documents and leases of a run, and all that are older than a day. */
  readonly forget: (run: string) => Promise<void>;
}

/** The lease of a run with workers; it ends when the run ends or is stopped. */
export function runLease(run: string): string {
  return `${runLeases}${run}`;
}

export const runLeases = "run/";

export function shardLease(run: string, shard: string): string {
  return `${shardLeases(run)}${shard}`;
}

export function shardLeases(run: string): string {
  return `shard/${run}/`;
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

/** Identifies a token of a server; the token cannot be derived from it. */
export function rateKey(token: string, origin: string): string {
  return createHmac("sha256", token).update(`evenkeel rate limit of ${origin}`).digest("hex").slice(0, 32);
}

/** Milliseconds; limit for longer waits that a server asks for. */
export const maxHold = 3_600_000;

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
