import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { runProgram } from "./program.ts";
import { outcomes, policyText, scene, token, told, workspaceText } from "./workspace.ts";

const policy = { projects: ["p", "q"], licenses: { MIT: "allowed" }, disabled: ["irc-gateway"] };
const projects = [{ path: "p", integrations: { "irc-gateway": { recipients: "#a" } } }, { path: "q" }];

describe("wrong usage is 64, said in a sentence, with nothing asked", () => {
  test.each([
    ["an unknown command", ["aply"], /unknown command 'aply'; did you mean apply\?/],
    [
      "an unknown option",
      ["plan", "--detailed-exitcodes"],
      /'--detailed-exitcodes'; did you mean --detailed-exitcode\?/,
    ],
    ["an unknown report", ["plan", "--report", "jsn"], /jsn.*did you mean json\?/],
    ["an argument of a command without any", ["plan", "p/a"], /plan takes no argument, got 1; -h shows its options/],
    ["an argument too many", ["diff", "a", "b"], /diff takes at most 1 argument, got 2; -h shows its options/],
    ["a report without its path", ["plan", "--report", "json="], /path/],
    ["a shard beyond the last", ["plan", "--shard", "3/2"], /I\/N/],
    ["a time without a unit", ["plan", "--timeout", "soon"], /duration/],
    ["a time of nothing", ["plan", "--timeout", "0s"], /greater than zero/],
    ["a patience of nothing", ["plan", "--give-up-after", "0ms"], /greater than zero/],
    ["a concurrency in words", ["plan", "--concurrency", "many"], /whole number/],
    ["a concurrency of nothing", ["plan", "--concurrency", "0"], /whole number/],
    ["a target with a saved plan", ["apply", "plan.json", "--target", "p"], /as it was reviewed.*--target/],
    ["a host for no hooks", ["watch", "--host", "0.0.0.0"], /--host has no effect without --hooks/],
    ["an interval of no polls", ["watch", "--poll", "5s"], /--poll has no effect without --follow/],
    [
      "a time limit for files",
      ["import", "--from", "terraform", "x", "--timeout", "5s"],
      /--timeout has no effect with/,
    ],
    [
      "requests for files",
      ["import", "--from", "gitlabform", "x", "--concurrency", "2"],
      /--concurrency has no effect/,
    ],
    [
      "patience for files",
      ["import", "--from", "gitlabform", "x", "--give-up-after", "2s"],
      /--give-up-after has no effect/,
    ],
    ["a shard of a saved plan", ["apply", "plan.json", "--shard", "1/2"], /as it was reviewed.*--shard/],
    ["a saved plan and --resend", ["apply", "plan.json", "--resend", "p:*"], /as it was reviewed.*--resend/],
    [
      "a saved plan and all that decides what a plan holds",
      ["apply", "plan.json", "--storage", "--target", "p:*", "--shard", "1/2", "--yes"],
      /as it was reviewed; plan again to use --storage and --target and --shard/,
    ],
    ["a saved plan and --storage", ["apply", "plan.json", "--storage", "--dry-run"], /as it was reviewed.*--storage/],
    ["a token of an unset variable", ["serve", "--token", ""], /--token is empty/],
    ["a release in words", ["serve", "--release", "abc"], /--release takes a release such as 15\.0, not "abc"/],
    ["a target that no glob says", ["plan", "--target", "p:license/!(MIT)"], /--target .*expected a glob without/],
    ["a target of an empty variable", ["plan", "--target", ""], /--target "": expected a glob that is not empty/],
    ["a target of no kind", ["plan", "--target", "p:licence/M*"], /such as p:license\/M\*/],
    ["apply with nobody to ask", ["apply"], /--yes/],
    ["two folders", ["-C", "here", "plan", "-C", "there"], /-C was given twice/],
    ["a folder where none is looked at", ["-C", "here", "completion", "bash"], /unknown option '-C'/],
  ])("%s", async (_, args, words) => {
    const { evenkeel, files } = await scene({ projects, policy });
    const ran = await evenkeel(...args);
    expect(ran).toMatchObject({ code: 64, stdout: "", reads: 0, writes: 0 });
    expect(ran.stderr).toMatch(words);
    expect(Object.keys(files()).sort()).toEqual(["all.yaml", "evenkeel.yaml"]);
  });
});

test("a folder that is not there is told as such", async () => {
  const { evenkeel } = await scene({ projects, policy });
  const ran = await evenkeel("validate", "-C", "no-such-folder");
  expect(ran).toMatchObject({ code: 1, stdout: "" });
  expect(ran.stderr).toMatch(/^error: there is no folder \S*no-such-folder$/m);
});

test("-C may stand before the command", async () => {
  const { evenkeel, root } = await scene({ projects, policy });
  const ran = await evenkeel("-C", root, "validate");
  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining("Valid: 1 policy") });
});

test.each([
  [["import", ".."]],
  [["import", "a/../q"]],
  [["routes", "..", "--event", "push", "--live"]],
  [["deployments", "list", "q/."]],
])("no path leads elsewhere: %s", async (args) => {
  const { evenkeel } = await scene({ projects, policy });
  const ran = await evenkeel(...args);
  expect(ran).toMatchObject({ code: 1, stdout: "", reads: 0, writes: 0 });
  expect(ran.stderr).toContain(" names nothing on the server: no part of a path is . or ..");
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

test("--target takes addresses by globs, and reads no other project", async () => {
  const { evenkeel } = await scene({ projects, policy });
  const licenses = await evenkeel("plan", "--target", "*:license/*", "--report", "json");
  expect(told(licenses.plan())).toEqual(["create p:license/MIT", "create q:license/MIT"]);
  const one = await evenkeel("plan", "--target", "q", "--target", "P:integration/irc*", "--report", "json");
  expect(told(one.plan())).toEqual(["disable p:integration/irc-gateway", "create q:license/MIT"]);
  const applied = await evenkeel("apply", "--yes", "--target", "q:license/MIT", "--report", "json");
  expect(outcomes(applied.plan())).toEqual(["applied q:license/MIT"]);
  expect(applied.requests.filter((request) => request.includes("/projects/p"))).toEqual([]);
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

test("--quiet leaves notes and warnings out, not problems and not results", async () => {
  const { evenkeel } = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p", "gone"], licenses: { MIT: "approved" } },
  });
  const loud = await evenkeel("plan");
  expect(loud.stderr).toMatch(/warning: .*approved/);
  const quiet = await evenkeel("plan", "--quiet");
  expect(quiet.stderr).not.toContain("approved");
  expect(quiet.stderr).toContain("gone");
  expect(quiet.stdout).toBe(loud.stdout);
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

test.each([
  ["is no database", "all.yaml", /cannot open the data file .*all\.yaml: file is not a database$/],
  ["lies in no folder", "none/server.db", /cannot create .*none\/server\.db\.pid: no such file or folder$/],
  ["is a folder", ".", /cannot open the data file /],
])("a server whose data file %s says so, as a mistake of its caller", async (_, data, words) => {
  const { evenkeel } = await scene({ projects, policy });
  const { code, stdout, stderr } = await evenkeel("serve", "--data", data);
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^error: (?!internal)/);
  expect(stderr.trimEnd()).toMatch(words);
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
