import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { openQueue } from "../../src/workers/queue.ts";
import { openConsumer, type WorkEnd } from "../../src/workers/queue-consumer.ts";
import { databases } from "../state/databases.ts";
import { lacks } from "../support/needs.ts";
import { startRedis } from "../support/redis.ts";
import { until } from "../support/until.ts";

/** Where a queue is, and what cuts all connections that listen on it. */
interface Place {
  readonly url: string;
  readonly cut: () => Promise<void>;
}

const [postgres] = await databases();
const stopping: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const stop of stopping) await stop();
});

async function redis() {
  const started = await startRedis();
  stopping.push(started[Symbol.asyncDispose]);
  return started;
}

const places: Readonly<Record<string, { readonly isMissing: boolean; readonly open: () => Promise<Place> }>> = {
  "PostgreSQL (needs postgresql)": {
    isMissing: postgres === undefined,
    open: async () => {
      const url = (await postgres?.started())?.url() ?? "";
      return { url, cut: () => terminated(url) };
    },
  },
  "Redis (needs redis)": {
    isMissing: lacks("redis"),
    open: redis,
  },
};

async function terminated(url: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
  );
  await client.end();
}

describe.each(Object.entries(places))("a queue on %s", (_, { isMissing, open }) => {
  let opened: Promise<Place> | undefined;

  /** A queue for a server of its own, and as many takers of it as are asked for; each may write down what it was given. */
  async function staged() {
    opened ??= open();
    const { url, cut } = await opened;
    const env = { EVENKEEL_QUEUE: url };
    const origin = `https://${randomUUID()}.example.com`;
    const queue = await openQueue(env, origin);
    const taken: string[] = [];
    const taker = (work: (text: string) => Promise<WorkEnd> = async () => "done", lock = 5000) =>
      openConsumer(env, origin, {
        lock,
        work: (text) => {
          taken.push(text);
          return work(text);
        },
      });
    return { queue, taker, taken, cut };
  }

  test.skipIf(isMissing)(
    "gives each work to one, whatever its size, and a name that waits already to nobody else",
    async () => {
      const made = await staged();
      await using queue = made.queue;
      const works = new Map(
        Array.from({ length: 20 }, (_, index) => [`w${index}`, `${index}:${"x".repeat(index * 50_000)}`]),
      );
      await queue.add(works);
      await queue.add(new Map([["w0", "another"]]));
      await using one = await made.taker();
      await using other = await made.taker();
      await until(async () => made.taken.length >= 20 && (await one.isIdle()) && (await other.isIdle()));
      expect(made.taken.toSorted()).toEqual([...works.values()].toSorted());
      expect(await queue.has("w0")).toBe(false);
    },
  );

  test.skipIf(isMissing)(
    "takes back what nobody has begun, and what a taker gives back goes to the next one",
    async () => {
      const made = await staged();
      await using queue = made.queue;
      await queue.add(new Map([["first", "first"]]));
      let busy = true;
      stopping.push(async () => {
        busy = false;
      });
      await using unable = await made.taker(async () => {
        await until(() => !busy);
        return "requeue";
      });
      await until(() => made.taken.length > 0);
      await queue.add(new Map([["second", "second"]]));
      expect([await queue.remove("second"), await queue.remove("second")]).toEqual([true, false]);
      expect([await queue.remove("first"), await queue.has("first")]).toEqual([false, true]);
      const leaving = unable[Symbol.asyncDispose]();
      busy = false;
      await leaving;
      await using able = await made.taker();
      await until(async () => made.taken.length > 1 && (await able.isIdle()));
      expect(new Set(made.taken)).toEqual(new Set(["first"]));
    },
  );

  test.skipIf(isMissing)("gives work for others to them at once, and nobody is kept busy by it", async () => {
    const made = await staged();
    await using queue = made.queue;
    const refused: string[] = [];
    const unable = await Promise.all(
      Array.from({ length: 3 }, () =>
        made.taker(async (text) => {
          if (text === "own") return "done";
          refused.push(text);
          return "delay";
        }),
      ),
    );
    const others = Array.from({ length: 5 }, (_, index) => `other${index}`);
    await queue.add(new Map([...others, "own"].map((each) => [each, each])));
    await until(() => made.taken.includes("own"));
    await sleep(4000);
    expect(refused.length).toBeLessThan(40);
    expect(await Promise.all(others.map((each) => queue.has(each)))).toEqual(others.map(() => true));
    const done: string[] = [];
    await using able = await made.taker(async (text) => {
      done.push(text);
      return "done";
    });
    await until(async () => done.length === 5 && (await able.isIdle()));
    await Promise.all(unable.map((each) => each[Symbol.asyncDispose]()));
  });

  test.skipIf(isMissing)("goes on when the connections of those that wait are lost", async () => {
    const made = await staged();
    await using queue = made.queue;
    await using taker = await made.taker();
    await queue.add(new Map([["before", "before"]]));
    await until(() => made.taken.includes("before"));
    // It waits for the next one now, with its listening connection.
    await sleep(200);
    await made.cut();
    await until(async () => {
      await queue.add(new Map([["after", "after"]])).catch(() => {});
      return made.taken.includes("after");
    });
    await until(() => taker.isIdle().catch(() => false));
  });
});

describe("a queue that cannot be used", () => {
  test.each(["redis://:CANARY@127.0.0.1:1/0", "postgres://u:CANARY@127.0.0.1:1/db"])(
    "is told in a sentence",
    async (url) => {
      const opening = openQueue({ EVENKEEL_QUEUE: url }, "https://code.example.com");
      await expect(opening).rejects.toThrow("cannot use the queue");
      await expect(opening).rejects.toThrow("connection refused");
      await expect(opening).rejects.not.toThrow("CANARY");
    },
  );

  test.skipIf(lacks("redis"))("since it wants another password says so (needs redis)", async () => {
    const { url, port } = await redis();
    const opening = openQueue({ EVENKEEL_QUEUE: url.replace("9x@", "wrong@") }, "https://code.example.com");
    await expect(opening).rejects.toThrow(`cannot use the queue 127.0.0.1:${port}: `);
    await expect(opening).rejects.toThrow(/WRONGPASS|NOAUTH|password/);
  });
});
