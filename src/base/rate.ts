/** So many requests in so many milliseconds, as a person wrote it. */
export interface Rate {
  readonly requests: number;
  readonly per: number;
}

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000 };

/** Reads `1800/min` or `30/s`; undefined where the text is none. */
export function rateOf(text: string): Rate | undefined {
  const [, requests, unit = ""] = /^([1-9]\d{0,5}|1000000)\/(s|min)$/.exec(text) ?? [];
  const per = units[unit];
  return per === undefined ? undefined : { requests: Number(requests), per };
}

/** A rate as {@link rateOf} reads it. */
export function rateText({ requests, per }: Rate): string {
  return `${requests}/${Object.keys(units).find((unit) => units[unit] === per) ?? `${per}ms`}`;
}

/** A rate as requests are spaced by it (GCRA, ITU-T I.371). Milliseconds. */
export interface Spacing {
  /** From one request to the next. */
  readonly interval: number;
  /** How late a request may go out that was given its time. */
  readonly tolerance: number;
}

/** Later ones would come in a burst, which a server that counts in shorter times than the rate's own may refuse. */
const mostLate = 150;

/**
 * The spacing by which no stretch of time as long as the rate's own holds more requests than it allows, wherever it
 * begins: 97 % of the rate, with half of the rest for requests that go out late, and half for what delays them on their way.
 */
export function spacingOf({ requests, per }: Rate): Spacing {
  return { interval: per / (requests * 0.97), tolerance: Math.min(per * 0.015, mostLate) };
}
