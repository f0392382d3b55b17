/** A number of requests per time in milliseconds. */
export interface Rate {
  readonly requests: number;
  readonly per: number;
}

const units: Readonly<Record<string, number>> = { s: 1000, min: 60_000 };

/** Parses `1800/min` or `30/s`; undefined for anything else. */
export function rateOf(text: string): Rate | undefined {
  const [, requests, unit = ""] = /^([1-9]\d{0,5}|1000000)\/(s|min)$/.exec(text) ?? [];
  const per = units[unit];
  return per === undefined ? undefined : { requests: Number(requests), per };
}

export function rateText({ requests, per }: Rate): string {
  return `${requests}/${Object.keys(units).find((unit) => units[unit] === per) ?? `${per}ms`}`;
}

/** Request spacing of a rate in milliseconds (GCRA, ITU-T I.371). */
export interface Spacing {
  readonly interval: number;
  readonly tolerance: number;
}

/** Later requests would be a burst, which a server with a shorter window might reject. */
const mostLate = 150;

/**
 * Spacing that never exceeds the rate in any window of its length: 97 % of the rate, with half of the rest for requests
 * that are sent late, and half for delays on the network.
 */
export function spacingOf({ requests, per }: Rate): Spacing {
  return { interval: per / (requests * 0.97), tolerance: Math.min(per * 0.015, mostLate) };
}

const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of a duration such as `500ms`, `30s`, `2m` or `1h`; undefined if the text is not valid. */
export function durationOf(text: string): number | undefined {
  const [, amount, unit = ""] = /^(\d{1,9})(ms|s|m|h)$/.exec(text) ?? [];
  const factor = durationUnits[unit];
  return factor === undefined ? undefined : Number(amount) * factor;
}

export const maxConcurrency = 128;
