/** When to look again. */
export interface PollInterval {
  /** Runs a look, and remembers how long it took. */
  readonly measured: <Result>(look: () => Promise<Result>) => Promise<Result>;
  /** Milliseconds until the next look. */
  readonly next: () => number;
}

const standardInterval = 1000;
const longestInterval = 30_000;

/**
 * A look every `interval` milliseconds. Where it is left out: every second at first, more rarely the longer it all
 * takes, and after a look that took long a longer pause still, so that watching costs a server little.
 */
export function createPollInterval(interval: number | undefined, now: () => number = Date.now): PollInterval {
  const start = now();
  let cost = 0;
  return {
    measured: async (look) => {
      const begun = now();
      const result = await look();
      cost = now() - begun;
      return result;
    },
    next: () => interval ?? Math.max(standardInterval, cost * 4, Math.min(longestInterval, (now() - start) / 50)),
  };
}
