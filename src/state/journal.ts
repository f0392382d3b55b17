import { userErrorOf } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import type { Outcome, OutcomeStatus } from "../model/types.ts";
import type { LeaseToken } from "./lease.ts";
import type { JournalEntry, JournalLine, Journals, WorkspaceState } from "./state.ts";

export interface Journal {
  /** Resolves to an error message, or undefined when it is durable. After a failed write, all later ones fail. */
  readonly write: (entry: JournalEntry) => Promise<string | undefined>;
  readonly unstored: () => readonly JournalLine[];
  readonly close: () => Promise<void>;
}

/** Starts the journal of a run, or continues it. Errors are returned by `write`. */
export function startJournal({ journals }: WorkspaceState, token: LeaseToken, now: () => Date): Journal {
  const appender = journals.open(token);
  const unstored: JournalLine[] = [];
  return {
    write: async (entry) => {
      const line: JournalLine = { at: now().toISOString(), ...entry };
      const error = await userErrorOf(appender.append(line));
      if (error !== undefined) unstored.push(line);
      return error;
    },
    unstored: () => unstored,
    close: appender.close,
  };
}

export interface UnfinishedRun {
  readonly run: string;
  readonly inFlight: readonly string[];
}

/** Killed runs that no later run has reported yet. */
export async function unfinishedRuns(journals: Journals): Promise<readonly UnfinishedRun[]> {
  const runs = await journals.unfinished();
  return Promise.all(runs.map(async (run) => ({ run, inFlight: inFlight((await journals.read(run)) ?? []) })));
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
export function isUnfinished(last: JournalLine | undefined): boolean {
  return last?.event !== "end" && last?.event !== "noticed";
}

/** Parses a line of a journal. Undefined for an invalid one, for example a line cut short by a kill or a full disk. */
export function journalLineIn(text: string): JournalLine | undefined {
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
export async function lastOutcomes(journals: Journals, addresses: readonly string[]): Promise<readonly RunOutcome[]> {
  const names = new Set(addresses.map((address) => address.toLowerCase()));
  const found: RunOutcome[] = [];
  for (const run of (await journals.list()).toReversed()) {
    const outcome = findOutcome(run, (await journals.read(run)) ?? [], names);
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
