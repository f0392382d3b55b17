import { describe, expect, test } from "vitest";
import { stage } from "../support/stage.ts";
import { until } from "../support/until.ts";

const policy = { projects: ["team/*"], integrations: { "external-wiki": { external_wiki_url: "https://a" } } };
const projects = [{ id: 1, path: "team/p", integrations: policy.integrations }];
const fleet = (more: object = {}) => stage({ projects, policy, ...more });
const checks = (text: string) => text.split("\n").filter((line) => / {2}(?:in sync|drift): /.test(line)).length;

describe("evenkeel watch", () => {
  test("is one of two that works; the other takes over when it is killed, and each check is in the history", async () => {
    const place = await fleet();
    const first = place.begin("watch", "--every", "1s");
    await until(() => checks(first.said()) > 1);
    const second = place.begin("watch", "--every", "1s");
    await until(() => second.said().includes("Standby: run "));
    const { stdout } = await place.evenkeel("state");
    expect(stdout).toMatch(/^Lease: free\nWatcher: run \S+ of /m);
    const seen = checks(first.said());
    await until(() => checks(first.said()) > seen);
    expect(checks(second.said())).toBe(0);
    first.kill("SIGKILL");
    await first.ended;
    await until(() => checks(second.said()) > 1);
    second.kill("SIGTERM");
    expect((await second.ended).code).toBe(0);
    const runs = JSON.parse((await place.evenkeel("runs", "--report", "json")).stdout);
    expect(
      new Set(runs.map(({ command, outcome }: { command: string; outcome: string }) => `${command} ${outcome}`)),
    ).toEqual(new Set(["watch in sync"]));
    expect((await place.evenkeel("state")).stdout).not.toContain("Watcher");
  });

  test("--max-checks ends with the code of the last check, and says in red what it may write", async () => {
    const place = await fleet();
    expect(await place.evenkeel("watch", "--max-checks", "2", "--every", "10ms")).toMatchObject({
      code: 0,
      stderr: "",
    });
    place.policy({ ...policy, integrations: { "external-wiki": { external_wiki_url: "https://b" } } });
    expect(await place.evenkeel("watch", "--max-checks", "1")).toMatchObject({ code: 2, writes: 0 });
    const args = ["watch", "--max-checks", "3", "--every", "10ms", "--apply", "drift"];
    const applied = await place.evenkeelWith({ FORCE_COLOR: "1" }, ...args);
    expect(applied).toMatchObject({ code: 0, writes: 1 });
    expect(applied.stderr).toContain("\u001b[31m--apply drift: this watcher writes");
    const pending = await place.evenkeel("watch", "--max-checks", "1", "--apply", "pending");
    expect(pending.stderr).toContain("without a ledger every difference counts as drift");
  });

  test.each([
    [["--every", "soon"], "expected a duration such as 30s, 10m or 1h"],
    [["--every", "0s"], "expected a duration"],
    [["--cron", "7 25 * * *"], 'expected minute, hour, day, month and weekday, such as "7 * * * *"'],
    [["--every", "1m", "--cron", "7 * * * *"], "--cron has no effect with --every"],
    [["--apply", "all"], "never, pending, drift"],
    [["--max-checks", "0"], "at least 1"],
    [["--grace", "0"], "at least 1"],
    [["--hooks", "70000"], "0 to 65535"],
    [["--follow"], "is not in a git repository"],
    [["--workers"], "EVENKEEL_STATE"],
  ])("%j is wrong usage: nothing is sent", async (args, said) => {
    const place = await fleet();
    const ran = await place.evenkeel("watch", ...args);
    expect(ran).toMatchObject({ code: 64, reads: 0, writes: 0 });
    expect(ran.stderr).toContain(said);
  });

  test("a port that is taken is said in the same words by all that listen", async () => {
    const place = await fleet();
    const { port } = new URL(place.server.url);
    const said = { stderr: `error: cannot listen on 127.0.0.1:${port}: the port is already in use\n` };
    for (const words of [
      ["watch", "--hooks"],
      ["console", "--port"],
      ["serve", "--port"],
    ])
      expect(await place.evenkeel(...words, port)).toMatchObject({ code: 1, reads: 0, stdout: "", ...said });
  });

  test("a secret in two places is said before anything is sent", async () => {
    const place = await fleet();
    const both = { EVENKEEL_HOOK_SECRET: "CANARY-1", EVENKEEL_HOOK_SECRET_FILE: "CANARY-2" };
    const ran = await place.evenkeelWith(both, "watch", "--hooks", "0");
    expect(ran).toMatchObject({ code: 1, reads: 0, stderr: expect.stringContaining("both set; set only one") });
  });
});
