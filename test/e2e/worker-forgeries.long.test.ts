import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { version } from "../../src/base/version.ts";
import { stateAt } from "../../src/state/open-state.ts";
import { openQueue } from "../../src/workers/queue.ts";
import { sealKey } from "../../src/workers/sealed-digests.ts";
import { workKey } from "../../src/workers/work-key.ts";
import { databases } from "../state/databases.ts";
import type { Database } from "../support/database.mjs";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { type Environment, start } from "./program.ts";
import { scene, token } from "./workspace.ts";

const [available] = await databases();

const projects = ["group/p0", "group/p1"].map((path) => ({ path, licenses: { MIT: "allowed" } }));
const policy = { projects: ["group/*"], licenses: { MIT: "allowed" } };

describe.skipIf(!available)("what is written to a state and a queue without the token (needs postgresql)", () => {
  let database: Database;
  let count = 0;

  beforeAll(async () => {
    if (available) database = await available.started();
  });

  async function fleet() {
    const name = `forgeries-${++count}`;
    const made = await scene({ projects, policy, workspace: { name } });
    const origin = new URL(made.server.url).origin;
    const env = { EVENKEEL_TOKEN: token, EVENKEEL_STATE: database.url() };
    const worker = async (more: Environment = {}) => {
      const worker = start(["worker"], folder({}).root, { ...env, EVENKEEL_URL: made.server.url, ...more });
      await until(() => worker.said().includes("Ready to work"));
      return worker;
    };
    return { ...made, name, origin, env, worker, key: workKey({}, { token, origin }) };
  }

  /** Work that deletes a license, as a run hands it out; the run and its lease stand in the state. */
  async function deletion({ name, key, ask }: Awaited<ReturnType<typeof fleet>>) {
    const state = await stateAt(database.url(), "EVENKEEL_STATE", name, {});
    const run = "20261122T101502Z-9c1e";
    const who = { host: "elsewhere", pid: 1 };
    await state.workers.heartbeat({ id: run, role: "run", origin: key.place, version, ...who }, 300_000);
    const lease = await state.leases.take({ run, who: "nobody", ...who }, 300_000);
    const { json: rows } = await ask("GET", "/projects/group%2Fp0/managed_licenses");
    const [{ id }] = rows as readonly [{ readonly id: number }];
    const license = { kind: "license", key: "MIT" };
    const change = {
      ...{ ...license, address: "group/p0:license/MIT", project: "group/p0", action: "delete" },
      ...{ before: { approval_status: "allowed" }, after: null, declared: {}, reason: "", cause: "drift" },
      live: { ...license, id, active: true, fields: { approval_status: "allowed" } },
    };
    const chunk = { kind: "write", token: lease, recheck: false, inFlight: [], sealFor: sealKey().key };
    const work = {
      ...{ version, made: new Date().toISOString(), workspace: name, run, part: "1.0", requestTimeout: 10_000 },
      ...{ allowInsecure: false, chunk: { ...chunk, batches: [[{ change }]] } },
    };
    const writing = (more: object = {}) => JSON.stringify({ ...work, ...more });
    return { writing, run, state };
  }

  test("makes no worker send anything: neither unsigned work, nor work of another key, nor an old copy", async () => {
    const made = await fleet();
    const { writing, run, state } = await deletion(made);
    await using queue = await openQueue(made.env, made.key.place);
    const other = workKey({}, { token: "another-token", origin: made.origin });
    const result = ["result", made.name, "r", "1.0"] as const;
    const works = {
      unsigned: writing(),
      foreign: other.sign(["work"], writing()),
      elsewhere: workKey({}, { token, origin: "https://other.example.com" }).sign(["work"], writing()),
      result: made.key.sign(result, writing()),
      edited: made.key.sign(["work"], writing()).replace("group/p0", "group/p1"),
    };
    const old = made.key.sign(["work"], writing({ made: new Date(Date.now() - 25 * 3_600_000).toISOString() }));
    const worker = await made.worker();
    await queue.add(new Map(Object.entries(works)));
    await until(async () => !(await Promise.all(Object.keys(works).map(queue.has))).includes(true));
    await queue.add(new Map([["old", old]]));
    await until(async () => (await state.workers.collectResults(run, [])).size === 1);
    expect([...(await state.workers.collectResults(run, [])).values()].join()).toContain(
      "more than a day from the time",
    );
    expect(made.server.requests.total).toBe(1);
    expect(worker.said()).toContain("it is not signed with this worker's token or EVENKEEL_WORKER_KEY; it is removed");
    // The same with the signature of a run is what a worker does.
    await queue.add(new Map([["genuine", made.key.sign(["work"], writing())]]));
    await until(() => made.server.requests.writes === 1);
    await state[Symbol.asyncDispose]();
  });

  test("is no result: a run takes those of its workers alone, and has such a chunk done again", async () => {
    const made = await fleet();
    await using state = await stateAt(database.url(), "EVENKEEL_STATE", made.name, {});
    const run = start(["plan", "--workers", "--report", "json"], made.root, { ...made.environment, ...made.env });
    const own = async () => (await state.workers.members()).find(({ origin }) => origin === made.key.place)?.id;
    await until(async () => (await own()) !== undefined);
    const id = (await own()) ?? "";
    const nothing = { live: [], unread: [] };
    for (const forged of [JSON.stringify({ reads: 0, projects: [nothing, nothing] }), "no JSON"]) {
      await state.workers.saveResult(id, "1.0", forged);
      await until(async () => (await state.workers.collectResults(id, [])).size === 0);
    }
    await made.worker();
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(ended.stdout).resource_changes).toEqual([]);
  });

  test("is no outcome of a write: what was not sent is not taken for applied", async () => {
    const made = await fleet();
    made.policy({ projects: ["group/*"], licenses: { MIT: "allowed", Beerware: "denied" } });
    await using state = await stateAt(database.url(), "EVENKEEL_STATE", made.name, {});
    const run = start(["apply", "--yes", "--workers", "--report", "json"], made.root, {
      ...{ ...made.environment, ...made.env },
      EVENKEEL_WORKER_WAIT: "3s",
    });
    const own = async () => (await state.workers.members()).find(({ origin }) => origin === made.key.place)?.id;
    await until(async () => (await own()) !== undefined);
    const client = new pg.Client({ connectionString: database.url() });
    await client.connect();
    const other = workKey({}, { token: "another-token", origin: made.origin });
    const id = (await own()) ?? "";
    const applied = JSON.stringify({ status: "applied" });
    const addresses = ["group/p0:license/Beerware", "group/p1:license/Beerware"] as const;
    const genuine = made.key.sign(["outcome", made.name, id, addresses[1]], applied);
    const forged = [other.sign(["outcome", made.name, id, addresses[0]], applied), genuine.replace("applied", "stale")];
    for (const [index, address] of addresses.entries()) {
      await client.query(
        `INSERT INTO evenkeel.intent (workspace, run, address, sender, member, since, outcome, sealed)
         VALUES ($1, $2, $3, 'x', 'x', clock_timestamp(), $4, '')`,
        [made.name, id, JSON.stringify(address), forged[index]],
      );
    }
    await client.end();
    const ended = await run.ended;
    expect(ended.code).toBe(1);
    const { resource_changes: changes } = JSON.parse(ended.stdout);
    expect(changes.map(({ outcome }: { outcome: object }) => outcome)).toEqual(
      addresses.map(() => ({ status: "unknown", error: expect.stringContaining("not signed with this run's token") })),
    );
    expect(made.server.requests.writes).toBe(0);
    expect(await made.evenkeelWith(made.env, "apply", "--yes")).toMatchObject({ code: 0, writes: 2 });
  });

  test("workers and runs whose tokens differ work together by a key of their own, and else leave each other alone", async () => {
    const made = await fleet();
    const EVENKEEL_WORKER_KEY = "a-key-of-workers-and-runs";
    const run = (more: Environment) =>
      made.evenkeelWith({ ...made.env, EVENKEEL_WORKER_WAIT: "300ms", ...more }, "plan", "--workers");
    const stranger = await made.worker({ EVENKEEL_TOKEN: "wrong-CANARY" });
    expect((await run({})).stderr).toMatch(
      /no worker for http:\S+ with this run's token or EVENKEEL_WORKER_KEY for 0\.3 s; the run continues/,
    );
    expect(await run({ EVENKEEL_WORKER_KEY: "short" })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("EVENKEEL_WORKER_KEY has 5 characters; expected 16 at least"),
    });
    stranger.kill("SIGTERM");
    await stranger.ended;
    await made.worker({ EVENKEEL_TOKEN: "wrong-CANARY", EVENKEEL_WORKER_KEY });
    const ended = await run({ EVENKEEL_WORKER_KEY, EVENKEEL_WORKER_WAIT: "30s" });
    expect(ended.stderr).toContain("the token was rejected; sent by the worker on ");
  });
});
