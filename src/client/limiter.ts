import { Congestion } from "./congestion.ts";
import { othersShare, Quota, type QuotaAnswer } from "./quota.ts";
import { createRateGate, type RateGate, type RateOptions } from "./rate-gate.ts";
import type { Stop } from "./stop-signal.ts";
import { callLater } from "./timer.ts";

/** One gate for all requests, reads and writes together (docs/architecture.md), with as much room as serves best. */
export interface Limiter {
  /** Runs `work` as soon as there is room and no pause; whoever came first goes first. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** A request goes out now. */
  sending(): Sending;
  /** One that went out came to its end, with an answer or without one. */
  ended(): void;
  /** Its answer came in good time. */
  answered(sending: Sending): void;
  /** The server asked for less: half the room, once for all that was in flight. */
  overloaded(sending: Sending): void;
  /** What an answer says of the server's rate limit: all requests keep to it, so that none is refused. */
  allowed(sending: Sending, allowance: QuotaAnswer): void;
  /** Nothing is run for so many milliseconds; a longer pause that stands already is kept. */
  pause(milliseconds: number): void;
  /** Milliseconds until the pause ends, 0 where there is none. */
  remaining(): number;
  readonly room: number;
}

/** A request that went out. */
export interface Sending {
  /** By the clock of `performance.now()`. */
  readonly sent: number;
  /** In flight at that time, itself included. */
  readonly inFlight: number;
}

/** How long the first request may go ahead alone: its answer tells of a rate limit, or of a wrong token. */
const headStart = 250;

/** A rate that all requests of one token share, and its name there. */
export interface SharedRate {
  readonly rate: RateOptions;
  readonly key: string;
}

/**
 * Pauses longer than `longest` milliseconds are not waited for, and a stopped run waits for none: what runs then finds
 * out by itself.
 */
export function createLimiter(ceiling: number, stop: Stop, longest: number, shared?: SharedRate): Limiter {
  const waiting: (() => void)[] = [];
  const congestion = new Congestion(ceiling);
  const quota = new Quota(longest, shared ? 0 : othersShare);
  let isOpen = false;
  let room = 1;
  let running = 0;
  let inFlight = 0;
  let pausedUntil = 0;

  const letIn = (): void => {
    for (; running < room && waiting.length > 0; running++) waiting.shift()?.();
  };

  const adjust = (): void => {
    room = isOpen ? Math.max(1, Math.min(congestion.room, quota.left(performance.now()))) : 1;
    letIn();
  };

  const open = (): void => {
    isOpen = true;
    adjust();
  };

  const remaining = (): number => (pausedUntil === 0 ? 0 : Math.max(0, pausedUntil - performance.now()));

  const pauseHere = (milliseconds: number): void => {
    pausedUntil = Math.max(pausedUntil, performance.now() + milliseconds);
  };

  const gate =
    shared &&
    createRateGate(shared.rate, shared.key, { stop, longest, tooLong: pauseHere, queued: () => waiting.length });

  const pause = (milliseconds: number): void => {
    pauseHere(milliseconds);
    gate?.hold(milliseconds);
  };

  /** A pause may grow while it is waited out. */
  const pausesOver = async (): Promise<void> => {
    for (let wait = remaining(); wait > 0 && wait <= longest && stop.reason === undefined; wait = remaining()) {
      await stop.sleep(Math.ceil(wait) + 1);
    }
    if (remaining() === 0) pausedUntil = 0;
    adjust();
  };

  const admitted = async (own: RateGate | undefined): Promise<void> => {
    if (pausedUntil !== 0) await pausesOver();
    if (own && remaining() === 0) await own.turn();
  };

  return {
    // Not by a library for this, which makes several promises more for each request of a fleet.
    async run(work) {
      if (running < room) running++;
      else await new Promise<void>((go) => waiting.push(go));
      try {
        if (pausedUntil !== 0 || gate) await admitted(gate);
        return await work();
      } finally {
        running--;
        letIn();
      }
    },
    sending() {
      if (!isOpen) callLater(headStart, open);
      return { sent: performance.now(), inFlight: ++inFlight };
    },
    ended() {
      inFlight--;
      if (!isOpen) open();
    },
    answered({ sent, inFlight: together }) {
      congestion.answered(sent, together, performance.now());
      adjust();
    },
    overloaded({ sent }) {
      congestion.overloaded(sent, performance.now());
      adjust();
    },
    allowed({ sent }, allowance) {
      const wait = quota.told(allowance, sent, performance.now());
      if (wait > 0) pause(wait);
    },
    pause,
    remaining,
    get room() {
      return room;
    },
  };
}
