import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { pid } from "node:process";
import { UnavailableError } from "../base/exit.ts";
import { version } from "../base/version.ts";
import type { Reader } from "../client/client.ts";
import type { Member, WorkerStore } from "../state/worker-store.ts";

/** Announces a process to the others with heartbeats until it is disposed. */
export interface Membership extends AsyncDisposable {
  readonly id: string;
  /** Why nothing may be sent as this member any more; asks nobody, as that of a lease. */
  readonly lost: () => string | undefined;
  /** Says again at once that it is there, and what it sent. */
  readonly tell: () => Promise<void>;
}

/** Who takes part. */
interface Joining extends Pick<Member, "role" | "origin"> {
  readonly id?: string;
  /** Requests sent so far, since it joined. */
  readonly sent?: () => number;
}

/**
 * Takes part as a worker, or as a run that gives work out. Said again every few seconds, and three times within
 * `duration` milliseconds, with what it sent so far.
 */
export async function join(
  store: WorkerStore,
  { id = newId(), sent = () => 0, ...who }: Joining,
  duration: number,
): Promise<Membership> {
  const member: Member = { ...who, id, version, host: hostname().slice(0, 100), pid };
  let until = performance.now() + duration;
  let reason: string | undefined;
  let telling: Promise<void> = Promise.resolve();
  const present = () => store.heartbeat({ ...member, requests: sent() }, duration);
  await present();
  const lost = () => {
    if (performance.now() > until) reason ??= `this ${who.role} was not heard of for ${duration / 1000} s`;
    return reason;
  };
  const tell = async () => {
    // A worker comes back as another; a run is looked for by its name, and has to be found again.
    if (lost() !== undefined && who.role === "worker") return clearInterval(timer);
    const asked = performance.now();
    // A state that cannot be reached for a while may come back before the others take this member for gone.
    await present().then(
      () => {
        until = asked + duration;
      },
      (error) => {
        if (error instanceof UnavailableError) reason ??= error.message;
      },
    );
  };
  const tellNext = () => {
    telling = telling.then(tell);
    return telling;
  };
  const timer = setInterval(tellNext, Math.min(duration / 3, longestSilence));
  timer.unref();
  return {
    id,
    lost,
    tell: tellNext,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await telling;
      await store.leave(id).catch(() => {});
    },
  };
}

function newId(): string {
  return `${hostname().slice(0, 100)}/${pid}/${randomBytes(4).toString("hex")}`;
}

/** Milliseconds after its last heartbeat for which a member counts as alive. */
export function membershipFor(leaseDuration: number): number {
  return Math.min(leaseDuration, longest);
}

const longest = 20_000;

/** Milliseconds. */
const longestSilence = 3000;

/** Requests that a connection sent, further attempts included. */
export function sentBy({ counts }: Pick<Reader, "counts">): number {
  return counts.reads + counts.writes + counts.retries;
}

/** A worker that missed heartbeats rejoins with a new ID, so that no other process waits for its old intents. */
export function keepHeartbeat(store: WorkerStore, origin: string, duration: number, counted: () => number) {
  const renewed = async (before: Membership | undefined): Promise<Membership> => {
    if (before && before.lost() === undefined) return before;
    await before?.[Symbol.asyncDispose]();
    const earlier = counted();
    return join(store, { role: "worker", origin, sent: () => counted() - earlier }, duration);
  };
  let membership: Promise<Membership | undefined> = Promise.resolve(undefined);
  return {
    current: (): Promise<Membership> => {
      const current = membership.then(renewed);
      membership = current;
      return current;
    },
    // Who could not join any more has nothing to leave.
    leave: async () => (await membership.catch(() => undefined))?.[Symbol.asyncDispose](),
  };
}
