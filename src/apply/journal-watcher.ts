import type { Journal } from "../state/journal.ts";
import type { Watcher } from "./apply.ts";

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
