import { createHmac } from "node:crypto";
import { type Rate, type Spacing, spacingOf } from "../base/rate.ts";
import { processRates, type Rates } from "../state/state.ts";
import { callLater, longestTimer, type Stop } from "./timer.ts";

export interface Sending {
  readonly sent: number;
  /** True if the room was full, so that the response time says something about its size. */
  readonly isFull: boolean;
}

export interface RateOptions {
  readonly limit: Rate;
  readonly rates?: Rates | undefined;
  readonly close?: (() => Promise<void>) | undefined;
  /** Called once if the shared rates become unreachable, so that this process applies the limit alone. */
  readonly onTrouble?: ((sentence: string) => void) | undefined;
}

/** Milliseconds for which the first request goes alone: its response reveals a rate limit, or a wrong token. */
const headStart = 250;

const firstRoom = 16;

/** Factor by which responses must slow down from one round trip to the next for the room to stop doubling. */
const slowdown = 1.5;

const everyEndpoint = "";

/**
 * Limits the requests in flight, reads and writes together. The room doubles each round trip until responses slow down,
 * then grows by one, up to the ceiling; it is halved if the server asks for less. Requests to a paused endpoint wait
 * while others pass. With a rate, each request also waits for its slot. When the run is stopped, nothing waits.
 */
export class Limiter {
  readonly #ceiling: number;
  readonly #stop: Stop;
  readonly #slots: RateSlots | undefined;
  readonly #waiting: { readonly endpoint: string; readonly go: () => void }[] = [];
  readonly #pauses = new Map<string, number>();
  #running = 0;
  #room = 1;
  #isOpen = false;
  #isDoubling = true;
  #times: number[] = [];
  #before: number | undefined;
  #since = 0;

  /** `key` identifies the token in the rates. */
  constructor(ceiling: number, stop: Stop, rate?: RateOptions, key = "") {
    this.#ceiling = ceiling;
    this.#stop = stop;
    this.#slots = rate && new RateSlots(rate, key, stop);
    stop.onStop(() => this.#letIn());
  }

  get room(): number {
    return this.#room;
  }

  /** Resolves when a request to an endpoint may be sent, in order of arrival. Each `enter` requires a `leave`. */
  enter(endpoint: string): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push({ endpoint, go });
      this.#letIn();
    });
  }

  leave(): void {
    this.#running--;
    this.#letIn();
  }

  sending(): Sending {
    if (!this.#isOpen) callLater(headStart, () => this.#open());
    return { sent: performance.now(), isFull: this.#running >= this.#room };
  }

  ended(): void {
    if (!this.#isOpen) this.#open();
  }

  /** Call for a response that does not ask for fewer requests. */
  answered({ sent, isFull }: Sending): void {
    if (!isFull || sent < this.#since) return;
    const now = performance.now();
    this.#times.push(now - sent);
    // Half of a round trip: requests that went out while its responses came in were sent before the room grew.
    if (this.#times.length < (this.#isDoubling ? this.#room / 2 : this.#room)) return;
    const time = computeMedian(this.#times);
    if (this.#before !== undefined && time > this.#before * slowdown) this.#isDoubling = false;
    this.#before = time;
    this.#move(this.#isDoubling ? this.#room * 2 : this.#room + 1, now);
  }

  /** Halves the room, once for all requests that were in flight. */
  overloaded({ sent }: Sending): void {
    if (sent < this.#since) return;
    this.#isDoubling = false;
    this.#move(Math.floor(this.#room / 2), performance.now());
  }

  /** Delays requests to an endpoint, unless a longer pause is in effect. */
  pause(endpoint: string, milliseconds: number): void {
    if (milliseconds <= this.remaining(endpoint)) return;
    this.#pauses.set(endpoint, performance.now() + milliseconds);
    void this.#stop.sleep(Math.min(Math.ceil(milliseconds) + 1, longestTimer)).then(() => this.#letIn());
  }

  /** Delays all requests of the token, also those of other processes that share its rate. */
  pauseAll(milliseconds: number): void {
    this.#slots?.hold(milliseconds);
    this.pause(everyEndpoint, milliseconds);
  }

  remaining(endpoint: string): number {
    if (this.#pauses.size === 0) return 0;
    const end = Math.max(this.#pauses.get(everyEndpoint) ?? 0, this.#pauses.get(endpoint) ?? 0);
    return Math.max(0, end - performance.now());
  }

  #letIn(): void {
    while (this.#running < this.#room) {
      const next = this.#next();
      if (!next) return;
      this.#running++;
      if (this.#slots) void this.#slots.turn().then(next);
      else next();
    }
  }

  #next(): (() => void) | undefined {
    if (this.#pauses.size === 0 || this.#stop.reason !== undefined) return this.#waiting.shift()?.go;
    const index = this.#waiting.findIndex(({ endpoint }) => this.remaining(endpoint) === 0);
    return index < 0 ? undefined : this.#waiting.splice(index, 1)[0]?.go;
  }

  #open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#move(firstRoom, performance.now());
  }

  /** Restarts the measurement: earlier requests say nothing about the new room. */
  #move(room: number, now: number): void {
    this.#room = Math.max(1, Math.min(this.#ceiling, room));
    this.#times = [];
    this.#since = now;
    this.#letIn();
  }
}

function computeMedian(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

const longestBlock = 250;

/** Milliseconds; limit for longer waits that a server asks for. */
const maxHold = 3_600_000;

/** Identifies a token of a server; the token cannot be derived from it. */
export function rateKey(token: string, origin: string): string {
  return createHmac("sha256", token).update(`evenkeel rate limit of ${origin}`).digest("hex").slice(0, 32);
}

/** Evenly spaced slots for requests, reserved in blocks if the rate is shared. */
class RateSlots {
  readonly #key: string;
  readonly #stop: Stop;
  readonly #spacing: Spacing;
  readonly #onTrouble: RateOptions["onTrouble"];
  readonly #waiting: (() => void)[] = [];
  #rates: Rates;
  #isServing = false;
  #holds = 0;
  /** Milliseconds of the fastest reservation. */
  #quickest = Number.POSITIVE_INFINITY;

  constructor({ limit, rates = processRates, onTrouble }: RateOptions, key: string, stop: Stop) {
    this.#key = key;
    this.#stop = stop;
    this.#spacing = spacingOf(limit);
    this.#rates = rates;
    this.#onTrouble = onTrouble;
  }

  /** Resolves when a request may be sent, in order; at once if the run is stopped. */
  turn(): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push(go);
      if (!this.#isServing) void this.#serve();
    });
  }

  hold(milliseconds: number): void {
    this.#holds++;
    void this.#shared((rates) => rates.hold(this.#key, Math.min(milliseconds, maxHold)));
  }

  async #serve(): Promise<void> {
    this.#isServing = true;
    while (this.#waiting.length > 0 && this.#stop.reason === undefined) await this.#serveBlock();
    for (const go of this.#waiting.splice(0)) go();
    this.#isServing = false;
  }

  /** A missed slot is lost: sending later would be a burst. */
  async #serveBlock(): Promise<void> {
    const { interval, tolerance } = this.#spacing;
    const holds = this.#holds;
    const requestedAt = performance.now();
    const count = Math.max(1, Math.min(this.#waiting.length, Math.floor(longestBlock / interval)));
    const wait = await this.#shared((rates) => rates.reserve(this.#key, count * interval));
    const start = performance.now() + wait;
    const took = performance.now() - requestedAt;
    this.#quickest = Math.min(this.#quickest, took);
    // The block may have begun when it was requested, so its last slots already belong to others.
    const foreign = Math.max(0, Math.ceil((took - this.#quickest - tolerance) / interval));
    for (let slot = 0; slot < count - foreign && this.#waiting.length > 0; slot++) {
      const time = start + slot * interval;
      const left = time - performance.now();
      if (left > 0) await this.#stop.sleep(Math.min(Math.ceil(left), longestTimer));
      if (this.#holds !== holds || this.#stop.reason !== undefined) return;
      if (performance.now() <= time + tolerance) this.#waiting.shift()?.();
    }
  }

  /** Falls back to the rates of this process if the shared ones are unreachable. */
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
