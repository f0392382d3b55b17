/** The clock of a watcher; tests use a simulated one. */
export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls `ring` once after this many milliseconds, unless the returned function is called first. */
  readonly alarm: (milliseconds: number, ring: () => void) => () => void;
  /** From 0 to 1. */
  readonly random: () => number;
}

export const systemClock: Clock = {
  now: Date.now,
  alarm: (milliseconds, ring) => {
    const timer = setTimeout(ring, milliseconds);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

export interface WakeSignal {
  /** Ends the current wait, or else the next one as it begins. */
  readonly wake: () => void;
  /** Resolves after this many milliseconds, after a minute at most, or when it is woken. */
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** A machine may be suspended and its clock be set, so the clock is read again at least this often. */
const longestWait = 60_000;

export function createWakeSignal(clock: Clock): WakeSignal {
  let endWait: (() => void) | undefined;
  let isPending = false;
  const wake = () => {
    isPending = endWait === undefined;
    endWait?.();
  };
  const wait = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const done = () => {
        cancel();
        endWait = undefined;
        resolve();
      };
      const cancel = clock.alarm(Math.max(0, Math.min(milliseconds, longestWait)), done);
      endWait = done;
      if (isPending) done();
      isPending = false;
    });
  return { wake, wait };
}

/** Resolves after this many milliseconds of a clock, or when the signal is aborted. */
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
