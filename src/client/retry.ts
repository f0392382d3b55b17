import type { CallFailed } from "./failure.ts";

/** Headers of a response by their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A response, read to its end. */
export interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** Why there is no response, or only a part of one. */
export interface Broken {
  readonly broken: "network" | "timeout" | "cut" | "large" | "aborted";
  /** Whether the request went out: if it did, the server may have acted. */
  readonly sent: boolean;
  /** Code of the system or of undici, such as ECONNREFUSED. */
  readonly code: string;
  /** Explains the code where more is known; completes "GET https://… ". */
  readonly words?: string | undefined;
}

/** Full-jitter exponential backoff: milliseconds, and how often a request is tried in all. */
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

/** Whether a status may be gone at the next try (docs/architecture.md). */
export function isTransient(status: number, words: string): boolean {
  return status === 408 || status === 429 || status >= 500 || isLocked(status, words);
}

/** Another request holds a lock; a write may still be applied once it is released. */
export function isLocked(status: number, words: string): boolean {
  return status === 409 && words.includes("Resource lock");
}

/** Whether a request without an answer would fare the same again. `known`: the server has answered before. */
export function isPermanent({ broken, code }: Broken, known: boolean): boolean {
  if (broken === "large" || broken === "aborted") return true;
  return misused.test(code) || (!known && hopeless.test(code));
}

/**
 * Whether a failed call may be sent again without a look at what it did (docs/architecture.md): a POST only where the server
 * surely did not act, since it never got it or only asked to come later.
 */
export function isSendableAgain({ method, passing, sent, status }: CallFailed): boolean {
  return passing && (method !== "POST" || !sent || status === 429);
}

/** An unknown host, an untrusted certificate, a proxy's refusal: a retry would fail the same way. */
const hopeless =
  /^(PROXY_)?(ENOTFOUND|EACCES|EPERM|EPROTO|CERT_|ERR_TLS|ERR_SSL|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|4(?!08|29))/;

const misused = /^(PROXY_)?UND_ERR_(INVALID|DESTROYED|CLOSED)/;

/** What the server did by answering so: nothing where it only turned the request away. A 408 is a time-out. */
export function mayHaveActed(status: number): boolean {
  return status < 300 || status === 408 || status >= 500;
}

/**
 * Milliseconds that the server asks to wait: Retry-After in seconds or as a date, else RateLimit-Reset in unix seconds
 * (small numbers are seconds from now). Dates are held against the server's own clock where it tells it.
 */
export function statedDelay(headers: Headers, now: number): number | undefined {
  const serverNow = serverTime(headers, now);
  const retryAfter = first(headers["retry-after"])?.trim();
  if (retryAfter !== undefined) {
    const seconds = /^\d+(\.\d+)?$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - serverNow) / 1000;
    if (!Number.isNaN(seconds)) return Math.max(0, seconds * 1000);
  }
  return resetDelay(headers, serverNow);
}

function resetDelay(headers: Headers, serverNow: number): number | undefined {
  const seconds = wholeNumber(headers["ratelimit-reset"]);
  if (seconds === undefined) return undefined;
  return Math.max(0, seconds < 1e9 ? seconds * 1000 : seconds * 1000 - serverNow);
}

/** True if a response says that the token has no request left, whatever the endpoint. */
export function isTokenExhausted(headers: Headers): boolean {
  return wholeNumber(headers["ratelimit-remaining"]) === 0;
}

function serverTime(headers: Headers, now: number): number {
  return Date.parse(first(headers.date) ?? "") || now;
}

function wholeNumber(value: string | string[] | undefined): number | undefined {
  const text = first(value)?.trim();
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
