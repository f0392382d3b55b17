import { UserError } from "../base/exit.ts";
import type { Writer } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { lookUpAgain } from "../live/look-up-values.ts";
import type { Call, Change, Outcome } from "../model/types.ts";
import { callsOf, partsOfChange } from "../plan/requests.ts";
import { type SentChange, sendChange } from "./send-change.ts";
import { announce, type Watcher } from "./watcher.ts";

/**
 * Sends the requests of a change, each recorded before. All are made before the first is sent, so that a replacement
 * deletes nothing that could not be created again for want of a parameter.
 */
export async function sendRecorded(writer: Writer, planned: Change, watchers: readonly Watcher[]): Promise<SentChange> {
  const change = await lookUpAgain(writer, planned).catch(unsent);
  if ("outcome" in change) return change;
  if ("why" in change) return { outcome: { status: "failed", error: `not sent: ${change.why}` } };
  const calls = madeCalls(writer, change);
  if (calls instanceof UserError) return { outcome: { status: "failed", error: `not sent: ${calls.message}` } };
  const [first, second] = partsOfChange(change);
  const sent = await sendOne(writer, first, calls[0], watchers);
  if (!second || !calls[1] || sent.outcome.status !== "applied") return sent;
  const http = sent.answer?.status;
  const entry = { event: "deleted", address: change.address, ...(http !== undefined && { http }) } as const;
  for (const watcher of watchers) await watcher.noted?.(entry);
  return afterDeletion(await sendOne(writer, second, calls[1], watchers));
}

function unsent(error: unknown): SentChange {
  if (!(error instanceof CallFailed)) throw error;
  return { outcome: { status: "skipped", error: "the run ended before it was sent" }, failure: error };
}

function madeCalls({ catalogue }: Writer, change: Change): ReturnType<typeof callsOf> | UserError {
  try {
    return callsOf(change, catalogue);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
}

async function sendOne(writer: Writer, change: Change, call: Call, watchers: readonly Watcher[]): Promise<SentChange> {
  const unrecorded = await announce(watchers, change, call);
  if (unrecorded) return { outcome: { status: "skipped", error: unrecorded } };
  return sendChange(writer, change, call);
}

/** What is said of a replacement whose second request did not succeed: what it means for the resource, and what to do. */
function afterDeletion(sent: SentChange): SentChange {
  const { status, error = "" } = sent.outcome;
  if (status === "applied") return sent;
  const outcome: Outcome =
    status === "unknown"
      ? { status, error: `it was deleted, and perhaps not created again: ${error}; apply again` }
      : { status: "failed", error: `it is deleted now and was not created again: ${error}; apply again to create it` };
  return { ...sent, outcome };
}
