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
  /** The last observed status of each project. */
  readonly snapshots: SnapshotDocuments;
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
  /** Opens the journal of a run; only the holder of the lease can append to it. Several processes of the run may. */
  readonly open: (token: LeaseToken) => JournalAppender;
  /** Runs with a journal, oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** The entries of a run in the order in which they were appended; undefined if it has no journal. */
  readonly read: (run: string) => Promise<readonly JournalLine[] | undefined>;
  /** Runs without an `end` or `noticed` entry, oldest first. */
  readonly unfinished: () => Promise<readonly string[]>;
  /** Appends to the journal of another run. */
  readonly extend: (token: LeaseToken, run: string, lines: readonly JournalLine[]) => Promise<void>;
}

interface JournalAppender {
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

/** Snapshots of projects, several in a document (`snapshots/`). */
export interface SnapshotDocuments {
  /** Those that exist. */
  readonly read: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  readonly write: (texts: ReadonlyMap<string, string>) => Promise<void>;
  /** A text for each of these documents that exists; it changes with the document. */
  readonly marks: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Held by a process that changes them. */
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

/** The storage of a ledger. */
export interface LedgerStore {
  /** Path in the workspace, for a file. */
  readonly file?: string;
  readonly read: () => Promise<LedgerContents>;
  /** Why it cannot be written, as far as that can be checked in advance. */
  readonly writeError: () => string | undefined;
  /** Stores `lines`, which differ from the stored ones in those of the `changed` projects. */
  readonly write: (token: LeaseToken, lines: ReadonlyMap<string, string>, changed: readonly string[]) => Promise<void>;
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
