import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { CallFailed } from "../../src/client/failure.ts";
import { Limiter } from "../../src/client/limiter.ts";
import { createStop } from "../../src/client/timer.ts";
import type { Call } from "../../src/model/types.ts";
import { until } from "../support/until.ts";
import { failureOf, reader, reading, type Scripted, serve, writer, writing } from "./scripted.ts";

const get: Call = { method: "GET", path: "/projects/7" };
const put: Call = { method: "PUT", path: "/projects/7/managed_licenses/1", parameters: { approval_status: "denied" } };
const ok: Scripted = { body: {} };

function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("requests in flight", () => {
  it("are as many as configured, reads and writes together", async () => {
    const { open, opened } = gate();
    const { server, client } = await writing(() => ({ ...ok, after: opened }), { concurrency: 3 });
    const all = Array.from({ length: 12 }, (_, index) => (index % 2 ? client.send(put) : client.get(get)));
    await until(() => server.seen.length === 3);
    open();
    await Promise.all(all);
    expect([server.most, server.seen.length]).toEqual([3, 12]);
  });

  it("make room for others while one waits to be sent again", async () => {
    const server = await serve(({ path }, index) => (path.endsWith("/slow") && index < 1 ? { status: 500 } : ok));
    const order: string[] = [];
    const client = await reader(server.url, {
      concurrency: 1,
      backoff: { base: 60, cap: 60, attempts: 2 },
      random: () => 1,
    });
    await Promise.all([
      client.get({ ...get, path: "/slow" }).then(() => order.push("slow")),
      client.get({ ...get, path: "/quick" }).then(() => order.push("quick")),
    ]);
    expect(order).toEqual(["quick", "slow"]);
  });
});

describe("the room", () => {
  it("lets in whoever came first", async () => {
    const one = new Limiter(1, createStop());
    const order: number[] = [];
    const work = async (name: number) => {
      await one.enter("GET /x");
      order.push(name);
      one.leave();
    };
    await Promise.all([1, 2, 3].map(work));
    expect(order).toEqual([1, 2, 3]);
  });

  /** Sends as many requests as there is room for, in rounds of which each takes so many milliseconds. */
  async function rounds(limiter: Limiter, times: readonly number[], overloaded = false): Promise<number[]> {
    const rooms: number[] = [];
    for (const time of times) {
      const entered = Array.from({ length: limiter.room }, () => limiter.enter("GET /x"));
      const sendings = entered.map(() => limiter.sending());
      await vi.advanceTimersByTimeAsync(time);
      for (const sending of sendings) {
        limiter.ended();
        if (overloaded) limiter.overloaded(sending);
        else limiter.answered(sending);
      }
      for (const _ of sendings) limiter.leave();
      rooms.push(limiter.room);
    }
    return rooms;
  }

  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("doubles until responses slow down, then grows by one a round trip, and is halved once by a refusal", async () => {
    const limiter = new Limiter(128, createStop());
    expect(await rounds(limiter, [5, 20, 20, 200, 20])).toEqual([16, 32, 64, 65, 66]);
    expect(await rounds(limiter, [5, 5], true)).toEqual([33, 16]);
  });

  it("does not grow beyond the ceiling", async () => {
    expect(await rounds(new Limiter(20, createStop()), [5, 20, 20])).toEqual([16, 20, 20]);
  });
});

describe("a pause", () => {
  const busy: Scripted = { status: 429, headers: { "retry-after": "1" }, body: "Retry later" };
  const list: Call = { method: "GET", path: "/projects/7/hooks" };

  it("holds back requests to its endpoint, which others pass, and is reported once", async () => {
    const pauses: string[] = [];
    const times: [string, number][] = [];
    const server = await serve(({ path }, index) => {
      times.push([path, performance.now()]);
      return index < 2 ? busy : ok;
    });
    const client = await reader(server.url, { concurrency: 2, onPause: (sentence) => pauses.push(sentence) });
    await Promise.all([client.get(get), client.get({ ...get, path: "/projects/8" })].concat(client.get(list)));
    expect(times.map(([path]) => path).slice(0, 3)).toContain("/api/v4/projects/7/hooks");
    expect(times).toHaveLength(5);
    // Timers are right to a millisecond.
    expect((times[3]?.[1] ?? 0) - (times[0]?.[1] ?? 0)).toBeGreaterThan(998);
    expect(pauses).toEqual(["rate limited by the server (429), waiting 1 s"]);
  });

  it("holds back every endpoint if the token has no request left", async () => {
    const used: Scripted = { ...busy, headers: { "retry-after": "0.1", "ratelimit-remaining": "0" } };
    const times: number[] = [];
    const server = await serve((_, index) => {
      times.push(performance.now());
      return index === 0 ? used : ok;
    });
    const client = await reader(server.url, { concurrency: 1 });
    await Promise.all([client.get(get), client.get(list)]);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(98);
  });

  it("is kept for a 503 that asks for it", async () => {
    const pauses: string[] = [];
    const server = await serve([{ status: 503, headers: { "retry-after": "1" } }, ok]);
    await (await reader(server.url, { onPause: (sentence) => pauses.push(sentence) })).get(get);
    expect(pauses).toEqual(["the server is overloaded (503), waiting 1 s"]);
  });

  it("that outlasts the run is named by what was not sent", async () => {
    const server = await serve([{ status: 429, headers: { "retry-after": "3600" } }]);
    const run = new AbortController();
    const client = await writer(server.url, { signal: run.signal, onPause: () => setTimeout(() => run.abort(), 5) });
    expect(await failureOf(client.get(get))).toMatchObject({ kind: "status", status: 429 });
    expect(((await failureOf(client.get({ ...get, path: "/projects/8" }))) as CallFailed).message).toMatch(
      /was not sent: rate limited by the server \(429\), which asks to wait 3\d{3} more seconds/,
    );
    expect(server.seen).toHaveLength(1);
  });
});

describe("a stopped run", () => {
  it("sends nothing more, cuts reads, and leaves writes to finish", async () => {
    const { open, opened } = gate();
    const server = await serve(({ method }) => (method === "GET" ? { fault: "hang" } : { ...ok, after: opened }));
    const run = new AbortController();
    const client = await writer(server.url, { concurrency: 2, signal: run.signal });
    const [read, write, queued] = [client.get(get), client.send(put), client.send(put)];
    await until(() => server.seen.length === 2);
    run.abort(new Error("the time limit of 5m is over"));
    const cut = await failureOf(read);
    expect(cut).toMatchObject({ kind: "aborted", endsRun: true });
    expect(cut.message).toContain("was cut off: the time limit of 5m is over");
    const unsent = await failureOf(queued);
    expect(unsent).toMatchObject({ kind: "aborted", uncertain: false, attempts: 0 });
    expect(unsent.message).toContain("was not sent: the time limit of 5m is over");
    open();
    expect([(await write).status, server.seen.length]).toEqual([200, 2]);
  });

  it("or one stopped before it began, sends nothing at all", async () => {
    const { server, client } = await reading([ok], { signal: AbortSignal.abort("interrupted") });
    expect(((await failureOf(client.get(get))) as Error).message).toContain("was not sent: interrupted");
    expect(server.seen).toHaveLength(0);
  });
});

it("a closed connection sends nothing more, and closes when its writes have ended", async () => {
  const { open, opened } = gate();
  const { server, client } = await writing(() => ({ ...ok, after: opened }));
  const write = client.send(put);
  await until(() => server.seen.length === 1);
  const closed = client.close();
  expect(await failureOf(client.get(get))).toMatchObject({ kind: "aborted" });
  open();
  await closed;
  expect((await write).status).toBe(200);
});
