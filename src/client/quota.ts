/** What an answer says of a rate limit: requests in all and left of them, and milliseconds until they are counted anew. */
export interface QuotaAnswer {
  readonly limit: number;
  readonly left: number;
  readonly resetIn: number;
}

/** The part of a limit that is left to others with the same token, where nothing else keeps all of them to it. */
export const othersShare = 1 / 20;

/**
 * How many requests a server's rate limit allows, as its answers tell. Keeping no more in flight than are left, and none
 * once nothing is, keeps to the limit exactly, for what is in flight is counted already or within what is left. Pure:
 * times are milliseconds of one clock, handed in.
 */
export class Quota {
  readonly #longest: number;
  readonly #share: number;
  #limit = Number.POSITIVE_INFINITY;
  #left = Number.POSITIVE_INFINITY;
  #updatedAt = Number.NEGATIVE_INFINITY;
  #resetAt = Number.POSITIVE_INFINITY;

  /** `longest`: milliseconds that a run waits; where the limit is renewed later, no `share` of it is left to others. */
  constructor(longest: number, share = othersShare) {
    this.#longest = longest;
    this.#share = share;
  }

  /** Requests that may be in flight; Infinity where the server states no limit. */
  left(now: number): number {
    if (now >= this.#resetAt) {
      this.#left = this.#limit;
      this.#updatedAt = now;
      this.#resetAt = Number.POSITIVE_INFINITY;
    }
    return this.#left;
  }

  /**
   * An answer to a request that was sent at `sent`. Returns the milliseconds for which nothing may be sent, mostly 0.
   * Answers come in any order: one that knows of more left counts only where its request was sent after less was known.
   */
  update({ limit, left, resetIn }: QuotaAnswer, sent: number, now: number): number {
    const kept = resetIn <= this.#longest ? Math.floor(limit * this.#share) : 0;
    const usable = Math.max(0, left - kept);
    if (usable > this.left(now) && sent < this.#updatedAt) return 0;
    this.#limit = limit;
    this.#left = usable;
    this.#updatedAt = now;
    this.#resetAt = now + resetIn;
    return usable === 0 ? resetIn : 0;
  }
}
