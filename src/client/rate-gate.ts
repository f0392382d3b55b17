import { type Rate, spacingOf } from "../base/rate.ts";
import { longestHold, processRates, type Rates } from "../state/rates.ts";
import { ReservedPermits } from "./reserved-permits.ts";
import type { Stop } from "./stop-signal.ts";

/** What keeps the requests of one connection to a rate that others share. */
export interface RateGate {
  /** Resolves when a request may go out, in order; at once where the run is stopped. */
  turn(): Promise<void>;
  /** Nobody who shares the rate sends for so many milliseconds. */
  hold(milliseconds: number): void;
}

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
 * Reserves times for the requests that wait, a block of them at once, and for those in the queue behind them as far as
 * earlier ones were used: twice as many where all were. A block is no more than a twentieth of a second's worth or what
 * the way to the rates takes, so that little is lost. `tooLong` is told of a wait that is longer than `longest`
 * milliseconds: whoever waits is let go, to find out by itself.
 */
export function createRateGate(
  { limit, rates = processRates, onTrouble }: RateOptions,
  key: string,
  { stop, longest, tooLong, queued }: GateHost,
): RateGate {
  const spacing = spacingOf(limit);
  const slots = new ReservedPermits(spacing);
  let from = rates;
  let waiting: (() => void)[] = [];
  let isAsking = false;
  let holds = 0;
  let used = 1;
  let reach = ahead;
  let quickest: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  const letAllGo = (): void => {
    clearTimeout(timer);
    for (const go of waiting.splice(0)) go();
  };
  stop.onStop(letAllGo);

  /** Those whose time has come go; for the others times are reserved, and waited for. */
  const pump = (): void => {
    const now = performance.now();
    let gone = 0;
    while (gone < waiting.length && slots.take(now)) waiting[gone++]?.();
    if (gone > 0) waiting = waiting.slice(gone);
    const held = slots.held(now);
    const lacking = waiting.length + queued() - held;
    if (!isAsking && lacking > 0 && slots.end(now) - now < reach) void ask(lacking, waiting.length - held);
    clearTimeout(timer);
    const next = waiting.length > 0 ? slots.next(now) : undefined;
    if (next !== undefined) timer = setTimeout(pump, Math.max(1, Math.ceil(next - now)));
  };

  const blockOf = (milliseconds: number): number => Math.max(1, Math.floor(milliseconds / spacing.interval));

  /** How much later than others an answer came: it says as much too late when the times begin. */
  const delayOf = (took: number): number => {
    const delay = took - Math.min(quickest ?? 0, took);
    quickest = Math.min(quickest ?? took, took);
    return delay;
  };

  /** For so many requests, of which some wait already. */
  const ask = async (lacking: number, here: number): Promise<void> => {
    isAsking = true;
    const expired = slots.expired();
    used = expired > 0 ? Math.max(1, used - expired) : Math.min(used * 2, blockOf(furthest));
    const count = Math.min(lacking, Math.max(used, here), blockOf(reach));
    const [asked, heldBefore] = [performance.now(), holds];
    const wait = await shared((to) => to.reserve(key, count * spacing.interval));
    const now = performance.now();
    const took = now - asked;
    reach = Math.min(furthest, ahead + 2 * took);
    isAsking = false;
    if (wait > longest) {
      tooLong(wait);
      letAllGo();
    } else if (heldBefore === holds) slots.add(now + wait, count, delayOf(took));
    pump();
  };

  /** Where the rates cannot be reached, this process keeps the limit from then on. */
  const shared = async <Result>(work: (rates: Rates) => Promise<Result>): Promise<Result> => {
    const used = from;
    try {
      return await work(used);
    } catch (error) {
      if (used === processRates || !(error instanceof Error)) throw error;
      if (from === used)
        onTrouble?.(`the rate limit is not shared any more, this run keeps it alone: ${error.message}`);
      from = processRates;
      return work(from);
    }
  };

  return {
    turn: () => {
      if (stop.reason !== undefined) return Promise.resolve();
      return new Promise((go) => {
        waiting.push(go);
        pump();
      });
    },
    hold: (milliseconds) => {
      holds++;
      slots.clear();
      void shared((to) => to.hold(key, Math.min(milliseconds, longestHold)));
    },
  };
}
