import type { Notify } from "../manifest/workspace.ts";
import type { Undelivered } from "../state/watch-memory.ts";
import { type Clock, pause } from "./clock.ts";
import type { Delivery } from "./deliver.ts";

/** Delivers notifications in the background, and retries while a receiver is unavailable. */
export interface Outbox {
  /** Starts to deliver to each receiver that has undelivered notifications. */
  readonly flush: () => void;
  /** Resolves when no attempt is in progress. */
  readonly settled: () => Promise<void>;
}

export interface OutboxOptions {
  readonly clock: Clock;
  /** Undelivered notifications, oldest first. */
  readonly waiting: () => readonly Undelivered[];
  /** Removes one from that list. */
  readonly done: (one: Undelivered) => void;
  /** The receiver of a reference; undefined if the workspace no longer names it. */
  readonly receiver: (to: string) => Notify | undefined;
  readonly attempt: (to: Notify, body: object) => Promise<Delivery>;
  readonly warn: (sentence: string) => void;
  /** Stops all attempts. */
  readonly signal: AbortSignal;
}

const mostAttempts = 5;

/** Milliseconds: how long a notification is retried at all, and the pause before the second attempt of a round. */
const longestAge = 24 * 3_600_000;
const firstPause = 1000;

export function createOutbox(options: OutboxOptions): Outbox {
  const trying = new Map<string, Promise<void>>();
  const begin = (to: string) => {
    const tried = deliverAll(to, options).catch((error) => options.warn(String(error)));
    trying.set(
      to,
      tried.finally(() => trying.delete(to)),
    );
  };
  return {
    flush: () => {
      for (const { to } of options.waiting()) if (!trying.has(to)) begin(to);
    },
    settled: async () => void (await Promise.all(trying.values())),
  };
}

/** Delivers in order: later notifications wait for earlier ones. */
async function deliverAll(to: string, options: OutboxOptions): Promise<void> {
  for (;;) {
    const next = options.waiting().find((each) => each.to === to);
    if (!next || options.signal.aborted) return;
    const receiver = options.receiver(to);
    const delivery = receiver ? await tryHard(receiver, next, options) : given;
    if (!delivery.delivered && delivery.again && !isOld(next, options)) return;
    options.done(next);
  }
}

const given: Delivery = { delivered: true };

function isOld({ since }: Undelivered, { clock }: OutboxOptions): boolean {
  return clock.now() - Date.parse(since) > longestAge;
}

/** Milliseconds before the next attempt; a receiver may only request a longer pause. */
function backoff(attempt: number, { random }: Clock): number {
  return firstPause * 2 ** (attempt - 1) * (0.5 + random());
}

async function tryHard(to: Notify, { body }: Undelivered, options: OutboxOptions): Promise<Delivery> {
  const { clock, warn, signal } = options;
  for (let attempt = 1; ; attempt++) {
    const delivery = await options.attempt(to, body);
    if (delivery.delivered) return delivery;
    const isLast = !delivery.again || attempt === mostAttempts || signal.aborted;
    if (!isLast) await pause(clock, Math.max(delivery.wait ?? 0, backoff(attempt, clock)), signal);
    if (!isLast && !signal.aborted) continue;
    warn(`a notification (${String(body.event)}) could not be delivered to ${to.url.secret}: ${delivery.why}`);
    return delivery;
  }
}
