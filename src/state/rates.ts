import { createHmac } from "node:crypto";

/** Request rates that all processes with one token share, by key. Each request reserves an interval of time. */
export interface Rates {
  /** Reserves this many milliseconds after all earlier reservations; returns the milliseconds until they start. */
  readonly reserve: (key: string, milliseconds: number) => Promise<number>;
  /** Pauses new reservations for this many milliseconds from now. */
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

/** Used without a shared state. */
export const processRates = memoryRates();

/** Identifies a token of a server; the token cannot be derived from it. */
export function rateKey(token: string, origin: string): string {
  return createHmac("sha256", token).update(`evenkeel rate limit of ${origin}`).digest("hex").slice(0, 32);
}

/** Milliseconds; also if a server asks for more. */
export const maxHold = 3_600_000;
