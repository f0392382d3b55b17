import pg from "pg";
import { describe, expect, test } from "vitest";
import { withDatabase } from "../state/databases.ts";
import { scene, scripted, token } from "./workspace.ts";

const names = Array.from({ length: 6 }, (_, index) => `p${index}`);

await withDatabase("rateLimit", (database) => {
  async function rows(): Promise<readonly { key: string }[]> {
    const client = new pg.Client(database.url());
    await client.connect();
    const { rows: found } = await client.query("SELECT key FROM evenkeel.rate");
    await client.end();
    return found;
  }

  test("is one row of the state for all commands of a token, which it does not hold", async () => {
    const policy = { projects: names, licenses: { MIT: "allowed" } };
    const projects = names.map((path) => ({ path }));
    const { evenkeelWith } = await scene({ projects, policy, workspace: { name: "w", rateLimit: "300/s" } });
    const env = { EVENKEEL_STATE: database.url() };
    expect((await evenkeelWith(env, "deployments", "list", "p0")).code).toBe(0);
    const [row, ...none] = await rows();
    expect(none).toEqual([]);
    expect(row?.key).toMatch(/^[0-9a-f]{32}$/);
    expect(row?.key).not.toContain(token);
    for (const args of [["plan"], ["apply", "--yes"], ["drift"]]) {
      const ran = await evenkeelWith(env, ...args);
      expect([args, ran.code, ran.stderr]).toEqual([args, 0, ""]);
    }
    expect(await rows()).toEqual([row]);
  });

  test("goes on alone where the state cannot be used, and says so once", async () => {
    const { evenkeelWith } = await scene({ projects: [{ path: "p" }], workspace: { rateLimit: "300/s" } });
    const env = { EVENKEEL_STATE: database.url("no-such-database") };
    const ran = await evenkeelWith(env, "deployments", "list", "p");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(
      /^warning: the rate limit is not shared any more, this run keeps it alone: .*does not exist.*\n$/,
    );
  });
});

describe("a 429", () => {
  async function plan(retryAfter: string, ...args: readonly string[]) {
    // The first request asks when the token expires.
    const { run } = await scripted(
      (_, index) =>
        index === 1 ? { status: 429, headers: { "retry-after": retryAfter }, body: "Retry later" } : { body: [] },
      { policy: { projects: ["p", "q"], licenses: { MIT: "allowed" } } },
    );
    return run("plan", ...args);
  }

  test("is waited for, with a line on stderr", async () => {
    const ran = await plan("1");
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("rate limited by the server (429), waiting 1 s\n");
  });

  test("that outlasts --timeout is named in its place", async () => {
    const ran = await plan("3600", "--timeout", "1s");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("rate limited by the server (429), waiting 3600 s\n");
    expect(ran.stderr).toMatch(
      /answered 429|rate limited by the server \(429\), which asks to wait 3\d{3} more seconds/,
    );
    expect(ran.stderr).not.toContain("--timeout");
  });

  test("that outlasts --timeout is named by every change that was not sent", async () => {
    const projects = ["p", "q"].map((path) => ({ path }));
    const { evenkeel } = await scene({
      projects,
      policy: { projects: ["p", "q"], licenses: { MIT: "allowed", "BSD-3-Clause": "allowed" } },
      chaos: [{ method: "POST", status: 429, retry_after: 3600 }],
    });
    const ran = await evenkeel("apply", "--yes", "--concurrency", "1", "--timeout", "3s");
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain("rate limited by the server (429), waiting 3600 s\n");
    expect(ran.stdout).toContain("answered 429");
    expect(ran.stdout).not.toContain("--timeout");
  });
});
