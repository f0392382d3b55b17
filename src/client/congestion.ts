/** In flight before anything is known, as TCP begins with ten packets (RFC 6928). */
const first = 10;
/** Ten percent more in flight must bring two percent more answers, or only the server's queue grows. */
const payoff = 0.2;
const stride = 1.2;
/** Answers and milliseconds that a pace is taken from at least, once the room has stopped doubling. */
const fewest = 24;
const shortest = 20;
/** Paces with as many in flight, before it is tested whether fewer would do. */
const patience = 8;

/** Part of the room that must have been taken for a pace to say anything of the server. */
const filled = 0.6;

/** Where answers come within so many milliseconds, fewer in flight than this spare a server nothing: only refusals ask for that. */
const quick = 50;
const gentle = 8;

/** What a number of requests in flight comes to: milliseconds for an answer, and answers a millisecond. */
interface Pace {
  readonly inFlight: number;
  readonly wait: number;
  readonly speed: number;
}

/**
 * How many requests serve best at a time, found out while they are answered. Doubles the room while that pays, then
 * keeps moving it a stride: up where the last move shows that more in flight bring more answers, down where they only
 * wait longer. So it stays around the knee, and follows a server whose load changes. After a refusal it comes back
 * slowly. Pure: times are milliseconds of one clock, handed in.
 */
export class Congestion {
  readonly #ceiling: number;
  #room: number;
  /** What the last refusal leaves of the ceiling for now. */
  #limit: number;
  #isDoubling = true;
  #before: Pace | undefined;
  #alike = 0;
  #since = Number.NEGATIVE_INFINITY;
  #halved = Number.NEGATIVE_INFINITY;
  #waits: number[] = [];
  #inFlight = 0;

  constructor(ceiling: number) {
    this.#ceiling = ceiling;
    this.#limit = ceiling;
    this.#room = Math.min(first, ceiling);
  }

  /** Requests that may be in flight now; from 1 to the ceiling. */
  get room(): number {
    return this.#room;
  }

  /** An answer came at `now` to a request that was sent at `sent`, the last of so many then in flight. */
  answered(sent: number, inFlight: number, now: number): void {
    if (sent < this.#since) return;
    this.#waits.push(now - sent);
    this.#inFlight += inFlight;
    if (!this.#isComplete(now)) return;
    const average = this.#inFlight / this.#waits.length;
    const wait = Math.max(firstQuartile(this.#waits), 0.001);
    if (average >= this.#room * filled) this.#classify({ inFlight: average, wait, speed: average / wait }, now);
    else this.#forget(now);
  }

  /** The server asked for less: half the room, once for all that was sent before it was halved. */
  overloaded(sent: number, now: number): void {
    if (sent < this.#halved) return;
    this.#halved = now;
    this.#before = undefined;
    this.#limit = Math.max(1, this.#room * 0.9);
    this.#halve(now);
  }

  #isComplete(now: number): boolean {
    if (this.#isDoubling) return this.#waits.length >= this.#room;
    return this.#waits.length >= Math.max(fewest, 2 * this.#room) && now - this.#since >= shortest;
  }

  /** So few were asked for that it says nothing of the server. */
  #forget(now: number): void {
    this.#before = undefined;
    this.#move(this.#room, now);
  }

  #classify(pace: Pace, now: number): void {
    this.#limit = Math.min(this.#ceiling, this.#limit * 1.02 + 0.1);
    const before = this.#before;
    if (before && isAlike(before, pace) && pace.speed > before.speed * 0.85) {
      this.#stay(now);
      return;
    }
    this.#before = pace;
    this.#alike = 0;
    if (before && pace.speed < before.speed / 2) this.#halve(now);
    else this.#follow(!before || paysOff(before, pace), now);
    if (pace.wait < quick && this.#room < gentle) this.#move(gentle, now);
  }

  /** `pays`: more in flight brought more answers, or nothing is known yet. */
  #follow(pays: boolean, now: number): void {
    if (!this.#isDoubling) {
      this.#step(pays, now);
      return;
    }
    this.#isDoubling = pays;
    this.#move(pays ? this.#room * 2 : this.#room / Math.SQRT2, now);
  }

  /** At an end of its range the room cannot follow the last move; from time to time it tries the other way. */
  #stay(now: number): void {
    this.#isDoubling = false;
    this.#alike = (this.#alike + 1) % patience;
    if (this.#alike === 0) this.#step(this.#room < Math.floor(this.#limit), now);
    else this.#move(this.#room, now);
  }

  #halve(now: number): void {
    this.#isDoubling = false;
    this.#move(Math.floor(this.#room / 2), now);
  }

  #step(up: boolean, now: number): void {
    const room = this.#room;
    this.#move(up ? Math.max(room + 1, room * stride) : Math.min(room - 1, room / stride), now);
  }

  #move(room: number, now: number): void {
    this.#room = Math.max(1, Math.min(Math.floor(this.#limit), Math.round(room)));
    this.#since = now;
    this.#waits = [];
    this.#inFlight = 0;
  }
}

/** What one answer in four undercuts. A moment in which nothing moved, on either side, says nothing of the number in flight. */
function firstQuartile(waits: readonly number[]): number {
  return Float64Array.from(waits).sort()[waits.length >> 2] ?? 0;
}

function isAlike(a: Pace, b: Pace): boolean {
  return Math.abs(Math.log(b.inFlight / a.inFlight)) < 0.1;
}

/** Whether more in flight brought more answers by so much, or fewer as many fewer; nothing, where the same brought less. */
function paysOff(a: Pace, b: Pace): boolean {
  if (isAlike(a, b)) return false;
  return Math.log(b.speed / a.speed) / Math.log(b.inFlight / a.inFlight) >= payoff;
}
