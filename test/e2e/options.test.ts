import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { runProgram } from "./program.ts";
import { policyText, scene, token, told, workspaceText } from "./workspace.ts";

const policy = { projects: ["p", "q"], licenses: { MIT: "allowed" }, disabled: ["irc-gateway"] };
const projects = [{ path: "p", integrations: { "irc-gateway": { recipients: "#a" } } }, { path: "q" }];

test("-C may stand before the command", async () => {
  const { evenkeel, root } = await scene({ projects, policy });
  const ran = await evenkeel("-C", root, "validate");
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Valid: 1 policy") });
});

describe("reports", () => {
  test("go to files beside the text, or to stdout in its place", async () => {
    const { evenkeel, read } = await scene({ projects, policy });
    const both = await evenkeel(
      "plan",
      "--report",
      "json=out/plan.json",
      "--report",
      "text=out/plan.txt",
      "--out",
      "p.json",
    );
    expect(both).toMatchObject({ code: 0, stderr: "" });
    expect(both.stdout).toContain("Plan: 2 to create");
    expect(read("out/plan.txt")).toBe(both.stdout);
    expect(read("p.json")).toBe(read("out/plan.json"));
    expect(told(JSON.parse(read("out/plan.json")))).toHaveLength(3);
    const instead = await evenkeel("plan", "--report", "json");
    expect(instead.stdout.startsWith("{")).toBe(true);
    expect(instead.plan().summary.writes).toBe(3);
  });

  test.each([
    ["bad manifest", { policy: { projects: ["p"], integrations: { "irc-gatway": {} } } }, {}, "unknown-integration"],
    ["refused token", {}, { EVENKEEL_TOKEN: "wrong" }, "unauthorized"],
    ["no token", {}, { EVENKEEL_TOKEN: undefined }, "setup"],
    ["two tokens", {}, { EVENKEEL_TOKEN_FILE: "token.txt" }, "setup"],
  ])("are written also when the run fails: %s", async (_, setting, env, rule) => {
    const { evenkeelWith, read } = await scene({ projects, policy, ...setting });
    for (const [file, args] of [
      ["plan.json", ["plan"]],
      ["drift.json", ["drift"]],
      ["apply.json", ["apply", "--yes"]],
    ] as const) {
      const ran = await evenkeelWith(env, ...args, "--report", `json=${file}`);
      expect(ran).toMatchObject({ code: 1, stdout: "", writes: 0 });
      const [problem] = JSON.parse(read(file)).problems;
      expect(problem.rule).toBe(rule);
      expect(ran.stderr).toContain(problem.message);
      expect(ran.stderr.trim().split("\n")).toHaveLength(1);
    }
  });

  test("say why where there is no workspace", async () => {
    const bare = folder();
    const ran = await runProgram(["plan", "--report", "json"], bare.root, { EVENKEEL_TOKEN: token });
    expect(ran.code).toBe(1);
    expect(JSON.parse(ran.stdout).problems[0].message).toContain("no evenkeel.yaml");
    expect(ran.stderr).toContain("no evenkeel.yaml");
  });

  test("never decide the exit code", async () => {
    const { evenkeel } = await scene({ projects, policy: { ...policy, projects: ["p", "q", "gone"] } });
    for (const report of ["json", "text", "json=r.json"]) {
      expect((await evenkeel("plan", "--detailed-exitcode", "--report", report)).code).toBe(1);
      expect((await evenkeel("drift", "--target", "p", "--report", report)).code).toBe(2);
    }
  });
});

test("-C finds the workspace from elsewhere, and from below", async () => {
  const { root, write } = await scene({ projects, policy });
  write("deep/down/note.txt", "");
  const elsewhere = folder();
  const env = { EVENKEEL_TOKEN: token };
  const ran = await runProgram(["plan", "-C", join(root, "deep/down"), "--out", "here.json"], elsewhere.root, env);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(elsewhere.read("here.json")).summary.writes).toBe(3);
  expect((await runProgram(["plan"], join(root, "deep"), env)).stdout).toContain(
    ran.stdout.split("\nSaved the plan")[0],
  );
});

test("as many requests are in flight as --concurrency says, reads and writes together", async () => {
  let most = 5;
  // Nothing is answered before as many are there as ever will be, unless they come only after an answer.
  const together = () => Promise.race([until(() => site.most >= most), sleep(200)]).then(() => {});
  const site = await serve(({ method, body }) =>
    method === "POST"
      ? {
          status: 201,
          body: { id: 1, name: new URLSearchParams(body).get("name"), approval_status: "allowed" },
          after: together(),
        }
      : { body: [], after: together() },
  );
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }, { concurrency: 5 }),
    "all.yaml": policyText({ projects: names, disabled: ["irc-gateway"], licenses: { MIT: "allowed" } }),
  });
  const env = { EVENKEEL_TOKEN: token };
  expect((await runProgram(["apply", "--yes"], files.root, env)).code).toBe(0);
  expect(site.most).toBe(5);
  [site.most, most] = [0, 2];
  expect((await runProgram(["apply", "--yes", "--concurrency", "2"], files.root, env)).code).toBe(0);
  expect(site.most).toBe(2);
});

test("--timeout ends the whole run, and says so", async () => {
  const { evenkeel } = await scene({ projects, policy, chaos: [{ match: "*", hang: true }] });
  const ran = await evenkeel("plan", "--timeout", "1s");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("--timeout of 1 s");
});

test("colours come where they are asked for, and nowhere else", async () => {
  const { evenkeel, evenkeelWith } = await scene({ projects, policy });
  const introducer = "\u001b[";
  const plain = (await evenkeel("plan")).stdout;
  expect(plain).not.toContain(introducer);
  const coloured = await evenkeelWith({ FORCE_COLOR: "1" }, "plan");
  expect(coloured.stdout).toContain(introducer);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes are what is looked for.
  expect(coloured.stdout.replace(/\u001b\[\d+m/g, "")).toBe(plain);
  expect((await evenkeelWith({ FORCE_COLOR: "1", NO_COLOR: "1" }, "plan")).stdout).toBe(plain);
  expect((await evenkeelWith({ FORCE_COLOR: "1" }, "plan", "--no-color")).stdout).toBe(plain);
  expect((await evenkeelWith({ FORCE_COLOR: "1" }, "plan", "--report", "json")).stdout).not.toContain(introducer);
});

test("a report to - goes to stdout, in place of the text", async () => {
  const { evenkeel, files } = await scene({ projects, policy });
  const { code, stdout } = await evenkeel("plan", "--report", "json=-", "--report", "terraform=counts");
  expect(code).toBe(0);
  expect(JSON.parse(stdout).resource_changes).toHaveLength(3);
  expect(Object.keys(files())).toContain("counts");
  expect(Object.keys(files())).not.toContain("-");
  expect((await evenkeel("plan", "--report", "json", "--report", "sarif=-")).code).toBe(64);
});
