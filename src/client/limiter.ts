import { Congestion } from "./congestion.ts";
import { othersShare, Quota, type QuotaAnswer } from "./quota.ts";
import { RateGate, type RateOptions } from "./rate-gate.ts";
import type { Stop } from "./stop-signal.ts";
import { callLater } from "./timer.ts";

/** A request that went out. */
export interface Sending {
  /** By the clock of `performance.now()`. */
  readonly sent: number;
  /** In flight at that time, itself included. */
  readonly inFlight: number;
}

/** How long the first request may go ahead alone: its answer tells of a rate limit, or of a wrong token. */
const headStart = 250;

/** A rate that all requests of one token share, and its name there. */
export interface SharedRate {
  readonly rate: RateOptions;
  readonly key: string;
}

/**
 * One gate for all requests, reads and writes together (docs/architecture.md), with the concurrency that serves best.
 * Pauses longer than `longest` milliseconds are not waited for, and a stopped run waits for none: requests find that out
 * when they run.
 */
export class Limiter {
  readonly #waiting: (() => void)[] = [];
  readonly #congestion: Congestion;
  readonly #quota: Quota;
  readonly #gate: RateGate | undefined;
  readonly #stop: Stop;
  readonly #longest: number;
  #isOpen = false;
  #isLettingIn = false;
  #room = 1;
  #running = 0;
  #inFlight = 0;
  #pausedUntil = 0;

  constructor(ceiling: number, stop: Stop, longest: number, shared?: SharedRate) {
    this.#congestion = new Congestion(ceiling);
    this.#quota = new Quota(longest, shared ? 0 : othersShare);
    this.#stop = stop;
    this.#longest = longest;
    const tooLong = (milliseconds: number) => this.#pauseHere(milliseconds);
    const queued = () => this.#waiting.length;
    this.#gate = shared && new RateGate(shared.rate, shared.key, { stop, longest, tooLong, queued });
  }

  get room(): number {
    return this.#room;
  }

  /** Calls `begin` as soon as there is room and no pause; first come, first served. Whoever entered leaves. */
  // A callback, and not a promise, which would be several more for each request.
  enter(begin: () => void): void {
    if (this.#running < this.#room) this.#start(begin);
    else this.#waiting.push(begin);
  }

  /** Makes room for another one. */
  leave(): void {
    this.#running--;
    this.#letIn();
  }

  /** There is room for it now; there may be a pause. */
  #start(begin: () => void): void {
    this.#running++;
    if (this.#pausedUntil === 0 && !this.#gate) begin();
    else this.#admitted().then(begin);
  }

  /** A request goes out now. */
  sending(): Sending {
    if (!this.#isOpen) callLater(headStart, () => this.#open());
    return { sent: performance.now(), inFlight: ++this.#inFlight };
  }

  /** A request ended, with an answer or without one. */
  ended(): void {
    this.#inFlight--;
    if (!this.#isOpen) this.#open();
  }

  /** Its answer came, and does not ask for less. */
  answered({ sent, inFlight }: Sending): void {
    // The first of many that go out at once is alone when it is sent, and one of all that are waited for from then on.
    this.#congestion.answered(sent, Math.max(inFlight, this.#inFlight + 1), performance.now());
    this.#adjust();
  }

  /** The server asked for less: half the room, once for all that was in flight. */
  overloaded({ sent }: Sending): void {
    this.#congestion.overloaded(sent, performance.now());
    this.#adjust();
  }

  /** What an answer says of the server's rate limit: all requests keep to it, so that none is rejected. */
  allowed({ sent }: Sending, allowance: QuotaAnswer): void {
    const wait = this.#quota.update(allowance, sent, performance.now());
    if (wait > 0) this.pause(wait);
  }

  /** Runs nothing for so many milliseconds; a longer pause is kept. */
  pause(milliseconds: number): void {
    this.#pauseHere(milliseconds);
    this.#gate?.hold(milliseconds);
  }

  /** Milliseconds until the pause ends; 0 if there is none. */
  remaining(): number {
    return this.#pausedUntil === 0 ? 0 : Math.max(0, this.#pausedUntil - performance.now());
  }

  #letIn(): void {
    // A request that is refused leaves at once, and would let in the next one inside its own call, and so on.
    if (this.#isLettingIn) return;
    this.#isLettingIn = true;
    for (let next = this.#next(); next; next = this.#next()) this.#start(next);
    this.#isLettingIn = false;
  }

  #next(): (() => void) | undefined {
    return this.#running < this.#room ? this.#waiting.shift() : undefined;
  }

  #adjust(): void {
    const room = Math.min(this.#congestion.room, this.#quota.left(performance.now()));
    this.#room = this.#isOpen ? Math.max(1, room) : 1;
    this.#letIn();
  }

  #open(): void {
    this.#isOpen = true;
    this.#adjust();
  }

  #pauseHere(milliseconds: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + milliseconds);
  }

  async #admitted(): Promise<void> {
    if (this.#pausedUntil !== 0) await this.#pausesOver();
    if (this.#gate && this.remaining() === 0) await this.#gate.turn();
  }

  /** A pause may grow while it is waited for. */
  async #pausesOver(): Promise<void> {
    for (let wait = this.remaining(); wait > 0 && this.#mayWait(wait); wait = this.remaining()) {
      await this.#stop.sleep(Math.ceil(wait) + 1);
    }
    if (this.remaining() === 0) this.#pausedUntil = 0;
    this.#adjust();
  }

  #mayWait(milliseconds: number): boolean {
    return milliseconds <= this.#longest && this.#stop.reason === undefined;
  }
}
