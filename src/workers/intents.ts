import { setTimeout as pause } from "node:timers/promises";
import type { ApplyOptions, Watcher } from "../apply/apply.ts";
import { lookUpWrite, observe } from "../apply/earlier-writes.ts";
import { UserError } from "../base/exit.ts";
import type { Reader } from "../client/client.ts";
import type { Change, Outcome } from "../model/types.ts";
import type { LeaseToken } from "../state/lease-store.ts";
import type { Intent, SealedBySenders, Sender, WorkerStore } from "../state/worker-store.ts";

/** Who sends writes for a run, and what it needs to know that nobody else does. */
export interface SharedRun {
  readonly store: WorkerStore;
  readonly token: LeaseToken;
  readonly sender: Sender;
  /** Milliseconds for which a request of another sender may still be under way when that is gone. */
  readonly grace: number;
  readonly stopped: () => string | undefined;
  /** What this sender says of the secrets of a change, for the run alone. */
  readonly sealed: (change: Change) => string;
}

type Known = Awaited<ReturnType<NonNullable<ApplyOptions["known"]>>> & Partial<SealedBySenders>;

const longestPause = 1000;

/**
 * Stores the intent of a write, so that of all who come to it one sends (docs/fleets.md). Who comes later waits for the
 * outcome, or sees by reading that it was carried out; it sends only what nobody else can send any more and reading
 * shows not to be there.
 */
export async function claimWrite(sending: SharedRun, reader: Reader, change: Change): Promise<Known | undefined> {
  const { store, token, sender, grace, stopped } = sending;
  try {
    for (let wait = 50; ; wait = Math.min(wait * 2, longestPause)) {
      const intent = await store.claim(token, change.address, sender, grace, sending.sealed(change));
      if ("mine" in intent) return undefined;
      const { sealed } = intent;
      if ("outcome" in intent) return { outcome: intent.outcome, isReported: true, sealed };
      const why = stopped();
      if (why) return { outcome: { status: "skipped", error: why } };
      if (intent.abandoned) {
        if (await takenOver(sending, change, intent)) {
          const found = await lookUpWrite(reader, change, "another worker");
          return found && { ...found, sealed };
        }
      } else if ((await observe(reader, change)) === "there") return { outcome: { status: "applied" }, sealed };
      await pause(wait);
    }
  } catch (error) {
    if (error instanceof UserError) return { outcome: { status: "skipped", error: error.message } };
    throw error;
  }
}

function takenOver(
  { store, token, sender, grace, sealed }: SharedRun,
  change: Change,
  { pending }: Extract<Intent, { readonly pending: Sender }>,
): Promise<boolean> {
  return store.takeOver(token, change.address, { from: pending, to: sender }, grace, sealed(change));
}

/** Tells the others what became of each intent; what was not sent is anybody's again. */
export function settling({ store, token, sender }: Pick<SharedRun, "store" | "token" | "sender">): Watcher {
  return {
    outcome: async ({ address, change, outcome }) => {
      if (!change) return;
      const settled: Outcome | undefined = outcome.status === "skipped" ? undefined : outcome;
      await store.recordOutcome(token.run, address, sender, settled).catch((error) => {
        // A state that is gone takes the lease with it: what was in flight is looked up by whoever comes next.
        if (!(error instanceof UserError)) throw error;
      });
    },
  };
}
