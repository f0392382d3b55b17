import type { CallFailed } from "./failure.ts";

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

export interface Broken {
  readonly broken: "network" | "timeout" | "cut" | "large" | "aborted";
  /** True if the request was sent, so that the server may have acted. */
  readonly sent: boolean;
  readonly code: string;
}

/** Full-jitter exponential backoff: milliseconds, and the maximum number of attempts. */
export interface Backoff {
  readonly base: number;
  readonly cap: number;
  readonly attempts: number;
}

export const defaultBackoff: Backoff = { base: 200, cap: 10_000, attempts: 6 };

/** Milliseconds before the attempt after `attempt` (from 1). `chance` is random, 0 to 1. */
export function backoffDelay({ base, cap }: Backoff, attempt: number, chance: number): number {
  return chance * Math.min(cap, base * 2 ** (attempt - 1));
}

export function isTransientStatus(status: number, words: string): boolean {
  return status === 408 || status === 429 || status >= 500 || isLocked(status, words);
}

/** Another request holds a lock; a write may still be applied once it is released. */
export function isLocked(status: number, words: string): boolean {
  return status === 409 && words.includes("Resource lock");
}

/** True if a retry of a request without a response would fail too. `hasResponded`: the server has responded before. */
export function isPermanent({ broken, code }: Broken, hasResponded: boolean): boolean {
  if (broken === "large" || broken === "aborted") return true;
  return misuseCodes.test(code) || (!hasResponded && permanentCodes.test(code));
}

/** True if a call may be repeated without looking up its effect: a POST only if the server certainly did not act. */
export function isSendableAgain({ method, isTransient, sent, status }: CallFailed): boolean {
  return isTransient && (method !== "POST" || !sent || status === 429);
}

/** An unknown host, an untrusted certificate, a proxy's refusal: a retry would fail the same way. */
const permanentCodes =
  /^(PROXY_)?(ENOTFOUND|EACCES|EPERM|EPROTO|CERT_|ERR_TLS|ERR_SSL|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|4(?!08|29))/;

const misuseCodes = /^(PROXY_)?UND_ERR_(INVALID|DESTROYED|CLOSED)/;

/** True unless the status only rejects the request. A 408 is a time-out. */
export function mayHaveActed(status: number): boolean {
  return status < 300 || status === 408 || status >= 500;
}

/**
 * Milliseconds that the server asks to wait: Retry-After in seconds or as a date, else RateLimit-Reset in unix seconds
 * (small numbers are seconds from now). Dates are relative to the server's clock if it sends one.
 */
export function parseRetryDelay(headers: Headers, now: number): number | undefined {
  const serverNow = serverTime(headers, now);
  const retryAfter = firstValue(headers["retry-after"])?.trim();
  if (retryAfter !== undefined) {
    const seconds = /^\d+(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - serverNow) / 1000;
    if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000);
  }
  return parseResetDelay(headers, serverNow);
}

function parseResetDelay(headers: Headers, serverNow: number): number | undefined {
  const seconds = wholeNumber(headers["ratelimit-reset"]);
  if (seconds === undefined) return undefined;
  return Math.max(0, seconds < 1e9 ? seconds * 1000 : seconds * 1000 - serverNow);
}

/** True if the response says that the token has no request left, whatever the endpoint. */
export function isTokenExhausted(headers: Headers): boolean {
  return wholeNumber(headers["ratelimit-remaining"]) === 0;
}

function serverTime(headers: Headers, now: number): number {
  return Date.parse(firstValue(headers.date) ?? "") || now;
}

function wholeNumber(value: string | string[] | undefined): number | undefined {
  const text = firstValue(value)?.trim();
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function firstValue(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
