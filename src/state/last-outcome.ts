import type { OutcomeStatus } from "../model/types.ts";
import type { JournalLine } from "./journal-entry.ts";
import type { Journals } from "./state.ts";

/** What a run did to one resource. */
export interface RunOutcome {
  readonly run: string;
  readonly who: string | null;
  /** ISO 8601. */
  readonly at: string;
  readonly status: OutcomeStatus;
  readonly error: string | null;
  /** The commit that the manifests were at. */
  readonly commit: string | null;
}

/**
 * The run that last applied one of these addresses, which are names of one thing, and what was tried since, newest
 * first. @throws UserError where a journal cannot be read.
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

/** What was sent and never answered, as by a run that was killed, is unknown; what was not sent at all does not count. */
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
