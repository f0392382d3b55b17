import { readFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { JournalLine } from "../../src/state/journal.ts";
import { withDatabase } from "../state/databases.ts";
import { relayTo } from "../support/relay.ts";
import { until } from "../support/until.ts";
import { runProgram, start } from "./program.ts";
import { scene, token } from "./workspace.ts";

const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
const policy = { projects: names, licenses: { MIT: "allowed", "AGPL-3.0": "denied" } };

await withDatabase("an apply with a shared state", (database) => {
  let count = 0;

  /** `sent` is called with the number of each write that is on its way to the server, and waited for. */
  async function fleet(latency: number, sent: (count: number) => unknown = () => {}) {
    const workspace = { name: `chaos-${++count}`, concurrency: 3, requestTimeout: "4s" };
    const made = await scene({ projects: names.map((path) => ({ path })), policy, workspace, latency });
    let writes = 0;
    const way = await relayTo(Number(new URL(made.server.url).port), (bytes) => {
      return /^(POST|PUT) /.test(String(bytes)) && sent(++writes);
    });
    onTestFinished(() => way[Symbol.asyncDispose]());
    const env = {
      EVENKEEL_TOKEN: token,
      EVENKEEL_URL: `http://127.0.0.1:${way.port}`,
      EVENKEEL_STATE: database.url(),
    };
    return {
      ...made,
      env,
      begin: (...args: string[]) => start(args, made.root, env),
      run: (...args: string[]) => runProgram(args, made.root, env),
    };
  }

  /** The time of a lease whose holder is gone is over: nobody waits for that, and no lease runs out before. */
  async function expired(): Promise<void> {
    const client = new pg.Client(database.url());
    await client.connect();
    await client.query("UPDATE evenkeel.lease SET deadline = clock_timestamp() WHERE deadline > clock_timestamp()");
    await client.end();
  }

  type Fleet = Awaited<ReturnType<typeof fleet>>;

  async function journals({ run }: Fleet): Promise<readonly JournalLine[]> {
    const { stdout } = await run("journal", "--report", "json");
    return JSON.parse(stdout).flatMap(({ entries }: { entries: JournalLine[] }) => entries);
  }

  const intents = (lines: readonly JournalLine[]) => lines.filter(({ event }) => event === "intent").length;

  /** Each license stands once in each project, whatever happened on the way. */
  async function converged({ ask }: Fleet): Promise<void> {
    for (const path of names) {
      const { json } = await ask("GET", `/projects/${path}/managed_licenses`);
      expect(json.map(({ name }: { name: string }) => name).sort()).toEqual(["AGPL-3.0", "MIT"]);
    }
  }

  test("goes on where the database is killed and comes back, again and again", async () => {
    const made = await fleet(60);
    const running = start(["apply", "--yes"], made.root, made.env);
    for (const writes of [2, 8, 14]) {
      await until(() => made.server.requests.writes >= writes);
      await database.kill();
      await database.start();
    }
    expect(await running.ended).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("24 applied") });
    const lines = await journals(made);
    expect([made.server.requests.writes, intents(lines)]).toEqual([24, 24]);
    expect(lines.filter((line) => line.event === "result" && line.status === "applied")).toHaveLength(24);
    expect(lines.map(({ event }) => event).at(-1)).toBe("end");
    await converged(made);
  });

  test("stops where the database stays away: what was in flight is told in a file, and the rest is skipped", async () => {
    const made = await fleet(60, (writes) => writes === 4 && database.kill());
    const running = made.begin("apply", "--yes", "--report", "json");
    const ended = await running.ended;
    await database.start();
    await expired();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(/the state postgres on 127\.0\.0\.1:\d+ has been unavailable for 10 s: connection/);
    const [, file = ""] = /outcomes of run \S+ could not be stored and are in (\S+)/.exec(ended.stderr) ?? [];
    const unstored = readFileSync(join(made.root, file.replace(made.root, "")), "utf8")
      .trim()
      .split("\n");
    const lines = await journals(made);
    const stored = lines.filter((line) => line.event === "result" && line.status !== "skipped");
    expect(stored.length + unstored.length).toBe(made.server.requests.writes);
    expect(intents(lines)).toBeGreaterThanOrEqual(made.server.requests.writes);
    const { outcomes } = JSON.parse(ended.stdout).summary;
    expect(outcomes).toMatchObject({ applied: made.server.requests.writes, skipped: 24 - made.server.requests.writes });
    expect(await made.run("apply", "--yes", "--lock-timeout", "5m")).toMatchObject({ code: 0 });
    await converged(made);
  });
});
