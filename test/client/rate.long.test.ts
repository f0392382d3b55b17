import fc from "fast-check";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type Rate, rateOf } from "../../src/base/rate.ts";
import { Limiter, rateKey } from "../../src/client/limiter.ts";
import { createStop } from "../../src/client/timer.ts";
import { stateAt } from "../../src/state/open-state.ts";
import { memoryRates, processRates, type Rates } from "../../src/state/state.ts";
import { databases } from "../state/databases.ts";
import type { Database } from "../support/database.mjs";
import { until } from "../support/until.ts";
import { failureOf, reader, type Scripted, serve, token } from "./scripted.ts";

const get = { method: "GET", path: "/projects/7" } as const;

describe("a rate", () => {
  it.each([
    ["1800/min", { requests: 1800, per: 60_000 }],
    ["30/s", { requests: 30, per: 1000 }],
    ["1000000/s", { requests: 1_000_000, per: 1000 }],
    ["0/s", undefined],
    ["1000001/s", undefined],
    ["1.5/s", undefined],
    ["10/h", undefined],
    ["10", undefined],
    ["10 / s", undefined],
  ])("is read from %s", (text, rate) => {
    expect(rateOf(text)).toEqual(rate);
  });

  it("has a key that is another for each token and origin, and tells neither", () => {
    const keys = [rateKey(token, "https://a"), rateKey(token, "https://b"), rateKey(`${token}x`, "https://a")];
    expect(new Set(keys).size).toBe(3);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });
});

/** The most that were sent in any stretch of so many milliseconds. */
function mostWithin(milliseconds: number, sent: readonly number[]): number {
  let first = 0;
  const counts = sent.map((at, index) => {
    while (at - (sent[first] as number) >= milliseconds - 1e-6) first++;
    return index - first + 1;
  });
  return Math.max(0, ...counts);
}

/** Several runs that share a rate, each with something to send at all times but for a pause: when they send. */
async function sentBy(limit: Rate, delays: readonly number[], pauses: readonly number[]): Promise<number[]> {
  const shared = memoryRates();
  const sent: number[] = [];
  const send = async (delay: number) => {
    const reserve: Rates["reserve"] = async (key, milliseconds) => {
      const wait = await shared.reserve(key, milliseconds);
      await new Promise((resolve) => setTimeout(resolve, delay));
      return wait;
    };
    const limiter = new Limiter(16, createStop(), { limit, rates: { ...shared, reserve } });
    for (let index = 0; performance.now() < 10 * limit.per; index++) {
      await new Promise((resolve) => setTimeout(resolve, pauses[index % pauses.length]));
      await limiter.enter("GET /x");
      sent.push(performance.now());
      limiter.leave();
    }
  };
  let isOver = false;
  const ended = Promise.all(delays.map(send)).finally(() => {
    isOver = true;
  });
  while (!isOver) await vi.advanceTimersByTimeAsync(limit.per);
  await ended;
  return sent.sort((a, b) => a - b);
}

describe("several runs that share a rate", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 0 }));
  afterEach(() => void vi.useRealTimers());

  it("send no more than it allows in any stretch of its time, however they pause and reservations are delayed", async () => {
    const delays = fc.array(fc.constantFrom(0, 0, 1, 5, 10), { minLength: 1, maxLength: 3 });
    const pauses = fc.array(fc.constantFrom(0, 0, 0, 5, 50, 1500), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 200 }), delays, pauses, async (requests, each, breaks) => {
        vi.useFakeTimers({ now: 0 });
        expect(mostWithin(1000, await sentBy({ requests, per: 1000 }, each, breaks))).toBeLessThanOrEqual(requests);
      }),
      { numRuns: 30 },
    );
  });

  it("use nearly all of it", async () => {
    expect((await sentBy({ requests: 100, per: 1000 }, [0, 0, 0], [0])).length).toBeGreaterThan(850);
  });
});

/** A server that counts: a fixed window, or a bucket that is refilled evenly. */
async function limiting({ requests, per }: Rate, form: "fixed window" | "bucket") {
  let refused = 0;
  const served: number[] = [];
  let [window, used, filled, level] = [0, 0, performance.now(), 1];
  const isFull = (now: number): boolean => {
    if (form === "fixed window") {
      if (Math.floor(now / per) !== window) [window, used] = [Math.floor(now / per), 0];
      return ++used > requests;
    }
    level = Math.min(1 + requests / 20, level + ((now - filled) * requests) / per);
    filled = now;
    if (level < 1) return true;
    level--;
    return false;
  };
  const server = await serve((): Scripted => {
    const now = performance.now();
    if (isFull(now)) {
      refused++;
      return { status: 429, headers: { "retry-after": "1" }, body: "Retry later" };
    }
    served.push(now);
    return { body: {} };
  });
  return { url: server.url, served, refused: () => refused };
}

/** Asks on and on for so many milliseconds, none of it in vain; returns when the first one did. */
async function askAll(url: string, limit: Rate, rates: readonly Rates[], milliseconds: number): Promise<number> {
  const connect = (each: Rates) => reader(url, { concurrency: 16, rate: { limit, rates: each } });
  const clients = await Promise.all(rates.map(connect));
  for (const client of clients) await client.get(get);
  const begin = performance.now();
  const asking = async (client: (typeof clients)[number]) => {
    while (performance.now() < begin + milliseconds) await client.get(get);
  };
  await Promise.all(clients.flatMap((client) => Array.from({ length: 16 }, () => asking(client))));
  return begin;
}

const [available] = await databases();

describe.skipIf(!available)("three runs on one state (needs postgresql)", () => {
  let database: Database;
  let states: Awaited<ReturnType<typeof stateAt>>[];

  beforeAll(async () => {
    if (available) database = await available.started();
    const open = (name: string) => stateAt(database.url(), "EVENKEEL_STATE", name, {});
    states = await Promise.all(["one", "two", "two"].map(open));
    return async () => {
      for (const state of states) await state[Symbol.asyncDispose]();
    };
  });

  it("are never refused by a fixed window, nor by a bucket", async () => {
    const limit = { requests: 600, per: 3000 };
    const rates = states.map((state) => state.rates);
    const checked = (["fixed window", "bucket"] as const).map(async (form) => {
      const server = await limiting(limit, form);
      await askAll(server.url, limit, rates, 2.5 * limit.per);
      expect(server.refused()).toBe(0);
      expect(server.served.length).toBeGreaterThan(0);
    });
    await Promise.all(checked);
  });

  it("go on alone when the state cannot keep the rate any more, and say so once", async () => {
    const client = new pg.Client(database.url());
    await client.connect();
    await client.query("CREATE DATABASE without_rates");
    await client.end();
    await using state = await stateAt(database.url("without_rates"), "EVENKEEL_STATE", "w", {});
    const breaking = new pg.Client(database.url("without_rates"));
    await breaking.connect();
    await breaking.query("DROP TABLE evenkeel.rate");
    await breaking.end();
    const server = await serve([{ body: {} }]);
    const said: string[] = [];
    const limit = { requests: 100, per: 1000 };
    const rate = { limit, rates: state.rates, onTrouble: (each: string) => said.push(each) };
    const reading = await reader(server.url, { rate });
    await Promise.all([reading.get(get), reading.get(get), reading.get(get)]);
    expect(said).toEqual([expect.stringMatching(/^the rate limit is not shared any more, this run keeps it alone: /)]);
    expect(server.seen).toHaveLength(3);
  });
});

describe("a run without a shared state", () => {
  it("keeps to its rate, and holds all of its connections once the token has no request left", async () => {
    const limit = { requests: 50, per: 1000 };
    const { reserve, hold } = memoryRates();
    const held: string[] = [];
    const rates: Rates = {
      reserve,
      hold: async (key, milliseconds) => {
        await hold(key, milliseconds);
        held.push(key);
      },
    };
    const times: number[] = [];
    const server = await serve((_, index) => {
      times.push(performance.now());
      const headers = { "retry-after": "0.2", "ratelimit-remaining": "0" };
      return index === 0 ? { status: 429, headers, body: "Retry later" } : { body: {} };
    });
    const [a, b] = [
      await reader(server.url, { rate: { limit, rates } }),
      await reader(server.url, { rate: { limit, rates } }),
    ];
    const first = a.get(get);
    await until(() => held.length > 0);
    await Promise.all([first, ...Array.from({ length: 10 }, () => b.get(get))]);
    expect(server.seen).toHaveLength(12);
    const [refused = 0, next = 0] = times;
    // Timers are right to a millisecond.
    expect(next - refused).toBeGreaterThan(198);
    expect((times.at(-1) ?? 0) - refused).toBeGreaterThan(198 + 9 * 20);
  });

  it("is stopped while it waits for its turn", async () => {
    const run = new AbortController();
    const server = await serve([{ body: {} }]);
    const limit = { requests: 1, per: 60_000 };
    const client = await reader(server.url, { signal: run.signal, rate: { limit, rates: processRates } });
    await client.get(get);
    const waiting = client.get(get);
    setTimeout(() => run.abort(new Error("enough")), 20);
    expect(String(await failureOf(waiting))).toContain("was not sent: enough");
    expect(server.seen).toHaveLength(1);
  });
});
