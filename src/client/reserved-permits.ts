import type { Spacing } from "../base/rate.ts";

/** Times that follow one another by an interval. */
interface Run {
  next: number;
  left: number;
}

/**
 * The times that one holder of a rate was given: each lets one request out, from then on until it is too late for it.
 * Pure: times are milliseconds of one clock, handed in.
 */
export class ReservedPermits {
  readonly #spacing: Spacing;
  #runs: Run[] = [];
  #expired = 0;

  constructor(spacing: Spacing) {
    this.#spacing = spacing;
  }

  /**
   * So many times from `start` on, after all that are held. Where they may have begun up to `late` milliseconds before,
   * the last of them may belong to another holder already, and are not used.
   */
  add(start: number, count: number, late = 0): void {
    const others = Math.max(0, Math.ceil((late - this.#spacing.tolerance) / this.#spacing.interval));
    if (count > others) this.#runs.push({ next: start, left: count - others });
  }

  /** Uses a time that has come; false where none has. */
  take(now: number): boolean {
    const run = this.#first(now);
    if (!run || run.next > now) return false;
    run.next += this.#spacing.interval;
    run.left--;
    return true;
  }

  /** The first time that can still be used; undefined where none is held. */
  next(now: number): number | undefined {
    return this.#first(now)?.next;
  }

  /** How many can still be used. */
  held(now: number): number {
    this.#first(now);
    return this.#runs.reduce((sum, { left }) => sum + left, 0);
  }

  /** When the last one that is held is over; at once where none is. */
  end(now: number): number {
    this.#first(now);
    const last = this.#runs.at(-1);
    return last ? last.next + last.left * this.#spacing.interval : now;
  }

  /** How many became too late since this was last asked. */
  expired(): number {
    const expired = this.#expired;
    this.#expired = 0;
    return expired;
  }

  /** Gives up all of them. */
  clear(): void {
    this.#runs = [];
  }

  #first(now: number): Run | undefined {
    const oldest = now - this.#spacing.tolerance;
    for (let [run] = this.#runs; run; [run] = this.#runs) {
      const late = Math.min(run.left, Math.max(0, Math.ceil((oldest - run.next) / this.#spacing.interval)));
      run.next += late * this.#spacing.interval;
      run.left -= late;
      this.#expired += late;
      if (run.left > 0) return run;
      this.#runs.shift();
    }
    return undefined;
  }
}
