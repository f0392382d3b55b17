import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import { openConsumer, openQueue, type ShardJob } from "../../src/run/workers/queue.ts";
import { databases } from "../state/databases.ts";
import { lacks } from "../support/needs.ts";
import { startRedis } from "../support/redis.ts";
import { until } from "../support/until.ts";

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
    const taker = (work: () => Promise<"done" | "requeue"> = async () => "done", lock = 5000) =>
      openConsumer(env, origin, {
        lock,
        work: ({ shard }) => {
          taken.push(shard);
          return work();
        },
      });
    return { queue, taker, taken, cut };
  }

  const jobs = (...shards: string[]) => shards.map((shard): ShardJob => ({ run: "r", command: "plan", shard }));

  test.skipIf(isMissing)("gives each job to one worker, and one that waits already to nobody else", async () => {
    const made = await staged();
    await using queue = made.queue;
    const shards = Array.from({ length: 20 }, (_, index) => `1.${index}`);
    await queue.add(jobs(...shards));
    await queue.add(jobs("1.0"));
    await using one = await made.taker();
    await using other = await made.taker();
    await until(async () => made.taken.length >= 20 && (await one.isIdle()) && (await other.isIdle()));
    expect(made.taken.toSorted()).toEqual(shards.toSorted());
  });

  test.skipIf(isMissing)("removes what nobody has started; what a worker returns goes to the next one", async () => {
    const made = await staged();
    await using queue = made.queue;
    await queue.add(jobs("first"));
    let busy = true;
    stopping.push(async () => {
      busy = false;
    });
    await using unable = await made.taker(async () => {
      await until(() => !busy);
      return "requeue";
    });
    await until(() => made.taken.length > 0);
    await queue.add(jobs("second"));
    const [second] = jobs("second") as [ShardJob];
    await queue.remove(second);
    const leaving = unable[Symbol.asyncDispose]();
    busy = false;
    await leaving;
    await using able = await made.taker();
    await until(async () => made.taken.length > 1 && (await able.isIdle()));
    expect(new Set(made.taken)).toEqual(new Set(["first"]));
  });

  test.skipIf(isMissing)("goes on when the connections of those that wait are lost", async () => {
    const made = await staged();
    await using queue = made.queue;
    await using taker = await made.taker();
    await queue.add(jobs("before"));
    await until(() => made.taken.includes("before"));
    // It waits for the next one now, with its listening connection.
    await sleep(200);
    await made.cut();
    await until(async () => {
      await queue.add(jobs("after")).catch(() => {});
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
