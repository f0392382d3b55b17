import pLimit from "p-limit";
import type { Stop } from "./stop.ts";

/** One gate for all requests, reads and writes together (contract 7): p-limit, with pauses and giving way. */
export interface Limiter {
  /** Runs `work` as soon as there is room and no pause; whoever came first goes first. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Counts how often the server asked for less: what `overloaded` wants to know of a request's start. */
  readonly round: number;
  /** A request went well: after a run of them there is room for one more, up to the configured number. */
  succeeded(): void;
  /** The server asked for less: half the room, once for all requests of one round. */
  overloaded(round: number): void;
  /** Nothing is run for so many milliseconds; a longer pause that stands already is kept. */
  pause(milliseconds: number): void;
  /** Milliseconds until the pause ends, 0 where there is none. */
  remaining(): number;
  readonly room: number;
}

/**
 * Pauses longer than `longest` milliseconds are not waited for, and a stopped run waits for none: what runs then finds
 * out by itself.
 */
export function createLimiter(concurrency: number, stop: Stop, longest: number): Limiter {
  const limit = pLimit(concurrency);
  let round = 0;
  let successes = 0;
  let pausedUntil = 0;

  const remaining = (): number => (pausedUntil === 0 ? 0 : Math.max(0, pausedUntil - performance.now()));

  /** A pause may grow while it is waited out. */
  const pausesOver = async (): Promise<void> => {
    for (let wait = remaining(); wait > 0 && wait <= longest && stop.reason === undefined; wait = remaining()) {
      await stop.sleep(Math.ceil(wait) + 1);
    }
  };

  return {
    run: (work) => limit(() => (pausedUntil === 0 ? work() : pausesOver().then(work))),
    get round() {
      return round;
    },
    succeeded() {
      if (limit.concurrency >= concurrency || ++successes < limit.concurrency * 2) return;
      successes = 0;
      limit.concurrency++;
    },
    overloaded(seen) {
      if (seen !== round) return;
      round++;
      successes = 0;
      limit.concurrency = Math.max(1, Math.floor(limit.concurrency / 2));
    },
    pause(milliseconds) {
      pausedUntil = Math.max(pausedUntil, performance.now() + milliseconds);
    },
    remaining,
    get room() {
      return limit.concurrency;
    },
  };
}
