import { setTimeout as pause } from "node:timers/promises";
import type { ApplyOptions, Watcher } from "../apply/apply.ts";
import { lookUpWrite, observe } from "../apply/earlier-writes.ts";
import { ignoreUserError, UserError } from "../base/exit.ts";
import type { Reader } from "../client/client.ts";
import type { Change } from "../model/types.ts";
import type { LeaseToken } from "../state/lease-store.ts";
import type { Intent, SealedBySenders, Sender, WorkerStore } from "../state/worker-store.ts";
import type { SignedOutcomes } from "./signed-outcomes.ts";

/** A sender of writes for a run. */
export interface SharedRun {
  readonly store: WorkerStore;
  readonly token: LeaseToken;
  readonly sender: Sender;
  readonly outcomes: SignedOutcomes;
  /** Milliseconds after the last heartbeat of another sender for which its requests may still be in flight. */
  readonly grace: number;
  readonly stopped: () => string | undefined;
  /** Digests of the secrets that it sends with a change, encrypted to the run. */
  readonly sealed: (change: Change) => string;
}

type Known = Awaited<ReturnType<NonNullable<ApplyOptions["known"]>>> & Partial<SealedBySenders>;

const maxPause = 1000;

/**
 * Stores the intent of a write, so that only one sender sends it (docs/fleets.md); undefined if that is this one. Others
 * wait for the outcome, or until reading shows the change. They send it themselves only if the first sender has stopped
 * and reading does not show the change.
 */
export async function claimWrite(sending: SharedRun, reader: Reader, change: Change): Promise<Known | undefined> {
  const { store, token, sender, grace, stopped } = sending;
  try {
    for (let wait = 50; ; wait = Math.min(wait * 2, maxPause)) {
      const intent = await store.claim(token, change.address, sender, grace, sending.sealed(change));
      if ("mine" in intent) return undefined;
      const { sealed } = intent;
      if ("outcome" in intent) {
        return { outcome: sending.outcomes.read(change.address, intent.outcome), isReported: true, sealed };
      }
      const why = stopped();
      if (why) return { outcome: { status: "skipped", error: why } };
      if (intent.abandoned) {
        if (await takeOver(sending, change, intent)) {
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

function takeOver(
  { store, token, sender, grace, sealed }: SharedRun,
  change: Change,
  { pending }: Extract<Intent, { readonly pending: Sender }>,
): Promise<boolean> {
  return store.takeOver(token, change.address, { from: pending, to: sender }, grace, sealed(change));
}

/** Records the outcome of each intent; what was not sent may be claimed again. */
export function settling({ store, token, sender, outcomes }: Omit<SharedRun, "sealed">): Watcher {
  return {
    outcome: async ({ address, change, outcome }) => {
      if (!change) return;
      const settled = outcome.status === "skipped" ? undefined : outcomes.write(address, outcome);
      // If the state is unavailable, the lease expires and the next run looks up what was in flight.
      await store.recordOutcome(token.run, address, sender, settled).catch(ignoreUserError);
    },
  };
}
