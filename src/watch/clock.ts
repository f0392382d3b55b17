/** Time as a watcher knows it; tests move it. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `ring` once after so many milliseconds, but for what it returns is called before. */
  readonly alarm: (milliseconds: number, ring: () => void) => () => void;
  /** From 0 to 1. */
  readonly random: () => number;
}

/** The clock of this machine. */
export const systemClock: Clock = {
  now: Date.now,
  alarm: (milliseconds, ring) => {
    const timer = setTimeout(ring, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** What wakes a watcher. */
export interface WakeSignal {
  /** Ends the wait that goes on, or else the next one before it begins. */
  readonly ring: () => void;
  /** Resolves after so many milliseconds, a minute at most, or when somebody rings. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** A machine may sleep, and its clock be set: nobody waits long without reading it again. */
const longestWait = 60_000;

export function createWakeSignal(clock: Clock): WakeSignal {
  let wake: (() => void) | undefined;
  let rung = false;
  const ring = () => {
    rung = wake === undefined;
    wake?.();
  };
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        wake = undefined;
        resolve();
      };
      const cancel = clock.alarm(Math.max(0, Math.min(milliseconds, longestWait)), done);
      wake = done;
      if (rung) done();
      rung = false;
    });
  return { ring, wait };
}

/** Resolves after so many milliseconds of a clock, or when the signal ends the wait. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.alarm(milliseconds, done);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}
