import type { LeaseToken } from "./lease-store.ts";

/** A process that sends heartbeats: a worker, or a run with workers. */
export interface Member {
  /** Never reused. */
  readonly id: string;
  readonly role: "worker" | "run";
  /** The server, and the key that its work is signed with. */
  readonly origin: string;
  readonly version: string;
  readonly host: string;
  readonly pid: number;
  /** Requests sent so far. */
  readonly requests?: number;
}

/** A sender of requests: a process uses a new name for each chunk. */
export interface Sender {
  readonly name: string;
  /** The ID of its member. */
  readonly member: string;
}

/**
 * The state of an intent. `mine`: this sender may send it. `abandoned`: its outcome is unknown, and its sender can no
 * longer send it.
 */
export type Intent =
  | { readonly mine: true }
  | ({ readonly outcome: string } & SealedBySenders)
  | ({ readonly pending: Sender; readonly abandoned: boolean } & SealedBySenders);

/** Encrypted digests of secrets, one text for each possible sender of a write. */
export interface SealedBySenders {
  readonly sealed: readonly string[];
}

/** An intent, with its outcome if known, as its sender wrote it. */
interface StoredIntent extends SealedBySenders {
  readonly outcome?: string;
}

/** What runs and workers share besides the queue (docs/fleets.md). */
export interface WorkerStore {
  /** A member counts as alive for this many milliseconds from now, in all workspaces. */
  readonly heartbeat: (member: Member, milliseconds: number) => Promise<void>;
  readonly leave: (id: string) => Promise<void>;
  /** Members that are alive. */
  readonly members: () => Promise<readonly Member[]>;
  /**
   * Stores the intent to write an address, unless there is one. `grace`: milliseconds after the last heartbeat of a member
   * for which its requests may still be in flight. `sealed`: encrypted digests of the secrets to send, in one line.
   * @throws LeaseLostError.
   */
  readonly claim: (
    token: LeaseToken,
    address: string,
    sender: Sender,
    grace: number,
    sealed: string,
  ) => Promise<Intent>;
  /** Takes over an abandoned intent; false if another sender was faster. @throws LeaseLostError. */
  readonly takeOver: (
    token: LeaseToken,
    address: string,
    senders: { readonly from: Sender; readonly to: Sender },
    grace: number,
    sealed: string,
  ) => Promise<boolean>;
  /** Records the outcome of an intent, by its sender only; undefined if nothing was sent, so that another may claim it. */
  readonly recordOutcome: (run: string, address: string, sender: Sender, outcome: string | undefined) => Promise<void>;
  /** Every intent of a run. */
  readonly intents: (run: string) => Promise<ReadonlyMap<string, StoredIntent>>;
  /** Saves the result of a chunk; the first one wins. */
  readonly saveResult: (run: string, part: string, result: string) => Promise<void>;
  /** Some saved results of a run, by chunk; deletes those in `taken`. */
  readonly collectResults: (run: string, taken: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Deletes the intents and results of a run, and of all older than a day. */
  readonly forgetRun: (run: string) => Promise<void>;
}
