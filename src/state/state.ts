import type { Memory } from "../diff/last-applied.ts";
import type { LedgerLine } from "../diff/ledger-line.ts";
import type { Problem } from "../model/types.ts";
import type { JournalLine } from "./journal-entry.ts";
import type { Leases, LeaseToken } from "./lease-store.ts";
import type { Rates } from "./rates.ts";
import type { RunSummary } from "./run-summary.ts";
import type { WorkerStore } from "./worker-store.ts";

/**
 * What lasts between the runs of one workspace, wherever it lies. `test/state/laws.ts` says what each backend promises;
 * what cannot be kept or read is thrown as a {@link UserError} with a sentence for people.
 */
export interface WorkspaceState extends AsyncDisposable {
  /** Where it is, for people; without a password. */
  readonly place: string;
  /** The lock of runs that write: one apply at a time. */
  readonly leases: Leases;
  /** The leader lock of watchers; it blocks no apply. */
  readonly watchLeases: Leases;
  readonly journals: Journals;
  readonly runs: Runs;
  readonly ledger: LedgerStore;
  /** Saved plans as JSON texts, by the run that made them. */
  readonly plans: Texts;
  readonly approvals: Approvals;
  /** What else a workspace remembers by name, such as the fleet's list of projects. */
  readonly notes: Texts;
  /** What runs share with their workers; undefined where no other machine sees the state. */
  readonly workers: WorkerStore | undefined;
  /** How each project was last seen; `snapshots/` knows what the shards hold. */
  readonly snapshots: Shards;
  /** Request rates of tokens, whatever the workspace. */
  readonly rates: Rates;
  /** What it keeps, counted. */
  readonly contents: () => Promise<Contents>;
}

/** A state that other machines see too. */
export interface SharedState extends WorkspaceState {
  readonly workers: WorkerStore;
}

export function isShared(state: WorkspaceState): state is SharedState {
  return state.workers !== undefined;
}

/** Journals by the name of their run. */
export interface Journals {
  /** Whether one can be kept, as far as that can be known: undefined, or why not. */
  readonly trouble: () => string | undefined;
  /**
   * Opens the journal of a new run; only the holder of the lease can append to it. Others that work for the run at the
   * same time append under names of their own.
   */
  readonly open: (token: LeaseToken, writer?: string) => JournalAppender;
  /** Names of the runs that have one, oldest first. */
  readonly list: () => Promise<readonly string[]>;
  /** The entries of a run in the order in which they were appended; undefined where there is no such run. */
  readonly read: (run: string) => Promise<readonly JournalLine[] | undefined>;
  /** Runs that neither ended nor were noticed since, oldest first. */
  readonly unfinished: () => Promise<readonly string[]>;
  /** Appends to the journal of another run. */
  readonly extend: (token: LeaseToken, run: string, lines: readonly JournalLine[]) => Promise<void>;
}

export interface JournalAppender {
  /**
   * Resolves when the line is durable; lines that arrive together share one write. After one that could not be stored
   * every later one is rejected too.
   */
  readonly append: (line: JournalLine) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Summaries of runs. */
export interface Runs {
  /** Puts the summary of a run in the place of an earlier one of the same run. */
  readonly record: (summary: RunSummary) => Promise<void>;
  /** Newest first. */
  readonly list: () => Promise<readonly RunSummary[]>;
}

/** Texts by name. */
export interface Texts {
  readonly read: (name: string) => Promise<string | undefined>;
  readonly write: (name: string, text: string) => Promise<void>;
  /** Names in their order. */
  readonly list: () => Promise<readonly string[]>;
  /** Of those of these names that there are, a mark each: another text has another one. */
  readonly marks: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

/** Texts by name that are changed several at a time, and may be large. */
export interface Shards {
  /** Those of these names that there are. */
  readonly read: (names: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Puts what `edit` makes of these shards in their place; it may be asked again. */
  readonly change: (
    names: readonly string[],
    edit: (before: ReadonlyMap<string, string>) => ReadonlyMap<string, string>,
  ) => Promise<void>;
  /** Names in their order. */
  readonly list: () => Promise<readonly string[]>;
}

/** Signatures of saved plans: armored blocks, oldest first. */
export interface Approvals {
  readonly add: (run: string, signature: string) => Promise<void>;
  readonly list: (run: string) => Promise<readonly string[]>;
  /** Those of several runs, by run; one without any may be left out. */
  readonly ofRuns: (runs: readonly string[]) => Promise<ReadonlyMap<string, readonly string[]>>;
}

/** What a ledger holds of each project, by its name in lower case, and what in it could not be used. */
export interface LedgerContents {
  readonly lines: ReadonlyMap<string, LedgerLine>;
  readonly problems: readonly Problem[];
}

/** What became of one address: what is remembered of it now, or nothing any more. */
export interface LedgerEdit {
  readonly project: string;
  /** The address without its project. */
  readonly rest: string;
  readonly memory: Memory | undefined;
}

/** Where a ledger's lines lie. */
export interface LedgerStore {
  /** Its path in the workspace, where it is a file. */
  readonly file?: string;
  readonly read: () => Promise<LedgerContents>;
  /** Whether it can be written, as far as that can be known: undefined, or why not. */
  readonly trouble: () => string | undefined;
  /** Changes these addresses, made with this key, and leaves what other runs wrote. */
  readonly write: (token: LeaseToken, key: string, edits: readonly LedgerEdit[]) => Promise<void>;
}

/** How much a state keeps. */
export interface Contents {
  readonly runs: number;
  readonly journals: number;
  readonly plans: number;
  readonly approvals: number;
  /** Projects that the ledger knows. */
  readonly ledger: number;
  /** Projects that were seen. */
  readonly snapshots: number;
  readonly notes: number;
  readonly bytes: number;
}
