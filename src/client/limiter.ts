import type { Stop } from "./stop.ts";

/** One gate for all requests, reads and writes together (contract 7). */
export interface Limiter {
  /** Takes a place: undefined where there is room at once, else a promise of one. Each is given back by `leave`. */
  enter(): Promise<void> | undefined;
  leave(): void;
  /** Counts how often the server asked for less: what `overloaded` wants to know of a request's start. */
  readonly round: number;
  /** A request went well: after a run of them there is room for one more, up to the configured number. */
  succeeded(): void;
  /** The server asked for less: half the room, once for all requests of one round. */
  overloaded(round: number): void;
  /** Nobody enters for so many milliseconds; a longer pause that stands already is kept. */
  pause(milliseconds: number): void;
  /** Milliseconds until the pause ends, 0 where there is none. */
  remaining(): number;
  readonly room: number;
}

/**
 * A limiter that lets in whoever came first. Pauses longer than `longest` milliseconds are not waited for, and a
 * stopped run waits for none: those that enter then find out by themselves.
 */
export function createLimiter(concurrency: number, stop: Stop, longest: number): Limiter {
  const waiting = new Set<() => void>();
  let room = concurrency;
  let inside = 0;
  let round = 0;
  let successes = 0;
  let pausedUntil = 0;
  let waking = false;

  const remaining = (): number => (pausedUntil === 0 ? 0 : Math.max(0, pausedUntil - performance.now()));

  const isPaused = (): boolean => {
    if (pausedUntil === 0) return false;
    const wait = remaining();
    return wait > 0 && wait <= longest && stop.reason === undefined;
  };

  const wakeLater = async (): Promise<void> => {
    if (waking) return;
    waking = true;
    await stop.sleep(Math.ceil(remaining()) + 1);
    waking = false;
    admit();
  };

  const admit = (): void => {
    if (waiting.size === 0) return;
    if (isPaused()) {
      void wakeLater();
      return;
    }
    for (const enter of waiting) {
      if (inside >= room) return;
      waiting.delete(enter);
      inside++;
      enter();
    }
  };

  return {
    enter() {
      const paused = isPaused();
      if (!paused && inside < room && waiting.size === 0) {
        inside++;
        return undefined;
      }
      if (paused) void wakeLater();
      return new Promise((resolve) => waiting.add(resolve));
    },
    leave() {
      inside--;
      if (waiting.size > 0) admit();
    },
    get round() {
      return round;
    },
    succeeded() {
      if (room >= concurrency || ++successes < room * 2) return;
      successes = 0;
      room++;
    },
    overloaded(seen) {
      if (seen !== round) return;
      round++;
      successes = 0;
      room = Math.max(1, Math.floor(room / 2));
    },
    pause(milliseconds) {
      pausedUntil = Math.max(pausedUntil, performance.now() + milliseconds);
      admit();
    },
    remaining,
    get room() {
      return room;
    },
  };
}
