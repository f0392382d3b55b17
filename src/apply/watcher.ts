import type { Call, Change } from "../model/types.ts";
import type { Journal } from "../state/journal.ts";
import type { JournalEntry } from "../state/journal-entry.ts";
import type { SentChange } from "./send-change.ts";

/** Notified of each step as it happens; the journal, the ledger and a progress bar are watchers. */
export interface Watcher {
  /** Awaited before each request, so that the intent is durable before the server acts. A message prevents the request. */
  readonly intent?: (change: Change, call: Call) => Promise<string | undefined>;
  /** Another journal entry. */
  readonly noted?: (entry: JournalEntry) => Promise<void>;
  /** Whether it writes the journal; workers write their own. */
  readonly isJournal?: true;
  /** Awaited after each step, before the next step of the project. */
  readonly outcome?: (event: ChangeEvent) => Promise<void>;
}

/** The outcome of one step. */
export interface ChangeEvent extends SentChange {
  readonly address: string;
  readonly change?: Change;
}

/** Announces a request that is about to be sent. Returns why it must not be sent, if a watcher cannot record it. */
export async function announce(watchers: readonly Watcher[], change: Change, call: Call): Promise<string | undefined> {
  for (const watcher of watchers) {
    const reason = await watcher.intent?.(change, call);
    if (reason) return reason;
  }
  return undefined;
}

/** Writes intents and outcomes to the journal. A request without a stored intent is not sent. */
export function journalling(journal: Journal): Watcher {
  return {
    isJournal: true,
    intent: ({ address, action }, { method, path }) =>
      journal.write({ event: "intent", address, action, method, path }),
    noted: async (entry) => void (await journal.write(entry)),
    outcome: async ({ address, outcome, answer, failure }) => {
      const http = answer?.status ?? failure?.status;
      await journal.write({
        event: "result",
        address,
        status: outcome.status,
        ...(http !== undefined && { http }),
        ...(answer?.requestId !== undefined && { request_id: answer.requestId }),
        ...(outcome.error !== undefined && { error: outcome.error }),
      });
    },
  };
}
