import type { Notify } from "../manifest/notify.ts";
import type { Undelivered } from "../state/watch-memory.ts";
import { type Clock, pause } from "./clock.ts";
import type { Delivery } from "./deliver.ts";

/** Notifications on their way. Nothing waits for them, and none is lost by a receiver that is away for a while. */
export interface Outbox {
  /** Begins to deliver all that waits, as far as nobody does already. */
  readonly flush: () => void;
  /** Resolves when nothing is tried any more. */
  readonly settled: () => Promise<void>;
}

export interface OutboxOptions {
  readonly clock: Clock;
  /** What waits, oldest first. */
  readonly waiting: () => readonly Undelivered[];
  /** Takes one off that list. */
  readonly done: (one: Undelivered) => void;
  /** Where a reference leads now; undefined where the workspace names it no more. */
  readonly receiver: (to: string) => Notify | undefined;
  readonly attempt: (to: Notify, body: object) => Promise<Delivery>;
  readonly warn: (sentence: string) => void;
  /** Aborted: nothing is tried any more. */
  readonly signal: AbortSignal;
}

const mostAttempts = 5;

/** Milliseconds: for how long one is tried again at all, and before the second attempt of a round. */
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

/** In their order: where one does not get through, those after it wait. */
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

/** Milliseconds before the attempt after this one. A receiver may ask for a longer pause, and for no shorter one. */
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
