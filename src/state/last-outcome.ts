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
  const outcome = own.findLast((entry) => entry.event === "result");
  const intent = own.findLast((entry) => entry.event === "intent");
  if (!intent) return undefined;
  const start = entries.find((entry) => entry.event === "start");
  const { who = null, commit = null } = start?.event === "start" ? start : {};
  const {
    at,
    status,
    error = null,
  } = outcome?.event === "result" ? outcome : { at: intent.at, status: "unknown" as const };
  return { run, who, at, status, error, commit };
}
