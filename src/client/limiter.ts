import pLimit from "p-limit";
import type { Stop } from "./stop.ts";

/** One gate for all requests, reads and writes together (contract 7). */
export interface Limiter {
  /** Runs `attempt` when there is room and no pause. It is given the round that it started in. */
  run<Result>(attempt: (round: number) => Promise<Result>): Promise<Result>;
  /** A request went well: after a run of them there is room for one more, up to the configured number. */
  succeeded(): void;
  /** The server asked for less: half the room, once for all requests of one round. */
  overloaded(round: number): void;
  /** Nobody sends for so many milliseconds; a longer pause that stands already is kept. */
  pause(milliseconds: number): void;
  /** Milliseconds until the pause ends, 0 where there is none. */
  remaining(): number;
  readonly room: number;
}

/** Pauses longer than `longest` milliseconds are not waited for: whoever comes then is let through to fail. */
export function createLimiter(concurrency: number, stop: Stop, longest: number): Limiter {
  const limit = pLimit(concurrency);
  let round = 0;
  let successes = 0;
  let pausedUntil = 0;

  const remaining = (): number => (pausedUntil === 0 ? 0 : Math.max(0, pausedUntil - performance.now()));

  async function afterPause<Result>(attempt: (round: number) => Promise<Result>): Promise<Result> {
    for (let wait = remaining(); wait > 0 && wait <= longest && stop.reason === undefined; wait = remaining()) {
      await stop.sleep(wait);
    }
    return attempt(round);
  }

  return {
    run: (attempt) => limit(() => (pausedUntil === 0 ? attempt(round) : afterPause(attempt))),
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
    pause: (milliseconds) => {
      pausedUntil = Math.max(pausedUntil, performance.now() + milliseconds);
    },
    remaining,
    get room() {
      return limit.concurrency;
    },
  };
}
