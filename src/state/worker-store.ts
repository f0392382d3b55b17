import type { Outcome } from "../model/types.ts";
import type { LeaseToken } from "./lease-store.ts";

/** A process that takes part in runs over several machines: a worker, or a run that gives work out. */
export interface Member {
  /** Of all members that ever were. */
  readonly id: string;
  readonly role: "worker" | "run";
  /** Where its requests go. */
  readonly origin: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  /** Requests that it sent so far. */
  readonly requests?: number;
}

/** Who is about to send a request. One process sends for several parts of a run, each under a name of its own. */
export interface Sender {
  readonly name: string;
  /** The ID of the member that it is part of. */
  readonly member: string;
}

/**
 * What is known of the intent of a write. `mine`: it is this sender's to send. `abandoned`: no outcome is known, and who
 * stored it can send nothing more.
 */
export type Intent =
  | { readonly mine: true }
  | ({ readonly outcome: Outcome } & SealedBySenders)
  | ({ readonly pending: Sender; readonly abandoned: boolean } & SealedBySenders);

/** What each who may have sent a write sealed about its secrets, for the run alone. */
export interface SealedBySenders {
  readonly sealed: readonly string[];
}

/** An intent of a run; without an outcome where that is not known. */
interface StoredIntent extends SealedBySenders {
  readonly outcome?: Outcome;
}

/** What runs over several machines share beside the queue that gives work out (docs/fleets.md). */
export interface WorkerStore {
  /** Says that a member is there for so many milliseconds from now; whatever the workspace, all of a state see it. */
  readonly heartbeat: (member: Member, milliseconds: number) => Promise<void>;
  readonly leave: (id: string) => Promise<void>;
  /** Those that are there. */
  readonly members: () => Promise<readonly Member[]>;
  /**
   * Stores the intent to write an address in a run, for whoever comes first. `grace`: milliseconds for which a request
   * of a member that is gone may still be under way. `sealed`: one line about the secrets that it will send, empty if none.
   * @throws LeaseLostError.
   */
  readonly claim: (
    token: LeaseToken,
    address: string,
    sender: Sender,
    grace: number,
    sealed: string,
  ) => Promise<Intent>;
  /** Takes an abandoned intent over from a sender; false where it is not to be had. @throws LeaseLostError. */
  readonly takeOver: (
    token: LeaseToken,
    address: string,
    senders: { readonly from: Sender; readonly to: Sender },
    grace: number,
    sealed: string,
  ) => Promise<boolean>;
  /** Records the outcome of an intent, by its sender only; undefined if nothing was sent, so that another may claim it. */
  readonly recordOutcome: (run: string, address: string, sender: Sender, outcome: Outcome | undefined) => Promise<void>;
  /** Every intent of a run. */
  readonly intents: (run: string) => Promise<ReadonlyMap<string, StoredIntent>>;
  /** Keeps the result of a part of a run; one that is there already stays. */
  readonly saveResult: (run: string, part: string, result: string) => Promise<void>;
  /** Some results of a run that are kept, by their parts; `taken` are not kept any longer. */
  readonly collectResults: (run: string, taken: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Forgets intents and results of a run, and of all that are long over. */
  readonly forgetRun: (run: string) => Promise<void>;
}
