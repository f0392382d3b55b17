import crypto from "node:crypto";
import type { Platform } from "./build.ts";
import type { Kernel } from "./kernel.ts";

class Timer {
  isOff = false;
  unref(): this {
    return this;
  }
  ref(): this {
    return this;
  }
}

/**
 * A machine with one process of the program on it. All that the process notices of the world comes through `later`, and
 * all that it does to the world begins with `acts`: so it can be killed between any two of its acts, and paused.
 */
export class Machine {
  readonly name: string;
  readonly kernel: Kernel;
  /** Milliseconds by which its calendar is wrong. */
  readonly skew: number;
  isAlive = true;
  #pausedUntil = 0;
  /** Acts that are left before it is killed. */
  #fuse = Number.POSITIVE_INFINITY;
  readonly #onKill: () => void;
  #onDeath: (() => void)[] = [];

  constructor(kernel: Kernel, name: string, { skew, killed }: { readonly skew: number; readonly killed: () => void }) {
    this.kernel = kernel;
    this.name = name;
    this.skew = skew;
    this.#onKill = killed;
  }

  get isPaused(): boolean {
    return this.kernel.now < this.#pausedUntil;
  }

  /** Lets its process notice something then; not if it is dead by then, and not before a pause is over. */
  later(milliseconds: number, work: () => void): void {
    this.kernel.after(milliseconds, () => this.#notice(work));
  }

  #notice(work: () => void): void {
    if (!this.isAlive) return;
    if (this.isPaused) this.later(this.#pausedUntil - this.kernel.now, work);
    else work();
  }

  /** Whether its process still does what it is about to do. */
  acts(): boolean {
    if (this.isAlive && --this.#fuse <= 0) this.kill("between two acts");
    return this.isAlive;
  }

  pause(milliseconds: number): void {
    if (!this.isAlive) return;
    this.kernel.tell(this.name, `is paused for ${Math.round(milliseconds)} ms`);
    this.#pausedUntil = this.kernel.now + milliseconds;
    this.kernel.after(milliseconds, () => this.isAlive && this.kernel.tell(this.name, "goes on"));
  }

  /** Kills it before its act so many from now. */
  killAfter(acts: number): void {
    this.#fuse = acts;
  }

  kill(how: string): void {
    if (!this.isAlive) return;
    this.kernel.tell(this.name, `is killed ${how}`);
    this.#onKill();
    this.end();
  }

  /** The process is over, however it came to it. */
  end(): void {
    this.isAlive = false;
    for (const told of this.#onDeath.splice(0)) told();
  }

  onDeath(told: () => void): void {
    this.#onDeath.push(told);
  }

  /** What its process has in place of Node's own. */
  platform(modules: Readonly<Record<string, unknown>>, opened: unknown, sharedState: unknown): Platform {
    const { kernel, skew } = this;
    const start = calendar + skew;
    const setTimeout = (work: (...args: unknown[]) => void, milliseconds = 1, ...args: unknown[]): Timer => {
      const timer = new Timer();
      this.later(atLeast(milliseconds), () => timer.isOff || work(...args));
      return timer;
    };
    const setInterval = (work: () => void, milliseconds: number): Timer => {
      const timer = new Timer();
      const again = () => {
        if (timer.isOff) return;
        work();
        this.later(atLeast(milliseconds), again);
      };
      this.later(atLeast(milliseconds), again);
      return timer;
    };
    const clear = (timer: Timer | undefined) => {
      if (timer) timer.isOff = true;
    };
    const now = () => start + Math.floor(kernel.now);
    return {
      globals: {
        Date: class extends Date {
          constructor(...given: unknown[]) {
            super(...((given.length > 0 ? given : [now()]) as [number]));
          }
          static override now = now;
        },
        performance: { now: () => kernel.now },
        random: kernel.random,
        ...{ setTimeout, clearTimeout: clear, setInterval, clearInterval: clear, opened, sharedState },
        ...{ AbortController: Aborting, AbortSignal: Signal },
      },
      modules: {
        "node:timers/promises": {
          setTimeout: (ms: number, value: unknown, more?: PauseOptions) => this.#pauseFor(ms, value, more),
          setImmediate: (value: unknown) => this.#pauseFor(0, value),
        },
        "node:crypto": {
          ...crypto,
          randomBytes: (size: number) => Buffer.from(Array.from({ length: size }, () => kernel.random() * 256)),
        },
        "node:os": { hostname: () => this.name, userInfo: () => ({ username: "sim" }), homedir: () => "/nowhere" },
        "node:process": { pid: 7 },
        ...modules,
      },
    };
  }

  #pauseFor(milliseconds: number, value: unknown, { signal }: PauseOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const aborted = () => reject(abortError);
      if (signal?.aborted) return aborted();
      signal?.addEventListener("abort", aborted);
      this.later(atLeast(milliseconds), () => {
        signal?.removeEventListener("abort", aborted);
        resolve(value);
      });
    });
  }
}

interface PauseOptions {
  readonly signal?: Signal;
}

const abortError = Object.assign(new Error("The operation was aborted"), { name: "AbortError" });

/** As Node's own, without its costs. */
class Signal {
  aborted = false;
  reason: unknown;
  #listeners = new Set<() => void>();

  static any(signals: readonly Signal[]): Signal {
    const any = new Signal();
    const first = signals.find(({ aborted }) => aborted);
    if (first) any.abort(first.reason);
    for (const each of signals) each.addEventListener("abort", () => any.abort(each.reason));
    return any;
  }

  addEventListener(_: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  abort(reason: unknown = abortError): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}

/** What a person or a process stops something with. */
export class Aborting {
  readonly signal = new Signal();
  abort(reason?: unknown): void {
    this.signal.abort(reason);
  }
}

/** As Node has it. */
function atLeast(milliseconds: number): number {
  return milliseconds >= 1 ? milliseconds : 1;
}

/** The calendar at the beginning of each simulation. */
export const calendar = Date.UTC(2026, 10, 22);
