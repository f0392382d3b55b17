/** The interval between checks. */
export interface PollInterval {
  /** Runs a check, and measures how long it takes. */
  readonly measured: <Result>(check: () => Promise<Result>) => Promise<Result>;
  /** Milliseconds until the next check. */
  readonly next: () => number;
}

const standardInterval = 1000;
const maxInterval = 30_000;

/**
 * A check every `interval` milliseconds. By default every second at first, then less often the longer the moves
 * take, and after a slow check later still, to limit the load on the server.
 */
export function createPollInterval(interval: number | undefined): PollInterval {
  const start = Date.now();
  let cost = 0;
  return {
    measured: async (check) => {
      const begun = Date.now();
      const result = await check();
      cost = Date.now() - begun;
      return result;
    },
    next: () => interval ?? Math.max(standardInterval, cost * 4, Math.min(maxInterval, (Date.now() - start) / 50)),
  };
}
