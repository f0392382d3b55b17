import { randomUUID } from "node:crypto";
import { chmodSync } from "node:fs";
import { createServer, connect as dial, type Socket } from "node:net";
import { join } from "node:path";
import pg from "pg";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { readJournal, startJournal } from "../../src/state/journal.ts";
import { takeLease } from "../../src/state/lease.ts";
import { stateAt } from "../../src/state/open-state.ts";
import { listRuns, maxReadRuns, recordRun } from "../../src/state/run-summary.ts";
import type { WorkspaceState } from "../../src/state/state.ts";
import type { Database } from "../support/database.mjs";
import { atEnd } from "../support/ending.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { databases } from "./databases.ts";
import { claim, inBytes, ledgerLines, line, now, summary, taken } from "./laws.ts";

const [available] = await databases();

describe.skipIf(!available)("the state in PostgreSQL (needs postgresql)", () => {
  let database: Database;
  let count = 0;

  beforeAll(async () => {
    if (available) database = await available.started();
  });

  async function asked(text: string, on = "postgres"): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(database.url(on));
    await client.connect();
    const { rows } = await client.query(text);
    await client.end();
    return rows ?? [];
  }

  async function fresh(): Promise<string> {
    const name = `fresh${++count}`;
    await asked(`CREATE DATABASE ${name}`);
    return name;
  }

  async function open(url: string, env = {}): Promise<WorkspaceState> {
    const state = await stateAt(url, "EVENKEEL_STATE", "w", env);
    atEnd(() => state[Symbol.asyncDispose]());
    return state;
  }

  test("needs no right beyond a schema of its own, and says which it lacks", async () => {
    const name = await fresh();
    await asked("CREATE ROLE small LOGIN PASSWORD 'small-CANARY'");
    const url = database.url(name).replace(/\/\/[^@]*/, "//small:small-CANARY");
    await expect(open(url)).rejects.toThrow(/small may not do this in the state .*: permission denied for database/);
    await asked("CREATE SCHEMA evenkeel AUTHORIZATION small", name);
    const state = await open(url);
    await taken(state, "r");
    expect(await (await open(url)).leases("apply").holder()).toMatchObject({ run: "r" });
  });

  test("of another version than the program's is refused, and left as it is", async () => {
    const name = await fresh();
    await open(database.url(name));
    await asked("INSERT INTO evenkeel.migration (version) VALUES (99)", name);
    await expect(open(database.url(name))).rejects.toThrow(
      /^the state has schema version 99, and this version of evenkeel needs \d+; upgrade evenkeel$/,
    );
    await asked("UPDATE evenkeel.migration SET version = CASE version WHEN 99 THEN 0 ELSE 1 END", name);
    await expect(open(database.url(name))).rejects.toThrow(/schema version 1, .*DROP SCHEMA evenkeel CASCADE$/);
  });

  test("of the previous version is upgraded, and keeps its runs", async () => {
    const name = await fresh();
    await recordRun(await open(database.url(name)), summary("r"));
    await asked("CREATE TABLE evenkeel.part (run text); UPDATE evenkeel.migration SET version = 3", name);
    const states = await Promise.all([open(database.url(name)), open(database.url(name))]);
    for (const state of states) expect(await listRuns(state)).toEqual([summary("r")]);
    expect(await asked("SELECT FROM pg_tables WHERE tablename = 'part'", name)).toEqual([]);
  });

  test("is made once, however many come first at the same time", async () => {
    const url = database.url(await fresh());
    const states = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    for (const state of states) expect(await listRuns(state)).toEqual([]);
  });

  test("with rows that somebody broke tells of them or passes them over, and keeps the rest", async () => {
    const name = await fresh();
    const state = await open(database.url(name));
    const token = await taken(state, "r");
    const journal = startJournal(state, token, () => new Date());
    await journal.write({ event: "end", outcomes: {} });
    await recordRun(state, summary("r"));
    await state.ledger.write(token, inBytes(ledgerLines({ p: { settings: "x" }, q: { settings: "x" } })));
    await asked(
      `INSERT INTO evenkeel.line (workspace, log, name, batch, place, content)
       VALUES ('w', 'journals', 'r', '${randomUUID()}', 1, '{')`,
      name,
    );
    await asked("INSERT INTO evenkeel.document VALUES ('w', 'runs', 'broken', 'null')", name);
    await asked("UPDATE evenkeel.document SET content = '[]' WHERE collection = 'ledger' AND name = 'p'", name);
    expect(await readJournal(state, "r")).toHaveLength(1);
    expect(await listRuns(state)).toEqual([summary("r")]);
    const { lines, problems } = await state.ledger.read();
    expect([lines.size, lines.get("p")]).toEqual([1, undefined]);
    expect(problems).toMatchObject([{ message: "1 row of the state's ledger cannot be read and are ignored" }]);
  });

  test("forgets plans after a month and looks after a quarter, and never an apply", async () => {
    const state = await open(database.url(await fresh()));
    const [applied, planned] = ["20200101T000000Z-0001", "20200101T000000Z-0002"];
    const started = "2020-01-01T00:00:00.000Z";
    await state.put("plans", [[planned, "{}"]]);
    await state.append("signatures", planned, ["-----BEGIN SSH SIGNATURE-----\nx\n-----END SSH SIGNATURE-----"]);
    await recordRun(state, summary(applied, { started, ended: null }));
    await recordRun(state, summary(planned, { started, ended: null, command: "plan" }));
    await recordRun(state, summary("now"));
    expect((await listRuns(state)).map(({ run }) => run)).toEqual(["now", applied]);
    expect([await state.list("plans"), await state.list("signatures")]).toEqual([[], []]);
  });

  test("keeps no more looks than it should, and every apply", async () => {
    const name = await fresh();
    const state = await open(database.url(name));
    await recordRun(state, summary("applied"));
    await asked(
      `INSERT INTO evenkeel.document SELECT workspace, collection, 'check-' || lpad(number::text, 6, '0'),
         replace(replace(content, '"apply"', '"watch"'), '"run":"applied"', '"run":"check-' || lpad(number::text, 6, '0') || '"')
       FROM evenkeel.document, generate_series(1, ${maxReadRuns + 10}) AS number`,
      name,
    );
    await recordRun(state, summary("now"));
    const runs = (await listRuns(state)).map(({ run }) => run);
    expect(runs.filter((run) => run.startsWith("check-"))).toHaveLength(maxReadRuns - 1);
    expect(runs).toContain("applied");
  });

  test("forgets the rates of tokens that nobody uses any more", async () => {
    const name = await fresh();
    const state = await open(database.url(name));
    await state.rates.reserve("old", 10);
    await state.rates.reserve("new", 10);
    await asked("UPDATE evenkeel.rate SET reserved = reserved - interval '25 hours' WHERE key = 'old'", name);
    await open(database.url(name));
    expect(await asked("SELECT key FROM evenkeel.rate", name)).toEqual([{ key: "new" }]);
  });

  test("takes its password from libpq's variables where the URL has none", async () => {
    const url = database.url().replace(`:${database.password}@`, "@");
    await expect(open(url)).rejects.toThrow("requires a password for evenkeel, and none is set");
    await open(url, { PGPASSWORD: database.password });
    const lines = ["# mine", "other:*:*:*:no", `127.0.0.1:${database.port}:template1:evenkeel:no`, "short:1"];
    const right = `*:${database.port}:postgres:evenkeel:${database.password.replace("-", "\\-")}`;
    const { root, write } = folder({ pgpass: [...lines, right, "*:*:*:*:no"].join("\n") });
    const named = { PGPASSFILE: join(root, "pgpass") };
    await expect(open(url, named)).rejects.toThrow("others can read it; chmod 600 it");
    chmodSync(named.PGPASSFILE, 0o600);
    await open(url, named);
    write("pgpass", "other:*:*:*:no");
    await expect(open(url, named)).rejects.toThrow("none is set");
    await expect(open(url, { PGPASSFILE: "/nowhere" })).rejects.toThrow("cannot read the password file /nowhere");
  });

  /** Lets so many messages of the client through, and is gone then. */
  async function cut(
    after: number,
  ): Promise<{ readonly url: (name: string) => string; readonly wasCut: () => boolean }> {
    let left = after;
    const sockets = new Set<Socket>();
    const server = createServer((client) => {
      const upstream = dial(database.port, "127.0.0.1");
      for (const socket of [client, upstream]) {
        sockets.add(socket.on("error", () => {}));
        socket.on("close", () => {
          client.destroy();
          upstream.destroy();
        });
      }
      client.on("data", (message) => {
        if (left-- > 0) upstream.write(message);
        else for (const socket of sockets) socket.destroy();
      });
      upstream.on("data", (message) => client.write(message));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    atEnd(() => void server.close());
    const { port } = server.address() as { port: number };
    return {
      url: (name) => database.url(name).replace(String(database.port), String(port)),
      wasCut: () => left < 0,
    };
  }

  test("that cannot be reached loses the lease by this machine's clock, and a lost one stays lost", async () => {
    const proxy = await cut(60);
    const name = await fresh();
    await open(database.url(name));
    const state = await stateAt(proxy.url(name), "EVENKEEL_STATE", "w", {});
    const lease = await takeLease(state.leases("apply"), claim("r"), { duration: 5000 });
    expect(lease.lost()).toBeUndefined();
    while (!proxy.wasCut()) await listRuns(state).catch(() => {});
    await until(() => lease.lost() !== undefined);
    expect(lease.lost()).toBe("run r lost its lease: it was not renewed for 5 s");
    const other = await open(database.url(name));
    expect((await taken(other, "s")).fence).toBeGreaterThan(lease.token.fence);
    expect(lease.lost()).toContain("lost its lease");
  });

  /** All that a run asks of its state, from the first table to the lease given back. */
  async function whole(url: string, run: string): Promise<void> {
    const state = await stateAt(url, "EVENKEEL_STATE", "w", {});
    const token = await taken(state, run);
    await recordRun(state, summary(run, { ended: null }));
    const journal = startJournal(state, token, now);
    for (const address of ["p:license/MIT", "q:license/MIT"]) await journal.write(line(address));
    await state.ledger.write(token, inBytes(ledgerLines({ [run]: { "license/MIT": "x" } })));
    await state.put("plans", [[run, "{}"]]);
    await recordRun(state, summary(run));
    await state.leases("apply").release(token.run, token.fence);
    await state[Symbol.asyncDispose]();
  }

  test("that was left at any statement is read and used by the next run", async () => {
    let done = false;
    // Every third one, from another one on in each order of tests.
    let after = inject("seed") % 3;
    for (; !done; after += 3) {
      const name = await fresh();
      const proxy = await cut(after);
      const finished = whole(proxy.url(name), "crashed").then(
        () => true,
        () => false,
      );
      while (!proxy.wasCut() && !done) done = await Promise.race([finished, pause(5).then(() => false)]);
      const state = await open(database.url(name));
      await state.leases("apply").release("crashed");
      await whole(database.url(name), "next");
      const lines = (await readJournal(state, "crashed")) ?? [];
      expect(lines).toEqual([line("p:license/MIT"), line("q:license/MIT")].slice(0, lines.length));
      expect((await listRuns(state)).map(({ run }) => run)).toContain("next");
      expect(await state.leases("apply").holder()).toBeUndefined();
    }
    expect(after).toBeGreaterThan(20);
  });
});

const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
