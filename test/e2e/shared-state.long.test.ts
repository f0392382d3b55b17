import { hostname } from "node:os";
import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { withDatabase } from "../state/databases.ts";
import { type Folder, folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { runProgram, start } from "./program.ts";
import { policyText, type Scene, type Setting, scene, token, workspaceText } from "./workspace.ts";

const names = ["p", "q", "r"];
const policy = { projects: names, licenses: { MIT: "allowed", "AGPL-3.0": "denied" } };
const projects = names.map((path) => ({ path, licenses: { MIT: "denied" } }));
/** Enough to write that a busy machine can step in while it goes on. */
const many = Array.from({ length: 12 }, (_, index) => `p${index}`);
const busy: Setting = {
  projects: many.map((path) => ({ path })),
  policy: { projects: many, licenses: policy.licenses },
  latency: 150,
};
const job = "https://ci.example.com/jobs/7";

await withDatabase("a shared state", (database) => {
  let count = 0;

  /** A server, and a fresh clone of one workspace for each runner. */
  async function fleet(setting: Setting = {}) {
    const name = `fleet-${++count}`;
    const workspace = { concurrency: 2, requestTimeout: "6s", ...setting.workspace, name };
    const made = await scene({ projects, policy, ...setting, workspace });
    const env = { EVENKEEL_TOKEN: token, EVENKEEL_STATE: database.url() };
    const clone = () => runner(made, { policy, ...setting, workspace }, env);
    return { ...made, name, clone, env };
  }

  function runner(made: Scene, { workspace, policy: body = policy }: Setting, env: Readonly<Record<string, string>>) {
    const files = folder({
      "evenkeel.yaml": workspaceText({ url: made.server.url }, workspace),
      "all.yaml": policyText(body),
    });
    return {
      ...files,
      run: (args: readonly string[], more = {}) => runProgram(args, files.root, { ...env, ...more }),
      begin: (args: readonly string[], more = {}) => start(args, files.root, { ...env, ...more }),
    };
  }

  const rows = async (at: { run: (args: readonly string[]) => Promise<{ stdout: string }> }, ...more: string[]) =>
    JSON.parse((await at.run(["runs", "--report", "json", ...more])).stdout);

  test("is seen by every clone: history, journal, ledger and saved plans, and never the password", async () => {
    const { clone, server } = await fleet({ workspace: { ledger: "state" } });
    const key = { EVENKEEL_LEDGER_KEY: "a-key-of-this-test" };
    const [a, b, c] = [clone(), clone(), clone()];
    const saved = await a.run(["plan", "--save"], { ...key, CI_JOB_URL: job });
    const [planned, ...none] = await rows(b);
    expect(none).toEqual([]);
    expect(planned).toEqual({
      run: expect.stringMatching(/^\d{8}T\d{6}Z-/),
      command: "plan",
      who: expect.any(String),
      host: hostname(),
      started: expect.any(String),
      ended: expect.any(String),
      outcome: "pending",
      changes: 6,
      commit: null,
    });
    expect(saved).toMatchObject({ code: 0, stderr: expect.stringContaining(`apply --plan ${planned.run}`) });

    const wrong = await b.run(["apply", "--plan", `${planned.run}0`], key);
    expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining(`did you mean ${planned.run}?`) });
    expect(server.requests.writes).toBe(0);
    const applied = await b.run(["apply", "--plan", planned.run], key);
    expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining("Apply: 6 applied.") });
    expect(await c.run(["drift"], key)).toMatchObject({ code: 0 });

    const all = await rows(c);
    expect(all.map(({ command, outcome, changes }: typeof planned) => [command, outcome, changes])).toEqual([
      ["drift", "in sync", 0],
      ["apply", "applied", 6],
      ["apply", "failed", 0],
      ["plan", "pending", 6],
    ]);
    expect(await rows(c, "--project", "Q")).toHaveLength(2);
    expect(await rows(c, "--project", "other")).toEqual([]);
    expect((await a.run(["runs", "--project", "other"])).stdout).toBe("No run recorded that concerns other.\n");
    expect((await a.run(["runs"])).stdout).toMatch(/apply: 6 changes, applied$/m);
    const journal = await a.run(["journal", all[1].run, "--report", "json"]);
    expect(JSON.parse(journal.stdout)).toHaveLength(14);

    const told = await a.run(["state"]);
    expect(told.stdout).toMatch(/^State: PostgreSQL, postgres on 127\.0\.0\.1:\d+, workspace fleet-\d+\nLease: free\n/);
    expect(told.stdout).toMatch(/4 runs, 1 journal, 1 saved plan, 0 signed plans, 3 projects in the ledger/);
    const texts = [saved, wrong, applied, told, journal].flatMap(({ stdout, stderr }) => [stdout, stderr]);
    expect(JSON.stringify([texts, all, ...[a, b, c].map((each) => each.files())])).not.toContain(database.password);

    for (const each of [b, c]) expect(Object.keys(each.files()).sort()).toEqual(["all.yaml", "evenkeel.yaml"]);
  });

  test("warns where workspaces of one name are for different servers", async () => {
    const [first, other] = [await fleet(), await fleet()];
    const one = first.clone();
    expect((await one.run(["plan"])).stderr).toBe("");
    const misled = await one.run(["plan"], { EVENKEEL_URL: other.server.url });
    expect(misled.code).toBe(0);
    expect(misled.stderr).toMatch(
      new RegExp(
        `^warning: evenkeel.yaml:\\d+:\\d+.*was last used with ${first.server.url}; use a separate .*\\(workspace-name\\)$`,
        "m",
      ),
    );
    expect((await one.run(["plan"], { EVENKEEL_URL: other.server.url })).stderr).toBe("");
  });

  test("lets one apply at a time write: another names its holder, or waits for it", async () => {
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const site = await serve(({ method, body }) => {
      if (method === "GET") return { body: [] };
      const name = new URLSearchParams(body).get("name");
      return { status: 201, body: { id: 1, name, approval_status: "allowed" }, after: held };
    });
    const writes = () => site.seen.filter(({ method }) => method !== "GET").length;
    const workspace = workspaceText({ url: site.url }, { name: "held" });
    const body = policyText({ projects: ["p"], licenses: { MIT: "allowed" } });
    const { root } = folder({ "evenkeel.yaml": workspace, "all.yaml": body });
    const env = { EVENKEEL_TOKEN: token, EVENKEEL_STATE: database.url() };
    const begin = (args: readonly string[], more = {}) => start(args, root, { ...env, ...more });
    const waiting = ["apply", "--yes", "--lock-timeout", "5m"];

    const first = begin(["apply", "--yes"], { CI_JOB_URL: job, GITLAB_USER_LOGIN: "ada" });
    await until(() => writes() > 0);
    const holder = `of ada on ${hostname()} (process ${first.pid}), ${job}`;
    const refused = await runProgram(["apply", "--yes"], root, env);
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringContaining(holder) });
    expect(refused.stderr).toContain("evenkeel lock release 20");
    expect((await runProgram(["state"], root, env)).stdout).toContain(holder);
    expect((await runProgram(["plan"], root, env)).code).toBe(0);
    const [cancelled, second] = [begin(waiting), begin(waiting)];
    for (const each of [cancelled, second]) await until(() => each.said().includes(`Waiting for run `));
    cancelled.kill("SIGTERM");
    expect(await cancelled.ended).toMatchObject({
      code: 130,
      stderr: expect.stringContaining("stopped while waiting"),
    });
    release();
    expect((await first.ended).code).toBe(0);
    expect(await second.ended).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^Waiting for run \S+ of ada on /),
    });
    expect(writes()).toBe(2);
  });

  test("a cancelled apply gives its lease back, and a paused one that lost it writes nothing more", async () => {
    const { clone, server } = await fleet(busy);
    const [a, b, c] = [clone(), clone(), clone()];
    const cancelled = a.begin(["apply", "--yes"]);
    await until(() => server.requests.writes > 0);
    cancelled.kill("SIGTERM");
    expect((await cancelled.ended).code).toBe(130);
    expect((await b.run(["state"])).stdout).toContain("Lease: free");

    const before = server.requests.writes;
    const paused = b.begin(["apply", "--yes", "--report", "json"], { EVENKEEL_LEASE: "3s" });
    await until(() => server.requests.writes > before);
    paused.kill("SIGSTOP");
    const other = await c.run(["apply", "--yes", "--lock-timeout", "5m"]);
    expect(other).toMatchObject({ code: 0, stderr: expect.stringContaining("did not finish") });
    const written = server.requests.writes;
    paused.kill("SIGCONT");
    const ended = await paused.ended;
    expect(server.requests.writes).toBe(written);
    expect(ended.code).toBe(1);
    const plan = JSON.parse(ended.stdout);
    expect(plan.summary.outcomes.skipped).toBeGreaterThan(0);
    const reasons = plan.resource_changes.map(({ outcome }: { outcome: { error?: string } }) => outcome.error ?? "");
    expect(reasons.filter((reason: string) => reason.includes("lost its lease"))).not.toEqual([]);
  });

  test("a killed apply is named by the next one and blocks nobody for longer than its lease; lock release ends that", async () => {
    const { clone, server } = await fleet(busy);
    const [a, b] = [clone(), clone()];
    const killed = a.begin(["apply", "--yes"], { EVENKEEL_LEASE: "30m" });
    await until(() => server.requests.writes > 0);
    killed.kill("SIGKILL");
    await killed.ended;
    const [{ run, ended, outcome }] = await rows(b);
    expect([ended, outcome]).toEqual([null, null]);
    expect(await b.run(["apply", "--yes", "--lock-timeout", "1s"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`after 1 s of waiting: run ${run} `),
    });
    expect(await b.run(["lock", "release", run])).toMatchObject({ code: 64 });
    expect(await b.run(["lock", "release", "another", "--yes"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`run ${run} of `),
    });
    const released = await b.run(["lock", "release", run, "--yes"]);
    expect(released).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Released the lease of run ${run} of `),
    });
    // A busy machine may kill it between two requests.
    expect(await b.run(["apply", "--yes"])).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(`run ${run} did not finish: (?:in flight: |nothing was in flight)`),
    });
    expect(await b.run(["apply", "--yes"])).toMatchObject({ code: 0, stderr: "" });
  });

  describe("what is wrong is one sentence, and nothing is asked of the server", () => {
    type Broken = (at: Folder, url: string) => Readonly<Record<string, string>>;
    const withUrl =
      (change: (url: string) => string): Broken =>
      (_, url) => ({ EVENKEEL_STATE: change(url) });
    test.each<[string, Broken, RegExp]>([
      ["no name", (at, _) => nameless(at), /^evenkeel\.yaml:1:1 .*a shared state keeps workspaces apart by name/],
      [
        "another scheme",
        withUrl(() => "mysql://u:CANARY@h/d"),
        /EVENKEEL_STATE is not a valid state URL; expected postgres:/,
      ],
      [
        "an unknown parameter",
        withUrl((url) => `${url}?sslmod=require`),
        /unknown parameter sslmod; did you mean sslmode\?/,
      ],
      ["an unknown sslmode", withUrl((url) => `${url}?sslmode=maybe`), /sslmode is "maybe"; expected one of disable/],
      ["a wrong password", withUrl((url) => url.replace(":Xq7", ":Zq8")), /rejects the password of evenkeel/],
      [
        "nobody listening",
        withUrl((url) => url.replace(/:\d+\//, ":1/")),
        /postgres on 127\.0\.0\.1:1: connection refused/,
      ],
      ["TLS where there is none", withUrl((url) => `${url}?sslmode=verify-full`), /does not support SSL/],
      ["two places", (_, url) => ({ EVENKEEL_STATE: url, EVENKEEL_STATE_FILE: "x" }), /are both set/],
      ["a lease of no time", () => ({ EVENKEEL_LEASE: "0s" }), /EVENKEEL_LEASE is "0s"; expected a duration/],
    ])("%s", async (_, broken, words) => {
      const { clone, server } = await fleet();
      const at = clone();
      server.requests.reset();
      const ran = await at.run(["apply", "--yes"], broken(at, database.url()));
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toMatch(words);
      expect(ran.stderr.trim().split("\n")).toHaveLength(1);
      expect(ran.stderr).not.toContain("CANARY");
      expect(server.requests.kept).toEqual([]);
    });
  });

  function nameless(at: Folder): Readonly<Record<string, string>> {
    at.write("evenkeel.yaml", at.read("evenkeel.yaml").replace(/^name: .*\n/m, ""));
    return {};
  }
});
