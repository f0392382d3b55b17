import type { OutcomeStatus } from "../model/types.ts";
import type { JournalLine } from "./journal-entry.ts";
import type { Journals } from "./state.ts";

/** The outcome of a run for one resource. */
export interface RunOutcome {
  readonly run: string;
  readonly who: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly status: OutcomeStatus;
  readonly error: string | null;
  /** The commit of the manifests. */
  readonly commit: string | null;
}

/**
 * The last run that applied a resource, preceded by later attempts, newest first. `addresses` are its current and former
 * addresses. @throws UserError if a journal cannot be read.
 */
export async function lastOutcomes(journals: Journals, addresses: readonly string[]): Promise<readonly RunOutcome[]> {
  const names = new Set(addresses.map((address) => address.toLowerCase()));
  const found: RunOutcome[] = [];
  for (const run of (await journals.list()).toReversed()) {
    const outcome = outcomeIn(run, (await journals.read(run)) ?? [], names);
    if (outcome) found.push(outcome);
    if (outcome?.status === "applied") break;
  }
  return found;
}

/** Unknown for a request without a recorded response; undefined if no request was sent. */
function outcomeIn(run: string, entries: readonly JournalLine[], names: ReadonlySet<string>): RunOutcome | undefined {
  const own = entries.filter((entry) => "address" in entry && names.has(entry.address.toLowerCase()));
  const intent = own.findLast((entry) => entry.event === "intent");
  if (!intent) return undefined;
  const outcome = own.findLast((entry) => entry.event === "result" || entry.event === "deleted");
  const start = entries.find((entry) => entry.event === "start");
  const { who = null, commit = null } = start?.event === "start" ? start : {};
  return { run, who, commit, ...endOf(outcome, intent.at) };
}

function endOf(outcome: JournalLine | undefined, intentAt: string): Pick<RunOutcome, "at" | "status" | "error"> {
  if (outcome?.event === "result") return { at: outcome.at, status: outcome.status, error: outcome.error ?? null };
  if (outcome?.event !== "deleted") return { at: intentAt, status: "unknown", error: null };
  const error = "it was deleted, and perhaps not created again: the run ended in the middle of a replacement";
  return { at: outcome.at, status: "unknown", error };
}
