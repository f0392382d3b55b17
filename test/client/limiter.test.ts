import { describe, expect, it } from "vitest";
import type { CallFailed } from "../../src/client/failure.ts";
import { Limiter } from "../../src/client/limiter.ts";
import { createStop } from "../../src/client/stop-signal.ts";
import type { Call } from "../../src/model/types.ts";
import { until } from "../support/until.ts";
import { failureOf, reader, type Scripted, serve, writer } from "./scripted.ts";

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
    const server = await serve(() => ({ ...ok, after: opened }));
    const client = await writer(server.url, { concurrency: 3 });
    const all = Array.from({ length: 12 }, (_, index) => (index % 2 ? client.send(put) : client.get(get)));
    await until(() => server.seen.length === 3);
    open();
    await Promise.all(all);
    expect(server.most).toBe(3);
    expect(server.seen).toHaveLength(12);
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

/** Resolves once `work` has entered, ended and left. */
function within(limiter: Limiter, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) =>
    limiter.enter(() => {
      const left = work().finally(() => limiter.leave());
      left.then(resolve, reject);
    }),
  );
}

describe("the room", () => {
  it("lets in whoever came first", async () => {
    const one = new Limiter(1, createStop(), 1000);
    const order: number[] = [];
    await Promise.all([1, 2, 3].map((name) => within(one, async () => void order.push(name))));
    expect(order).toEqual([1, 2, 3]);
  });

  it("lets in any number that leave as soon as they begin, without growing the stack", () => {
    const one = new Limiter(1, createStop(), 1000);
    let begun = 0;
    one.enter(() => {});
    for (let each = 0; each < 100_000; each++)
      one.enter(() => {
        begun++;
        one.leave();
      });
    expect(begun).toBe(0);
    one.leave();
    expect(begun).toBe(100_000);
  });

  it("doubles with the first answers, although their requests went out at once", async () => {
    const limiter = new Limiter(128, createStop(), 1000);
    const { open, opened } = gate();
    const request = async () => {
      const sending = limiter.sending();
      await opened;
      limiter.ended();
      limiter.answered(sending);
    };
    await within(limiter, async () => {
      limiter.sending();
      limiter.ended();
    });
    const all = Array.from({ length: 200 }, () => within(limiter, request));
    const before = limiter.room;
    open();
    await Promise.all(all.slice(0, before));
    expect(limiter.room).toBeGreaterThanOrEqual(2 * before);
    await Promise.all(all);
  });
});

describe("a pause", () => {
  it("holds back all requests, and each is answered in the end", async () => {
    const pauses: number[] = [];
    const busy: Scripted = { status: 429, headers: { "retry-after": "0.1" }, body: "Retry later" };
    const times: number[] = [];
    const server = await serve((_, index) => {
      times.push(performance.now());
      return index === 0 ? busy : ok;
    });
    const client = await reader(server.url, { concurrency: 1, onPause: (delay) => pauses.push(delay) });
    await Promise.all([client.get(get), client.get(get), client.get(get)]);
    expect(server.seen).toHaveLength(4);
    // Timers are right to a millisecond.
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(98);
    expect(pauses).toEqual([100]);
  });

  it("is kept for a 503 that asks for it", async () => {
    const pauses: number[] = [];
    const server = await serve([{ status: 503, headers: { "retry-after": "0.01" } }, ok]);
    await (await reader(server.url, { onPause: (delay) => pauses.push(delay) })).get(get);
    expect(pauses).toEqual([10]);
  });

  it("that is too long is not waited for: calls fail and say so", async () => {
    const server = await serve([{ status: 429, headers: { "retry-after": "3600" } }]);
    const client = await writer(server.url);
    const failure = (await failureOf(client.get(get))) as CallFailed;
    expect(failure).toMatchObject({ kind: "status", status: 429 });
    expect(failure.message).toMatch(/was not sent again: the server asks to wait 3\d{3} more seconds; .* at most 300/);
    const next = (await failureOf(client.send({ ...put, method: "POST" }))) as CallFailed;
    expect(next.message).toMatch(/was not sent: the server asks to wait 3\d{3} more seconds/);
    expect(next).toMatchObject({ attempts: 0, uncertain: false });
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
    const cut = (await failureOf(read)) as CallFailed;
    expect(cut).toMatchObject({ kind: "aborted", endsRun: true });
    expect(cut.message).toContain("was cut off: the time limit of 5m is over");
    const unsent = (await failureOf(queued)) as CallFailed;
    expect(unsent).toMatchObject({ kind: "aborted", uncertain: false, attempts: 0 });
    expect(unsent.message).toContain("was not sent: the time limit of 5m is over");
    open();
    expect((await write).status).toBe(200);
    expect(server.seen).toHaveLength(2);
  });

  it("waits out neither a pause nor a backoff, and tells what came before", async () => {
    const server = await serve([{ status: 429, headers: { "retry-after": "200" } }]);
    const run = new AbortController();
    const client = await reader(server.url, { signal: run.signal, onPause: () => setTimeout(() => run.abort(), 5) });
    expect(await failureOf(client.get(get))).toMatchObject({ kind: "status", status: 429 });
    expect(await failureOf(client.get(get))).toMatchObject({ kind: "aborted" });
    expect(server.seen).toHaveLength(1);
  });

  it("or one stopped before it began, sends nothing at all", async () => {
    const server = await serve([ok]);
    const client = await reader(server.url, { signal: AbortSignal.abort("interrupted") });
    expect(((await failureOf(client.get(get))) as Error).message).toContain("was not sent: interrupted");
    expect(server.seen).toHaveLength(0);
  });
});

it("a closed connection sends nothing more, and closes when its writes have ended", async () => {
  const { open, opened } = gate();
  const server = await serve(() => ({ ...ok, after: opened }));
  const client = await writer(server.url);
  const write = client.send(put);
  await until(() => server.seen.length === 1);
  const closed = client.close();
  expect(await failureOf(client.get(get))).toMatchObject({ kind: "aborted" });
  open();
  await closed;
  expect((await write).status).toBe(200);
});
