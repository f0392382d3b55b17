import { userErrorOf } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import type { Action, Outcome, OutcomeStatus } from "../model/types.ts";
import type { LeaseToken } from "./lease.ts";
import type { WorkspaceState } from "./state.ts";

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

export interface Journal {
  /** Resolves to an error message, or undefined when it is durable. After a failed write, all later ones fail. */
  readonly write: (entry: JournalEntry) => Promise<string | undefined>;
  readonly unstored: () => readonly JournalLine[];
  readonly close: () => Promise<void>;
}

/** Starts the journal of a run, or continues it. Lines that wait for an earlier write are written together. */
export function startJournal(state: WorkspaceState, token: LeaseToken, now: () => Date): Journal {
  const unstored: JournalLine[] = [];
  let waiting: JournalLine[] = [];
  let next: Promise<string | undefined> | undefined;
  let current = Promise.resolve<string | undefined>(undefined);
  const flush = async () => {
    const failure = await current;
    const lines = waiting;
    waiting = [];
    next = undefined;
    current = failure ? Promise.resolve(failure) : userErrorOf(extendJournal(state, token, token.run, lines));
    const error = await current;
    if (error !== undefined) unstored.push(...lines);
    return error;
  };
  return {
    write: (entry) => {
      waiting.push({ at: now().toISOString(), ...entry });
      next ??= flush();
      return next;
    },
    unstored: () => unstored,
    close: async () => {
      await next;
      await current;
    },
  };
}

/** Only the holder of the lease can append, from several processes of the run. */
export async function extendJournal(
  { append }: Pick<WorkspaceState, "append">,
  token: LeaseToken,
  run: string,
  lines: readonly JournalLine[],
): Promise<void> {
  const texts = lines.map((line) => JSON.stringify(line));
  await append("journals", run, texts, token);
}

type Journals = Pick<WorkspaceState, "list" | "lines">;

/** The entries of a run in the order in which they were appended; undefined if it has no journal. */
export async function readJournal(
  { lines }: Pick<Journals, "lines">,
  run: string,
): Promise<readonly JournalLine[] | undefined> {
  return (await lines("journals", [run])).get(run)?.flatMap((line) => journalLineIn(line) ?? []);
}

/** The journals of all runs, oldest first; one at a time, because together they may not fit into memory. */
export async function* readJournals(state: Journals) {
  for (const run of await state.list("journals")) yield { run, entries: (await readJournal(state, run)) ?? [] };
}

export interface UnfinishedRun {
  readonly run: string;
  readonly inFlight: readonly string[];
}

/** Killed runs that no later run has reported yet. */
export async function unfinishedRuns(
  state: Pick<WorkspaceState, "lastLines" | "lines">,
): Promise<readonly UnfinishedRun[]> {
  const last = await state.lastLines("journals");
  const runs = [...last].filter(([, line]) => isUnfinished(journalLineIn(line)));
  return Promise.all(runs.map(async ([run]) => ({ run, inFlight: inFlight((await readJournal(state, run)) ?? []) })));
}

function inFlight(entries: readonly JournalLine[]): string[] {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.event === "intent") open.add(entry.address);
    if (endsRequest(entry)) open.delete(entry.address);
  }
  return [...open];
}

/** Changes that a run has begun to send. Failed ones have no outcome: a creation may still follow a deletion. */
export function beginningsIn(entries: readonly JournalLine[]): ReadonlyMap<string, Outcome | undefined> {
  const begun = new Map<string, Outcome | undefined>();
  for (const entry of entries) {
    if (entry.event === "intent") begun.set(entry.address, undefined);
    if (entry.event !== "result" || !begun.has(entry.address)) continue;
    const { address, status, error } = entry;
    if (status === "skipped") begun.delete(address);
    if (status === "applied" || status === "unknown") begun.set(address, { status, ...(error && { error }) });
  }
  return begun;
}

function endsRequest(entry: JournalLine): entry is Extract<JournalLine, { readonly address: string }> {
  return entry.event === "result" || entry.event === "scheduled" || entry.event === "deleted";
}

/** True if a later run must report the run whose journal ends with this line. */
function isUnfinished(last: JournalLine | undefined): boolean {
  return last?.event !== "end" && last?.event !== "noticed";
}

/** Parses a line of a journal. Undefined for an invalid one, for example a line cut short by a kill or a full disk. */
function journalLineIn(text: string): JournalLine | undefined {
  const entry = parsedJson(text);
  return isEntry(entry) ? entry : undefined;
}

/** String fields of each event besides `at`. */
const requiredTexts: Readonly<Record<JournalEntry["event"], readonly string[]>> = {
  start: ["who", "server"],
  intent: ["address", "method", "path"],
  result: ["address", "status"],
  wave: [],
  scheduled: ["address", "to"],
  deleted: ["address"],
  end: [],
  noticed: [],
};

function isEntry(value: unknown): value is JournalLine {
  if (!isObject(value)) return false;
  const event = Object.entries(requiredTexts).find(([name]) => name === value.event);
  return event !== undefined && ["at", ...event[1]].every((name) => typeof value[name] === "string");
}

export interface RunOutcome {
  readonly run: string;
  readonly who: string | null;
  readonly at: string;
  readonly status: OutcomeStatus;
  readonly error: string | null;
  readonly commit: string | null;
}

/** The last run that applied a resource, preceded by later attempts. `addresses`: its current and former ones. */
export async function lastOutcomes(state: Journals, addresses: readonly string[]): Promise<readonly RunOutcome[]> {
  const names = new Set(addresses.map((address) => address.toLowerCase()));
  const found: RunOutcome[] = [];
  for (const run of (await state.list("journals")).toReversed()) {
    const outcome = findOutcome(run, (await readJournal(state, run)) ?? [], names);
    if (outcome) found.push(outcome);
    if (outcome?.status === "applied") break;
  }
  return found;
}

function findOutcome(run: string, entries: readonly JournalLine[], names: ReadonlySet<string>): RunOutcome | undefined {
  const own = entries.filter((entry) => "address" in entry && names.has(entry.address.toLowerCase()));
  const intent = own.findLast((entry) => entry.event === "intent");
  if (!intent) return undefined;
  const outcome = own.findLast((entry) => entry.event === "result" || entry.event === "deleted");
  const start = entries.find((entry) => entry.event === "start");
  const { who = null, commit = null } = start?.event === "start" ? start : {};
  return { run, who, commit, ...describeEnd(outcome, intent.at) };
}

function describeEnd(outcome: JournalLine | undefined, intentAt: string): Pick<RunOutcome, "at" | "status" | "error"> {
  if (outcome?.event === "result") return { at: outcome.at, status: outcome.status, error: outcome.error ?? null };
  if (outcome?.event !== "deleted") return { at: intentAt, status: "unknown", error: null };
  const error = "it was deleted, and perhaps not created again: the run ended in the middle of a replacement";
  return { at: outcome.at, status: "unknown", error };
}
