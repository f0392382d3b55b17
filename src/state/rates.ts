import { createHmac } from "node:crypto";

/**
 * The time that all requests of one token share, by key. Whoever wants to send reserves a stretch of it, one after the
 * other, and sends within it alone.
 */
export interface Rates {
  /** Reserves so many milliseconds after all that are reserved already; returns in how many milliseconds they begin. */
  readonly reserve: (key: string, milliseconds: number) => Promise<number>;
  /** Nobody is given anything for so many milliseconds; what is reserved for later anyway stays as it is. */
  readonly hold: (key: string, milliseconds: number) => Promise<void>;
}

/** The rates of one process. */
export function memoryRates(): Rates {
  const ends = new Map<string, number>();
  const endOf = (key: string) => Math.max(performance.now(), ends.get(key) ?? 0);
  return {
    reserve: async (key, milliseconds) => {
      const start = endOf(key);
      ends.set(key, start + milliseconds);
      return Math.max(0, start - performance.now());
    },
    hold: async (key, milliseconds) => {
      ends.set(key, Math.max(endOf(key), performance.now() + milliseconds));
    },
  };
}

/** Of this process: what keeps a rate where no state is shared. */
export const processRates = memoryRates();

/** Identifies a token of a server; the token cannot be derived from it. */
export function rateKey(token: string, origin: string): string {
  return createHmac("sha256", token).update(`evenkeel rate limit of ${origin}`).digest("hex").slice(0, 32);
}

/** Nobody waits longer; and no answer of a server, however wrong, stops a fleet for longer. */
export const longestHold = 3_600_000;
