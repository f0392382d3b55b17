import { UserError } from "../base/exit.ts";
import { isObject } from "../base/json.ts";
import type { JournalEntry, JournalLine } from "./journal-entry.ts";
import type { Journals, LeaseToken, WorkspaceState } from "./state.ts";

/** The journal of one run, open for appending. */
export interface Journal {
  /**
   * Resolves when the entry is durable, or to why it is not. Entries that arrive together share one write; after one
   * that could not be stored there are no others.
   */
  readonly write: (entry: JournalEntry) => Promise<string | undefined>;
  /** Entries that could not be stored, in their order. */
  readonly unstored: () => readonly JournalLine[];
  readonly close: () => Promise<void>;
}

/**
 * Starts the journal of a run, or the part of one that another process writes under a name of its own. What keeps it
 * from that is told by the first `write`.
 */
export function startJournal(
  { journals }: WorkspaceState,
  token: LeaseToken,
  now: () => Date,
  writer?: string,
): Journal {
  const appender = journals.open(token, writer);
  const unstored: JournalLine[] = [];
  return {
    write: async (entry) => {
      const line: JournalLine = { at: now().toISOString(), ...entry };
      try {
        await appender.append(line);
        return undefined;
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        unstored.push(line);
        return error.message;
      }
    },
    unstored: () => unstored,
    close: appender.close,
  };
}

/** A run that neither ended nor was noticed since, and the addresses whose requests nobody saw answered. */
export interface UnfinishedRun {
  readonly run: string;
  readonly inFlight: readonly string[];
}

/** Runs that were killed, as a later one should name them. */
export async function unfinishedRuns(journals: Journals): Promise<readonly UnfinishedRun[]> {
  const runs = await journals.unfinished();
  return Promise.all(runs.map(async (run) => ({ run, inFlight: inFlight((await journals.read(run)) ?? []) })));
}

function inFlight(entries: readonly JournalLine[]): string[] {
  const open = new Set<string>();
  for (const entry of entries) {
    if (entry.event === "intent") open.add(entry.address);
    if (entry.event === "result" || entry.event === "scheduled") open.delete(entry.address);
  }
  return [...open];
}

/** Whether a run with these entries needs to be named by a later one. */
export function isUnfinished(entries: readonly JournalLine[]): boolean {
  return !entries.some(({ event }) => event === "end" || event === "noticed");
}

/** What journals of earlier versions call a result. */
const formerResult = "outcome";

/** Reads a line of a journal; undefined for one that a kill or a full disk cut short, or that is none. */
export function journalLineIn(text: string): JournalLine | undefined {
  try {
    const entry: unknown = JSON.parse(text);
    const row = isObject(entry) && entry.event === formerResult ? { ...entry, event: "result" } : entry;
    return isEntry(row) ? row : undefined;
  } catch {
    return undefined;
  }
}

/** What each event has beside the time at which it was written. */
const parts: Readonly<Record<JournalEntry["event"], readonly string[]>> = {
  start: ["who", "server"],
  intent: ["address", "method", "path"],
  result: ["address", "status"],
  wave: [],
  scheduled: ["address", "to"],
  end: [],
  noticed: [],
};

function isEntry(value: unknown): value is JournalLine {
  if (typeof value !== "object" || value === null || !("event" in value)) return false;
  const row: Readonly<Record<string, unknown>> = { ...value };
  const event = Object.entries(parts).find(([name]) => name === row.event);
  return event !== undefined && ["at", ...event[1]].every((name) => typeof row[name] === "string");
}
