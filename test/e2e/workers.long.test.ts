import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { withDatabase } from "../state/databases.ts";
import { lacks } from "../support/needs.ts";
import type { Running } from "../support/processes.ts";
import { startRedis } from "../support/redis.ts";
import { relayTo } from "../support/relay.ts";
import { until } from "../support/until.ts";
import { type Environment, start } from "./program.ts";
import { type Setting, scene, token } from "./workspace.ts";

const names = Array.from({ length: 120 }, (_, index) => `group/p${String(index).padStart(3, "0")}`);
const policy = { projects: ["group/*"], licenses: { MIT: "allowed", "AGPL-3.0": "denied" } };
const projects = names.map((path) => ({ path, licenses: { MIT: "denied" } }));

await withDatabase("workers", (database) => {
  let count = 0;

  /** Where somebody is to die: others notice after this time, and nobody who lives counts as dead before. */
  const mortal = { EVENKEEL_LEASE: "6s" };
  /** What it has sent may take effect for as long after that. */
  const hurried = { workspace: { requestTimeout: "4s" } };

  /** A workspace whose state is shared, its server, and as many workers of it as are asked for. */
  async function fleet(setting: Setting = {}, more: Environment = {}) {
    const workspace = { ...setting.workspace, name: `workers-${++count}` };
    const made = await scene({ projects, policy, ...setting, workspace });
    const env = { EVENKEEL_TOKEN: token, EVENKEEL_STATE: database.url(), ...more };
    const worker = async (also: Environment = {}, ...args: string[]): Promise<Running> => {
      const worker = start(["worker", ...args], made.root, { ...made.environment, ...env, ...also });
      await until(() => worker.said().includes("Ready to work"));
      return worker;
    };
    return {
      ...made,
      env,
      worker,
      evenkeel: (...args: string[]) => made.evenkeelWith(env, ...args),
      begin: (...args: string[]) => start(args, made.root, { ...made.environment, ...env }),
      beginWith: (also: Environment, ...args: string[]) =>
        start(args, made.root, { ...made.environment, ...env, ...also }),
    };
  }

  /** A way to a server on which each write after the first so many waits to be let go. */
  async function gated({ server }: { readonly server: { readonly url: string } }, free: number) {
    let open: () => void = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let writes = 0;
    const way = await relayTo(
      Number(new URL(server.url).port),
      (bytes) => /^(POST|PATCH) /.test(String(bytes)) && ++writes > free && gate,
    );
    onTestFinished(() => way[Symbol.asyncDispose]());
    return { open, at: { EVENKEEL_URL: `http://127.0.0.1:${way.port}` } };
  }

  const told = (text: string) => text.replace(/"(created_at|digest)": "[^"]*"|"reads": \d+/g, "");

  test("plan what one process plans, byte for byte", async () => {
    const { evenkeel, worker, server } = await fleet({
      projects: [...projects, { path: "group/q", licenses: { MIT: "allowed", "agpl-3.0": "denied", X: "allowed" } }],
      policies: { missing: { projects: ["group/none"], licenses: { MIT: "allowed" } } },
    });
    const alone = await evenkeel("plan", "--report", "json");
    const workers = await Promise.all([worker(), worker()]);
    const together = await evenkeel("plan", "--report", "json", "--workers");
    expect(together.stderr).toBe(alone.stderr);
    expect(told(together.stdout)).toBe(told(alone.stdout));
    expect(together).toMatchObject({ code: alone.code, writes: 0 });
    expect(server.requests.writes).toBe(0);
    expect(new Set(server.requests.kept.map(({ path }) => path)).size).toBeGreaterThan(100);
    for (const each of workers) each.kill("SIGTERM");
    expect(await Promise.all(workers.map(({ ended }) => ended))).toMatchObject([{ code: 0 }, { code: 0 }]);
  });

  /** POSTs that the server was sent, and whether any license is there twice. */
  async function written({ server, ask }: Awaited<ReturnType<typeof fleet>>) {
    const lists = await Promise.all(
      names.map((name) => ask("GET", `/projects/${encodeURIComponent(name)}/managed_licenses`)),
    );
    const all = lists.map(({ json }) => json.map(({ name }: { name: string }) => name).sort());
    return { posts: server.requests.count("POST"), licenses: new Set(all.map((each) => each.join())) };
  }

  test("carry out an apply; one that is killed in the middle leaves nothing undone, and nothing done twice", async () => {
    const made = await fleet({ ...hurried, latency: 30 }, mortal);
    const [victim, ...others] = await Promise.all([made.worker(), made.worker(), made.worker()]);
    const { begin, evenkeel, server } = made;
    server.requests.reset();
    const run = begin("apply", "--yes", "--workers", "--report", "json");
    await until(() => server.requests.count("POST") > 30);
    victim?.kill("SIGKILL");
    const ended = await run.ended;
    expect([ended.stderr, ended.code]).toEqual(["", 0]);
    const { summary } = JSON.parse(ended.stdout);
    expect(summary.outcomes).toMatchObject({ applied: 240, failed: 0, unknown: 0, skipped: 0 });
    expect(await written(made)).toEqual({ posts: 120, licenses: new Set(["AGPL-3.0,MIT"]) });
    expect(await evenkeel("drift", "--workers")).toMatchObject({ code: 0, writes: 0 });

    const [{ run: name }] = JSON.parse((await evenkeel("runs", "--report", "json")).stdout).slice(1);
    const journal = JSON.parse((await evenkeel("journal", name, "--report", "json")).stdout);
    const addresses = (event: string) =>
      new Set(
        journal.flatMap((line: { event: string; address?: string }) => (line.event === event ? line.address : [])),
      );
    expect([addresses("intent").size, addresses("result").size]).toEqual([240, 240]);
    expect([journal.at(0).event, journal.at(-1).event]).toEqual(["start", "end"]);
    for (const each of others) each.kill("SIGTERM");
    for (const each of others) expect(await each.ended).toMatchObject({ code: 0 });
  });

  test.skipIf(lacks("redis"))(
    "are given work by way of Redis too, one killed and all connections cut (needs redis)",
    async () => {
      await using redis = await startRedis();
      const made = await fleet({ ...hurried, latency: 30 }, { ...mortal, EVENKEEL_QUEUE: redis.url });
      const [victim, other] = await Promise.all([made.worker(), made.worker()]);
      const run = made.begin("apply", "--yes", "--workers", "--report", "json");
      await until(() => made.server.requests.count("POST") > 10);
      victim?.kill("SIGKILL");
      await redis.cut();
      const ended = await run.ended;
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(ended.stdout).summary.outcomes).toMatchObject({
        applied: 240,
        failed: 0,
        unknown: 0,
        skipped: 0,
      });
      expect(await written(made)).toEqual({ posts: 120, licenses: new Set(["AGPL-3.0,MIT"]) });
      // A worker returns a job after the run has its result.
      await until(async () => (await redis.jobs()).length === 0);
      await redis[Symbol.asyncDispose]();
      other.kill("SIGTERM");
      expect(await other.ended).toMatchObject({ code: 0 });
    },
  );

  test("finish the replacement that a killed worker began", async () => {
    const branches = (push_access_level: string) => ({
      projects: ["group/*"],
      protected_branches: { main: { push_access_level } },
    });
    const made = await fleet(
      {
        ...{ ...hurried, release: "19.9", tier: "free", projects: names.slice(0, 6).map((path) => ({ path })) },
        ...{ policy: branches("maintainer"), site: { dialect: "gitlab", release: "19.9", tier: "free" } },
      },
      mortal,
    );
    const { requests, url } = made.server;
    expect(await made.evenkeel("apply", "--yes")).toMatchObject({ code: 0, writes: 6 });
    made.policy(branches("developer"));
    let isBroken = true;
    await using way = await relayTo(Number(new URL(url).port), (bytes) =>
      isBroken && String(bytes).startsWith("POST ") ? new Promise(() => {}) : undefined,
    );
    const at = { EVENKEEL_URL: `http://127.0.0.1:${way.port}` };
    const victim = await made.worker(at);
    requests.reset();
    const run = made.beginWith(at, "apply", "--yes", "--workers", "--allow-deletes", "6", "--report", "json");
    await until(() => requests.count("DELETE") === 6);
    victim.kill("SIGKILL");
    isBroken = false;
    await made.worker(at);
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 0 });
    expect(JSON.parse(ended.stdout).summary.outcomes).toMatchObject({ applied: 6 });
    expect([requests.count("DELETE"), requests.count("POST")]).toEqual([6, 6]);
    expect(await made.evenkeel("drift")).toMatchObject({ code: 0 });
  });

  test("one that is paused past its lease writes nothing more, and another does its work", async () => {
    const made = await fleet({ ...hurried, latency: 30 }, mortal);
    const paused = await made.worker({}, "--concurrency", "4");
    const run = made.begin("apply", "--yes", "--workers", "--report", "json");
    await until(() => made.server.requests.count("POST") > 5);
    paused.kill("SIGSTOP");
    await made.worker();
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 0 });
    const { requests } = made.server;
    const before = requests.writes;
    paused.kill("SIGCONT");
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(requests.writes).toBe(before);
    expect(await written(made)).toEqual({ posts: 120, licenses: new Set(["AGPL-3.0,MIT"]) });
    expect(JSON.parse(ended.stdout).summary.outcomes).toMatchObject({ applied: 240 });
  });

  test("without any the run warns and continues; one without a state is refused", async () => {
    const { evenkeel, evenkeelWith, env } = await fleet({}, { EVENKEEL_WORKER_WAIT: "300ms" });
    const ended = await evenkeel("apply", "--yes", "--workers");
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining("Apply: 240 applied.") });
    expect(ended.stderr).toMatch(/^warning: no worker for 0\.3 s; the run continues without workers$/m);
    const unshared = await evenkeelWith({ EVENKEEL_TOKEN: token }, "plan", "--workers");
    expect(unshared).toMatchObject({ code: 64, reads: 0 });
    expect(unshared.stderr).toContain("workers need a state that they share: set EVENKEEL_STATE");
    const away = await evenkeelWith(
      { ...env, EVENKEEL_QUEUE: "redis://:Q7-CANARY@127.0.0.1:1/0" },
      "plan",
      "--workers",
    );
    expect(away).toMatchObject({
      code: 1,
      reads: 0,
      stderr: expect.stringContaining("cannot use the queue 127.0.0.1:1: "),
    });
    expect(away.stderr).not.toContain("CANARY");
    const wrong = await evenkeelWith({ ...env, EVENKEEL_QUEUE: "amqp://there" }, "plan", "--workers");
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("expected postgres://, or redis://"),
    });
  });

  test("work for runs that overlap: a second apply is refused by name, a plan beside it is a plan", async () => {
    const made = await fleet();
    const { open, at } = await gated(made, 20);
    await Promise.all([made.worker(at), made.worker(at, "--concurrency", "4")]);
    const run = made.beginWith(at, "apply", "--yes", "--workers", "--report", "json");
    await until(() => made.server.requests.count("POST") > 5);
    // A worker has one chunk of work at a time, and the plan needs one too.
    const refused = made.evenkeelWith({ ...made.env, ...at }, "apply", "--yes", "--workers").finally(open);
    const [held, beside] = await Promise.all([
      refused,
      made.evenkeelWith({ ...made.env, ...at }, "plan", "--workers", "--report", "json"),
    ]);
    expect(held).toMatchObject({ code: 1 });
    expect(held.stderr).toMatch(/another apply holds this workspace since .*: run \S+ of .* \(process \d+\)/);
    expect(beside).toMatchObject({ code: 0, stderr: "" });
    expect(beside.plan().summary.projects).toBe(120);
    const ended = await run.ended;
    expect(JSON.parse(ended.stdout).summary.outcomes).toMatchObject({ applied: 240, failed: 0, unknown: 0 });
    expect(await written(made)).toMatchObject({ licenses: new Set(["AGPL-3.0,MIT"]) });
  });

  test("stop what they do for a run that is cancelled, and nothing of it is left", async () => {
    const made = await fleet({ latency: 50 });
    const { open, at } = await gated(made, 6);
    const worker = await made.worker(at, "--once", "--concurrency", "2");
    const run = made.beginWith(at, "apply", "--yes", "--workers", "--report", "json");
    await until(() => made.server.requests.writes > 5);
    run.kill("SIGINT");
    await until(() => run.said().includes("Interrupted"));
    open();
    const ended = await run.ended;
    expect(ended.code).toBe(130);
    const { outcomes } = JSON.parse(ended.stdout).summary;
    expect(outcomes).toMatchObject({ failed: 0, unknown: 0 });
    expect(outcomes.skipped).toBeGreaterThan(100);
    expect(outcomes.applied).toBe(made.server.requests.writes);
    expect(await worker.ended).toMatchObject({ code: 0 });
  });

  test("carry out a saved plan, but for what moved since, and keep to the ledger of the state", async () => {
    const made = await fleet(
      { workspace: { ledger: "state" }, site: { reads: "trust-updated-at" } },
      { EVENKEEL_LEDGER_KEY: "a-key-of-this-test" },
    );
    const { evenkeel, ask, server } = made;
    await made.worker();
    expect(await evenkeel("plan", "--out", "plan.json", "--workers")).toMatchObject({ code: 0 });
    const project = `/projects/${encodeURIComponent("group/p007")}/managed_licenses`;
    const [mit] = (await ask("GET", project)).json;
    await ask("DELETE", `${project}/${mit.id}`);
    const applied = await evenkeel("apply", "plan.json", "--workers", "--report", "json");
    expect(applied.code).toBe(4);
    const left = applied.plan().resource_changes.filter(({ outcome }) => outcome?.status !== "applied");
    expect(left.map(({ address, outcome }) => [address, outcome?.status])).toEqual([
      ["group/p007:license/MIT", "stale"],
    ]);
    server.requests.reset();
    const alone = await evenkeel("plan", "--report", "json");
    const together = await evenkeel("plan", "--report", "json", "--workers");
    expect(told(together.stdout)).toBe(told(alone.stdout));
    expect(together).toMatchObject({ code: 0, stderr: alone.stderr });
    expect(together.plan().resource_changes.map(({ action_reason }) => action_reason)).toEqual([
      "not on the server, loosened",
    ]);
  });

  test("are seen with the run that they work for: how far it is while it goes on, and was when it was killed", async () => {
    const made = await fleet({ workspace: { rateLimit: "600/s" } }, mortal);
    const { open, at } = await gated(made, 40);
    await made.worker(at, "--concurrency", "4");
    const run = made.beginWith(at, "apply", "--yes", "--workers");
    const shown = async () => JSON.parse((await made.evenkeel("runs", "--report", "json")).stdout)[0];
    let live = await shown();
    for (; live?.progress?.stage !== "writing" || !live.progress.workers; live = await shown()) await sleep(100);
    const progress = { stage: "writing", total: 120, workers: 1 };
    const holder = { host: hostname(), pid: run.pid, since: expect.any(String), deadline: expect.any(String) };
    expect(live).toMatchObject({ command: "apply", ended: null, outcome: null, live: true, progress, holder });
    const [line] = (await made.evenkeel("runs")).stdout.split("\n");
    expect(line).toMatch(/apply: running: writing, \d+ of 120 projects, 1 worker/);
    run.kill("SIGKILL");
    await run.ended;
    open();
    for (live = await shown(); live.live; live = await shown()) await sleep(100);
    expect(live).toMatchObject({ ended: null, live: false, progress: { stage: "writing" } });
    expect(live).not.toHaveProperty("holder");
    const [dead] = (await made.evenkeel("runs")).stdout.split("\n");
    expect(dead).toMatch(/apply: did not finish; \d+ of 120 projects were written at 20/);
  });

  test("wait for a state that stays away, which ends the run, and go on with the next one", async () => {
    const made = await fleet({ ...hurried, latency: 60 }, mortal);
    const busy = await made.worker({}, "--concurrency", "4");
    const idle = await made.worker({ EVENKEEL_URL: `${made.server.url}/other` });
    const run = made.begin("apply", "--yes", "--workers", "--report", "json");
    await until(() => made.server.requests.writes > 10);
    await database.kill();
    const ended = await run.ended;
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining("has been unavailable for 10 s") });
    const waits = /^the state postgres on \S+ has been unavailable for 10 s: .*; waiting for it to come back$/m;
    await until(() => [busy, idle].every((each) => waits.test(each.said())));
    await database.start();
    await until(() => [busy, idle].every((each) => each.said().split("Ready to work").length === 3));
    const next = await made.evenkeel("apply", "--yes", "--workers", "--lock-timeout", "5m");
    expect(next.stderr).not.toContain("by itself");
    expect(next.code).toBe(0);
    expect(await written(made)).toMatchObject({ licenses: new Set(["AGPL-3.0,MIT"]) });
    for (const each of [busy, idle]) each.kill("SIGTERM");
    expect(await Promise.all([busy.ended, idle.ended])).toMatchObject([{ code: 0 }, { code: 0 }]);
  });

  test("end when they are told to, although the database of state and queue does not answer any more", async () => {
    await using relay = await relayTo(database.port);
    const EVENKEEL_STATE = database.url().replace(`:${database.port}/`, `:${relay.port}/`);
    const made = await fleet({ projects: projects.slice(0, 5) });
    const worked = await made.worker({ EVENKEEL_STATE });
    expect(await made.evenkeel("plan", "--workers")).toMatchObject({ code: 0 });
    const fresh = await made.worker({ EVENKEEL_STATE });
    relay.silence();
    for (const each of [worked, fresh]) each.kill("SIGTERM");
    expect(await Promise.all([worked.ended, fresh.ended])).toMatchObject([{ code: 0 }, { code: 0 }]);
  });

  test("whose token is refused are named by what that ends", async () => {
    const made = await fleet();
    const wrong = await made.worker({ EVENKEEL_TOKEN: "wrong-CANARY" });
    const ended = await made.evenkeel("plan", "--workers");
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(
      `the token was rejected; sent by the worker on ${hostname()} (process ${wrong.pid})`,
    );
    expect(ended.stderr).not.toContain("CANARY");
  });
});
