import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { pid } from "node:process";
import { UnavailableError } from "../base/exit.ts";
import { version } from "../base/version.ts";
import type { Reader } from "../client/client.ts";
import type { Member, WorkerStore } from "../state/worker-store.ts";

/** Announces a process to others with heartbeats until it is disposed. */
export interface Membership extends AsyncDisposable {
  readonly id: string;
  /** Why this member may no longer send requests; undefined while it may. Checks only the local clock. */
  readonly lost: () => string | undefined;
  /** Sends a heartbeat now. */
  readonly heartbeat: () => Promise<void>;
}

/** The joining process. */
interface Joining extends Pick<Member, "role" | "origin"> {
  readonly id?: string;
  /** Requests sent since it joined. */
  readonly sent?: () => number;
}

/**
 * Joins as a worker or as a run. Heartbeats, which include the number of requests sent, follow every 3 seconds, or three
 * times within `duration` milliseconds if that is shorter.
 */
export async function join(
  store: WorkerStore,
  { id = newId(), sent = () => 0, ...who }: Joining,
  duration: number,
): Promise<Membership> {
  const member: Member = { ...who, id, version, host: hostname().slice(0, 100), pid };
  let until = performance.now() + duration;
  let reason: string | undefined;
  let beating: Promise<void> = Promise.resolve();
  const send = () => store.heartbeat({ ...member, requests: sent() }, duration);
  await send();
  const lost = () => {
    if (performance.now() > until) reason ??= `this ${who.role} missed its heartbeats for ${duration / 1000} s`;
    return reason;
  };
  const beat = async () => {
    // A worker rejoins with a new ID; workers find a run by its ID, so it keeps announcing itself.
    if (lost() !== undefined && who.role === "worker") return clearInterval(timer);
    const asked = performance.now();
    // An unavailable state may recover before this member counts as dead.
    await send().then(
      () => {
        until = asked + duration;
      },
      (error) => {
        if (error instanceof UnavailableError) reason ??= error.message;
      },
    );
  };
  const heartbeat = () => {
    beating = beating.then(beat);
    return beating;
  };
  const timer = setInterval(heartbeat, Math.min(duration / 3, maxInterval));
  timer.unref();
  return {
    id,
    lost,
    heartbeat,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await beating;
      await store.leave(id).catch(() => {});
    },
  };
}

function newId(): string {
  return `${hostname().slice(0, 100)}/${pid}/${randomBytes(4).toString("hex")}`;
}

/** Milliseconds after its last heartbeat for which a member counts as alive. */
export function membershipFor(leaseDuration: number): number {
  return Math.min(leaseDuration, 20_000);
}

/** Milliseconds between heartbeats. */
const maxInterval = 3000;

/** Requests that a connection sent, including retries. */
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
    leave: async () => (await membership.catch(() => undefined))?.[Symbol.asyncDispose](),
  };
}
