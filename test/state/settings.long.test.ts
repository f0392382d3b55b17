import { connect, createServer, type Socket } from "node:net";
import { env } from "node:process";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { stateAt } from "../../src/state/open-state.ts";
import { openQueue } from "../../src/workers/queue.ts";
import { openConsumer } from "../../src/workers/queue-consumer.ts";
import type { Database } from "../support/database.mjs";
import { atEnd } from "../support/ending.ts";
import { until } from "../support/until.ts";
import { databases } from "./databases.ts";
import { editsOf } from "./edits.ts";
import { line, taken } from "./laws.ts";

const [available] = await databases();

describe.skipIf(!available)("a database whose settings are not the state's (needs postgresql)", () => {
  let database: Database;
  let count = 0;

  beforeAll(async () => {
    if (available) database = await available.started();
  });
  afterEach(() => {
    delete env.PGOPTIONS;
  });

  async function asked(text: string, on = "postgres") {
    const client = new pg.Client(database.url(on));
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows;
  }

  /** A database of its own, and a role whose connections go there. */
  async function fresh() {
    const name = `settings${++count}`;
    await asked(`CREATE ROLE ${name} LOGIN SUPERUSER PASSWORD 'secret'`);
    await asked(`CREATE DATABASE ${name}`);
    return { name, url: database.url(name).replace(/\/\/[^@]*/, `//${name}:secret`) };
  }

  async function open(url: string) {
    const state = await stateAt(url, "EVENKEEL_STATE", "w", {});
    atEnd(() => state[Symbol.asyncDispose]());
    return state;
  }

  /** Writes down with which settings each row of the tables was written. */
  const watch = `
    CREATE TABLE public.seen (commit text, isolation text);
    CREATE FUNCTION public.watch() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.seen VALUES (current_setting('synchronous_commit'), current_setting('transaction_isolation'));
      RETURN NEW; END $$;
    ${["lease", "journal", "intent", "member", "ledger", "run"]
      .map(
        (table) =>
          `CREATE TRIGGER w BEFORE INSERT OR UPDATE ON evenkeel.${table} FOR EACH ROW EXECUTE FUNCTION public.watch();`,
      )
      .join("")}`;

  /** With which settings a run writes. */
  async function written(name: string, url: string) {
    await (await open(database.url(name)))[Symbol.asyncDispose]();
    await asked(watch, name);
    const state = await open(url);
    const token = await taken(state, "r");
    const journal = state.journals.open(token);
    await journal.append(line("p:license/MIT"));
    await journal.close();
    await state.workers.claim(token, "p:license/MIT", { name: "s", member: "m" }, 0, "");
    await state.ledger.write(token, "key", editsOf([{ project: "p", rest: "license/MIT", memory: { sent: {} } }]));
    await state.leases.giveBack(token);
    return asked("SELECT DISTINCT commit, isolation FROM public.seen", name);
  }

  const ways: Readonly<Record<string, (name: string, setting: string) => Promise<unknown>>> = {
    "its role": (name, setting) => asked(`ALTER ROLE ${name} SET ${setting}`),
    "the database": (name, setting) => asked(`ALTER DATABASE ${name} SET ${setting}`),
    "the role in the database": (name, setting) => asked(`ALTER ROLE ${name} IN DATABASE ${name} SET ${setting}`),
    PGOPTIONS: async (_, setting) => {
      env.PGOPTIONS = `-c ${setting.replaceAll(/[ ']/g, "")}`;
    },
  };
  const values = [
    ["off", "on"],
    ["local", "on"],
    ["remote_write", "on"],
    ["on", "on"],
    ["remote_apply", "remote_apply"],
  ] as const;
  const table = Object.keys(ways).flatMap((way) => values.map(([set, used]) => [way, set, used] as const));

  test.each(table)("%s says synchronous_commit = %s: what is written is committed with %s", async (way, set, used) => {
    const { name, url } = await fresh();
    await ways[way]?.(name, `synchronous_commit = '${set}'`);
    expect(await written(name, url)).toEqual([{ commit: used, isolation: "read committed" }]);
  });

  /** Hands each transaction to a connection that knows nothing of the one before, as a pooler in transaction mode. */
  async function pooler(): Promise<number> {
    const server = createServer((client) => relay(client, connect(database.port, "127.0.0.1")));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(() => void server.close());
    return (server.address() as { port: number }).port;
  }

  function relay(client: Socket, upstream: Socket): void {
    let waiting: Buffer = Buffer.alloc(0);
    let held: Buffer | undefined;
    client.on("data", (bytes) => upstream.write(bytes)).on("error", () => {});
    client.on("close", () => upstream.destroy());
    upstream.on("close", () => client.destroy()).on("error", () => {});
    upstream.on("data", (bytes) => {
      waiting = Buffer.concat([waiting, Buffer.from(bytes)]);
      while (waiting.length >= 5 && waiting.length > waiting.readInt32BE(1)) {
        const message = waiting.subarray(0, waiting.readInt32BE(1) + 1);
        waiting = waiting.subarray(message.length);
        const isIdle = message.toString("latin1", 0, 1) === "Z" && message[5] === 0x49;
        if (held && !isIdle) continue;
        if (isIdle && !held) {
          held = message;
          upstream.write(Buffer.concat([Buffer.from("Q\0\0\0\x10", "latin1"), Buffer.from("DISCARD ALL\0")]));
        } else {
          client.write(held ?? message);
          held = undefined;
        }
      }
    });
  }

  test("behind a pooler that forgets settings, what is written is durable too", async () => {
    const { name, url } = await fresh();
    await asked(`ALTER ROLE ${name} SET synchronous_commit = 'off'`);
    await asked(`ALTER ROLE ${name} SET default_transaction_isolation = 'serializable'`);
    const pooled = `${url.replace(String(database.port), String(await pooler()))}?sslmode=disable`;
    expect(await written(name, pooled)).toEqual([{ commit: "on", isolation: "read committed" }]);
  });

  test.each(["read committed", "repeatable read", "serializable"])(
    "under %s the tables are made once, however many come first, and nobody fails for the others",
    async (isolation) => {
      const { name, url } = await fresh();
      await asked(`ALTER DATABASE ${name} SET default_transaction_isolation = '${isolation}'`);
      const states = await Promise.all(Array.from({ length: 8 }, () => open(url)));
      const tokens = await Promise.all(
        states.map((state, index) => state.leases.take({ run: `r${index}`, who: "a", host: "h", pid: 1 }, 60_000)),
      );
      expect(tokens.filter((each) => "fence" in each)).toHaveLength(1);
      const waits = await Promise.all(states.flatMap(({ rates }) => [1, 2, 3].map(() => rates.reserve("key", 20_000))));
      expect(waits.map((wait) => Math.round(wait / 20_000)).sort((a, b) => a - b)).toEqual(
        waits.map((_, index) => index),
      );
    },
  );

  test("a queue is made once and used under serializable too, where sessions are read-only and times are German", async () => {
    const { name, url } = await fresh();
    for (const setting of [
      "default_transaction_isolation = 'serializable'",
      "default_transaction_read_only = on",
      "DateStyle = German",
      "lock_timeout = 1",
      "statement_timeout = 300",
    ])
      await asked(`ALTER DATABASE ${name} SET ${setting}`);
    const queueEnv = { EVENKEEL_QUEUE: url };
    const origin = "https://code.example.com";
    const queues = await Promise.all([1, 2, 3].map(() => openQueue(queueEnv, origin)));
    const done: string[] = [];
    const work = async (text: string) => {
      done.push(text);
      return "done" as const;
    };
    const takers = await Promise.all([1, 2, 3].map(() => openConsumer(queueEnv, origin, { lock: 5000, work })));
    const works = Array.from({ length: 30 }, (_, index) => `w${index}`);
    await Promise.all(works.map((each, index) => queues[index % 3]?.add(new Map([[each, each]]))));
    await until(() => done.length >= 30);
    expect(done.toSorted()).toEqual(works.toSorted());
    await Promise.all([...takers, ...queues].map((each) => each[Symbol.asyncDispose]()));
  });
});
