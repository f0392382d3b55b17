import { type Rate, type Spacing, spacingOf } from "../base/rate.ts";
import { maxHold, processRates, type Rates } from "../state/state.ts";
import { callLater, type Stop } from "./timer.ts";

/** A request that went out. */
export interface Sending {
  /** By the clock of `performance.now()`. */
  readonly sent: number;
  /** Whether as many as allowed were in flight, so that its time says something about their number. */
  readonly isFull: boolean;
}

/** Where the limit of a token is reserved, and what it is. */
export interface RateOptions {
  readonly limit: Rate;
  /** By default in this process. */
  readonly rates?: Rates | undefined;
  /** Called when the connection ends. */
  readonly close?: (() => Promise<void>) | undefined;
  /** Called once, with a sentence, if the rates cannot be reached any more and this process keeps the limit alone. */
  readonly onTrouble?: ((sentence: string) => void) | undefined;
}

/** Milliseconds for which the first request goes alone: its response reveals a rate limit, or a wrong token. */
const headStart = 250;

/** Requests in flight after the first one. */
const firstRoom = 10;

/** Factor by which responses must slow down from one round trip to the next for the room to stop doubling. */
const slowdown = 1.5;

/** The endpoint of a pause for all requests of the token. */
const everyEndpoint = "";

/**
 * Limits the requests in flight, reads and writes together. The room doubles each round trip until responses slow down,
 * then grows by one, up to the ceiling; it is halved where the server asks for less. Requests to a paused endpoint wait,
 * others pass them. With a rate, each request also waits for its time. A stopped run waits for nothing.
 */
export class Limiter {
  readonly #ceiling: number;
  readonly #stop: Stop;
  readonly #slots: RateSlots | undefined;
  readonly #waiting: { readonly endpoint: string; readonly go: () => void }[] = [];
  /** When the pause of an endpoint ends. */
  readonly #pauses = new Map<string, number>();
  #running = 0;
  #room = 1;
  #isOpen = false;
  #isDoubling = true;
  #times: number[] = [];
  #before: number | undefined;
  #since = 0;

  /** `key` names the token in the rates. */
  constructor(ceiling: number, stop: Stop, rate?: RateOptions, key = "") {
    this.#ceiling = ceiling;
    this.#stop = stop;
    this.#slots = rate && new RateSlots(rate, key, stop);
    stop.onStop(() => this.#letIn());
  }

  /** How many requests may be in flight now. */
  get room(): number {
    return this.#room;
  }

  /** Resolves when a request to an endpoint may go; first come, first served. Whoever entered must leave. */
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

  /** A request goes out now. */
  sending(): Sending {
    if (!this.#isOpen) callLater(headStart, () => this.#open());
    return { sent: performance.now(), isFull: this.#running >= this.#room };
  }

  /** A request ended, with or without a response. */
  ended(): void {
    if (!this.#isOpen) this.#open();
  }

  /** A response came that does not ask for less. */
  answered({ sent, isFull }: Sending): void {
    if (!isFull || sent < this.#since) return;
    const now = performance.now();
    this.#times.push(now - sent);
    if (this.#times.length < this.#room) return;
    const time = medianOf(this.#times);
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

  /** Holds back requests to an endpoint; a longer pause is kept. */
  pause(endpoint: string, milliseconds: number): void {
    if (milliseconds <= this.remaining(endpoint)) return;
    this.#pauses.set(endpoint, performance.now() + milliseconds);
    void this.#stop.sleep(Math.min(Math.ceil(milliseconds) + 1, longestSleep)).then(() => this.#letIn());
  }

  /** Holds back all requests of the token, also those of other processes that share its rate. */
  pauseAll(milliseconds: number): void {
    this.#slots?.hold(milliseconds);
    this.pause(everyEndpoint, milliseconds);
  }

  /** Milliseconds until requests to an endpoint may go. */
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

  /** Responses to requests that were sent before say nothing about the new room. */
  #move(room: number, now: number): void {
    this.#room = Math.max(1, Math.min(this.#ceiling, room));
    this.#times = [];
    this.#since = now;
    this.#letIn();
  }
}

/** The longest timer that Node has, in milliseconds. */
const longestSleep = 2 ** 31 - 1;

function medianOf(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;
}

/** Milliseconds for which times are reserved at once. */
const longestBlock = 250;

/** Evenly spaced times for requests, reserved in blocks where the rate is shared. */
class RateSlots {
  readonly #key: string;
  readonly #stop: Stop;
  readonly #spacing: Spacing;
  readonly #onTrouble: RateOptions["onTrouble"];
  readonly #waiting: (() => void)[] = [];
  #rates: Rates;
  #isServing = false;
  #holds = 0;
  /** Milliseconds that the quickest reservation took. */
  #quickest = Number.POSITIVE_INFINITY;

  constructor({ limit, rates = processRates, onTrouble }: RateOptions, key: string, stop: Stop) {
    this.#key = key;
    this.#stop = stop;
    this.#spacing = spacingOf(limit);
    this.#rates = rates;
    this.#onTrouble = onTrouble;
  }

  /** Resolves when a request may go out, in order; at once if the run is stopped. */
  turn(): Promise<void> {
    return new Promise((go) => {
      this.#waiting.push(go);
      if (!this.#isServing) void this.#serve();
    });
  }

  /** Nothing that shares the rate is sent for so many milliseconds. */
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

  /** Reserves a block of times and lets one request go at each. A time that is missed is lost: later it would be a burst. */
  async #serveBlock(): Promise<void> {
    const { interval, tolerance } = this.#spacing;
    const holds = this.#holds;
    const asked = performance.now();
    const count = Math.max(1, Math.min(this.#waiting.length, Math.floor(longestBlock / interval)));
    const wait = await this.#shared((rates) => rates.reserve(this.#key, count * interval));
    const start = performance.now() + wait;
    const took = performance.now() - asked;
    this.#quickest = Math.min(this.#quickest, took);
    // The block may have begun when it was asked for: the last times of it belong to others already.
    const foreign = Math.max(0, Math.ceil((took - this.#quickest - tolerance) / interval));
    for (let slot = 0; slot < count - foreign && this.#waiting.length > 0; slot++) {
      const time = start + slot * interval;
      const left = time - performance.now();
      if (left > 0) await this.#stop.sleep(Math.min(Math.ceil(left), longestSleep));
      if (this.#holds !== holds || this.#stop.reason !== undefined) return;
      if (performance.now() <= time + tolerance) this.#waiting.shift()?.();
    }
  }

  /** If the rates cannot be reached, this process keeps the limit alone from then on. */
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
