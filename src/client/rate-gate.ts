import { type Rate, type Spacing, spacingOf } from "../base/rate.ts";
import { maxHold, processRates, type Rates } from "../state/rates.ts";
import { ReservedPermits } from "./reserved-permits.ts";
import type { Stop } from "./stop-signal.ts";

/** Where a connection's rate is kept, and what it is. */
export interface RateOptions {
  readonly limit: Rate;
  /** Left out: in this process. */
  readonly rates?: Rates | undefined;
  /** Called when the connection ends. */
  readonly close?: (() => Promise<void>) | undefined;
  /** Told once, in a sentence, when the rates cannot be reached any more and this process keeps the limit alone. */
  readonly onTrouble?: ((sentence: string) => void) | undefined;
}

/** What a gate stands in front of. */
export interface GateHost {
  readonly stop: Stop;
  readonly longest: number;
  readonly tooLong: (milliseconds: number) => void;
  /** How many more will wait as soon as there is room for them. */
  readonly queued: () => number;
}

/** Milliseconds for which times are reserved ahead, beside twice what a reservation takes. */
const ahead = 50;
const furthest = 500;

/**
 * Keeps the requests of one connection to a rate that others share. Reserves times for the requests that wait, a block of
 * them at once, and for those in the queue behind them as far as earlier ones were used: twice as many if all were. A
 * block is no more than a twentieth of a second's worth or what the way to the rates takes, so that little is lost.
 * `tooLong` gets a wait that is longer than `longest` milliseconds: all that wait are let go, to find out when they run.
 */
export class RateGate {
  readonly #key: string;
  readonly #host: GateHost;
  readonly #onTrouble: RateOptions["onTrouble"];
  readonly #spacing: Spacing;
  readonly #permits: ReservedPermits;
  #rates: Rates;
  #waiting: (() => void)[] = [];
  #isReserving = false;
  #holds = 0;
  #used = 1;
  #reach = ahead;
  #quickest: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ limit, rates = processRates, onTrouble }: RateOptions, key: string, host: GateHost) {
    this.#key = key;
    this.#host = host;
    this.#onTrouble = onTrouble;
    this.#spacing = spacingOf(limit);
    this.#permits = new ReservedPermits(this.#spacing);
    this.#rates = rates;
    host.stop.onStop(() => this.#letAllGo());
  }

  /** Resolves when a request may go out, in order; at once if the run is stopped. */
  turn(): Promise<void> {
    if (this.#host.stop.reason !== undefined) return Promise.resolve();
    return new Promise((go) => {
      this.#waiting.push(go);
      this.#pump();
    });
  }

  /** Nothing that shares the rate is sent for so many milliseconds. */
  hold(milliseconds: number): void {
    this.#holds++;
    this.#permits.clear();
    void this.#shared((rates) => rates.hold(this.#key, Math.min(milliseconds, maxHold)));
  }

  #letAllGo(): void {
    clearTimeout(this.#timer);
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Those whose time has come go; for the others times are reserved, and waited for. */
  #pump(): void {
    const now = performance.now();
    let gone = 0;
    while (gone < this.#waiting.length && this.#permits.take(now)) this.#waiting[gone++]?.();
    if (gone > 0) this.#waiting = this.#waiting.slice(gone);
    const held = this.#permits.held(now);
    const lacking = this.#waiting.length + this.#host.queued() - held;
    const isNear = this.#permits.end(now) - now < this.#reach;
    if (!this.#isReserving && lacking > 0 && isNear) void this.#reserve(lacking, this.#waiting.length - held);
    clearTimeout(this.#timer);
    const next = this.#waiting.length > 0 ? this.#permits.next(now) : undefined;
    if (next !== undefined) this.#timer = setTimeout(() => this.#pump(), Math.max(1, Math.ceil(next - now)));
  }

  #blockOf(milliseconds: number): number {
    return Math.max(1, Math.floor(milliseconds / this.#spacing.interval));
  }

  /** How much later than others an answer came: it says as much too late when the times begin. */
  #delayOf(took: number): number {
    const delay = took - Math.min(this.#quickest ?? 0, took);
    this.#quickest = Math.min(this.#quickest ?? took, took);
    return delay;
  }

  /** For so many requests, of which some wait already. */
  async #reserve(lacking: number, here: number): Promise<void> {
    this.#isReserving = true;
    const expired = this.#permits.expired();
    this.#used = expired > 0 ? Math.max(1, this.#used - expired) : Math.min(this.#used * 2, this.#blockOf(furthest));
    const count = Math.min(lacking, Math.max(this.#used, here), this.#blockOf(this.#reach));
    const [asked, heldBefore] = [performance.now(), this.#holds];
    const wait = await this.#shared((rates) => rates.reserve(this.#key, count * this.#spacing.interval));
    const now = performance.now();
    const took = now - asked;
    this.#reach = Math.min(furthest, ahead + 2 * took);
    this.#isReserving = false;
    if (wait > this.#host.longest) {
      this.#host.tooLong(wait);
      this.#letAllGo();
    } else if (heldBefore === this.#holds) this.#permits.add(now + wait, count, this.#delayOf(took));
    this.#pump();
  }

  /** If the rates cannot be reached, this process keeps the limit from then on. */
  async #shared<Result>(work: (rates: Rates) => Promise<Result>): Promise<Result> {
    const used = this.#rates;
    try {
      return await work(used);
    } catch (error) {
      if (used === processRates || !(error instanceof Error)) throw error;
      if (this.#rates === used)
        this.#onTrouble?.(`the rate limit is not shared any more, this run keeps it alone: ${error.message}`);
      this.#rates = processRates;
      return work(this.#rates);
    }
  }
}
