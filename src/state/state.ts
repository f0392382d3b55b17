import type { Memory } from "../diff/last-applied.ts";
import type { LedgerHead, LedgerLine } from "../diff/ledger-line.ts";
import type { Problem } from "../model/types.ts";
import type { JournalLine } from "./journal-entry.ts";
import type { Leases, LeaseToken } from "./lease-store.ts";
import type { Rates } from "./rates.ts";
import type { RunSummary } from "./run-summary.ts";
import type { WorkerStore } from "./worker-store.ts";

/**
 * What is stored between the runs of a workspace. `test/state/laws.ts` tests what every backend guarantees. Methods throw
 * a {@link UserError} if something cannot be read or written.
 */
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
  /** The last observed status of each project; `snapshots/` defines the content. */
  readonly snapshots: Shards;
  /** Request rates of tokens, shared by all workspaces. */
  readonly rates: Rates;
  readonly contents: () => Promise<Contents>;
}

/** A state that other machines can use. */
export interface SharedState extends WorkspaceState {
  readonly workers: WorkerStore;
}

export function isShared(state: WorkspaceState): state is SharedState {
  return state.workers !== undefined;
}

/** Journals by the name of their run. */
export interface Journals {
  /** Why no journal can be written, as far as that can be checked in advance. */
  readonly writeError: () => string | undefined;
  /**
   * Opens the journal of a new run; only the holder of the lease can append to it. Workers of the run append under their own
   * `writer` names.
   */
  readonly open: (token: LeaseToken, writer?: string) => JournalAppender;
  /** Runs with a journal, oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** The entries of a run in the order in which they were appended; undefined if it has no journal. */
  readonly read: (run: string) => Promise<readonly JournalLine[] | undefined>;
  /** Runs without an `end` or `noticed` entry, oldest first. */
  readonly unfinished: () => Promise<readonly string[]>;
  /** Appends to the journal of another run. */
  readonly extend: (token: LeaseToken, run: string, lines: readonly JournalLine[]) => Promise<void>;
}

export interface JournalAppender {
  /**
   * Resolves when the line is durable. Lines that arrive together share one write. After a failed write, all later ones
   * fail.
   */
  readonly append: (line: JournalLine) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Summaries of runs. */
export interface Runs {
  /** Creates or replaces the summary of a run. */
  readonly record: (summary: RunSummary) => Promise<void>;
  /** Newest first. */
  readonly list: () => Promise<readonly RunSummary[]>;
}

/** Texts by name. */
export interface Texts {
  readonly read: (name: string) => Promise<string | undefined>;
  readonly write: (name: string, text: string) => Promise<void>;
  /** Sorted. */
  readonly list: () => Promise<readonly string[]>;
  /** A fingerprint of each of these texts that exists; it changes with the text. */
  readonly marks: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Large texts by name, several of which are changed at a time. */
export interface Shards {
  /** Those that exist. */
  readonly read: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** The text of one in pieces that are never all in memory; none if there is none. */
  readonly pieces: (name: string) => AsyncIterable<string>;
  /** Replaces these shards atomically by the result of `edit`, which may be called again. */
  readonly change: (
    names: readonly string[],
    edit: (before: ReadonlyMap<string, string>) => ReadonlyMap<string, string>,
  ) => Promise<void>;
  /** Sorted. */
  readonly list: () => Promise<readonly string[]>;
}

/** Signatures of saved plans: armored blocks, oldest first. */
export interface Approvals {
  readonly add: (run: string, signature: string) => Promise<void>;
  readonly list: (run: string) => Promise<readonly string[]>;
  /** By run; runs without signatures may be missing. */
  readonly ofRuns: (runs: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** The lines of a ledger by the lowercase name of the project, and problems with invalid ones. */
export interface LedgerContents {
  readonly lines: Pick<ReadonlyMap<string, LedgerLine>, "size" | "get"> & {
    readonly keys: () => Iterable<string>;
    readonly headOf: (name: string) => LedgerHead | undefined;
  };
  /** How many lines were written with each key. */
  readonly keys: ReadonlyMap<string, number>;
  readonly problems: readonly Problem[];
  /** Closes what lines are read from, where they are read when they are asked for. */
  readonly close?: () => void;
}

/** Sets or deletes the entry of one address. */
export interface LedgerEdit {
  readonly project: string;
  /** The address without its project. */
  readonly rest: string;
  readonly memory: Memory | undefined;
}

/** Edits by project: those of a fleet need not be in memory at once. */
export interface LedgerEdits {
  /** Each once, whatever its case. */
  readonly projects: readonly string[];
  /** Those of one of them, of which there are some. */
  readonly of: (project: string) => readonly LedgerEdit[];
}

/** The storage of a ledger. */
export interface LedgerStore {
  /** Path in the workspace, for a file. */
  readonly file?: string;
  readonly read: () => Promise<LedgerContents>;
  /** Why it cannot be written, as far as that can be checked in advance. */
  readonly writeError: () => string | undefined;
  /** Changes only these addresses. `key` identifies the ledger key. */
  readonly write: (token: LeaseToken, key: string, edits: LedgerEdits) => Promise<void>;
}

/** Number of records of each kind. */
export interface Contents {
  readonly runs: number;
  readonly journals: number;
  readonly plans: number;
  readonly approvals: number;
  /** Projects in the ledger. */
  readonly ledger: number;
  /** Projects with a snapshot. */
  readonly snapshots: number;
  readonly notes: number;
  readonly bytes: number;
}
