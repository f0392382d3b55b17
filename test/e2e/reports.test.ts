import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Plan } from "../../src/plan/plan.ts";
import { planKinds } from "../../src/report/report.ts";
import { parseXml } from "../report/xml.ts";
import { runProgram } from "./program.ts";
import { policyText, scene, token, workspaceText } from "./workspace.ts";

const secret = "secret-CANARY-of-the-hook";
const policy = {
  projects: ["p", "q"],
  licenses: { MIT: "allowed" },
  disabled: ["irc-gateway"],
  integrations: { "chat-notifications-a": { webhook: { secret: "env:HOOK" }, channel: "#a" } },
};
const projects = [{ path: "p", integrations: { "irc-gateway": { recipients: "#a" } } }, { path: "q" }];
const all = planKinds.flatMap((kind) => ["--report", `${kind}=out/${kind}`]);

test("one plan has every renderer, from one reading, and no secret on any", async () => {
  const { evenkeelWith, read } = await scene({ projects, policy });
  const ran = await evenkeelWith({ HOOK: secret }, "plan", ...all);
  expect(ran).toMatchObject({ code: 0, stderr: "", writes: 0 });
  const again = await evenkeelWith({ HOOK: secret }, "plan");
  expect(ran.reads).toBe(again.reads);
  const plan = JSON.parse(read("out/json")) as Plan;
  expect(plan.summary.writes).toBe(5);
  expect(read("out/markdown")).toContain("### Evenkeel: 2 loosened, 1 to disable, 4 to create");
  expect(JSON.parse(read("out/sarif")).runs[0].results).toHaveLength(5);
  expect(parseXml(read("out/junit")).attributes.failures).toBe("5");
  const first = ["review-loosened", "review-lost-notifications", "review-disabled"];
  const entries: { check_name: string }[] = JSON.parse(read("out/codequality"));
  expect([entries.slice(0, 3).map((entry) => entry.check_name), entries.length]).toEqual([first, 3 + 5]);
  expect(read("out/github").match(/^::/gm)).toHaveLength(3 + 5);
  expect(JSON.parse(read("out/terraform"))).toEqual({
    create: 4,
    update: 0,
    delete: 1,
    loosened: 2,
    lost_notifications: 1,
  });
  expect(read("out/prometheus")).toMatch(/kind="integration",action="disable"\} 1\n/);
  expect(read("out/ndjson").trimEnd().split("\n")).toHaveLength(1 + 3 + 5 + 1);
  const counts = ["PENDING=true", "CREATE=4", "UPDATE=0", "DISABLE=1", "DELETE=0", "LOOSENED=2", "EXIT_CODE=0"];
  expect(read("out/dotenv")).toBe(counts.map((line) => `EVENKEEL_PLAN_${line}\n`).join(""));
  for (const kind of planKinds) {
    expect(read(`out/${kind}`)).not.toContain(secret);
    expect(read(`out/${kind}`)).not.toContain(token);
    expect(read(`out/${kind}`)).toMatch(/[^\n]\n$/);
  }
});

test("an apply tells outcomes, and the file for Prometheus remembers the last success", async () => {
  const { evenkeelWith, read, policy: write } = await scene({ projects, policy });
  const applied = await evenkeelWith({ HOOK: secret }, "apply", "--yes", ...all);
  expect(applied.code).toBe(0);
  expect(read("out/markdown")).toContain("### Evenkeel: 5 applied\n");
  expect(read("out/dotenv")).toContain("EVENKEEL_PLAN_PENDING=false\n");
  expect(parseXml(read("out/junit")).attributes).toMatchObject({ failures: "0", tests: "5" });
  expect(read("out/ndjson").match(/"type":"outcome"/g)).toHaveLength(5);
  const success = /^evenkeel_last_success_timestamp_seconds\{.*$/m.exec(read("out/prometheus"))?.[0];
  expect(success).toBeDefined();
  write({ ...policy, priority: "high" });
  expect((await evenkeelWith({}, "apply", "--yes", ...all)).code).toBe(1);
  expect(read("out/prometheus")).toContain(success);
});

test("a report that cannot be written keeps no other from being written", async () => {
  const { evenkeel, read, root } = await scene({ projects, policy });
  symlinkSync("/dev/full", join(root, "full"));
  const ran = await evenkeel("plan", "--report", "sarif=full", "--report", "html=plan.html");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/^error: cannot write full: no space left on the device$/m);
  expect(ran.stdout).toContain("Plan: ");
  expect(read("plan.html")).toContain("p:integration/irc-gateway");
  expect(read("plan.html")).toContain('<code class="command">evenkeel plan --out plan.json</code>');
});

test("annotations come with the step's summary, appended, where there is one", async () => {
  const { evenkeelWith, read, write, root } = await scene({ projects, policy });
  write("summary.md", "before\n");
  const env = { GITHUB_STEP_SUMMARY: join(root, "summary.md") };
  const ran = await evenkeelWith(env, "plan", "--report", "github");
  expect(ran.stdout).toMatch(/^::warning file=all\.yaml,line=\d+,col=\d+,title=Evenkeel%3A review-loosened::/);
  expect(read("summary.md")).toMatch(/^before\n<!-- evenkeel:plan -->\n\n### Evenkeel: 2 loosened, 1 to disable/);
  await evenkeelWith(env, "plan", "--report", "json");
  expect(read("summary.md").match(/evenkeel:plan/g)).toHaveLength(1);
  const lost = await evenkeelWith({ GITHUB_STEP_SUMMARY: root }, "plan", "--report", "github");
  expect(lost.code).toBe(0);
  expect(lost.stderr).toContain("warning: cannot write the step summary");
});

test("validate tells its problems on the renderers that need no plan, by their path in the repository", async () => {
  const { write, read, root } = await scene();
  write("ops/keel/evenkeel.yaml", workspaceText({ url: "https://code.example.com" }));
  write("ops/keel/all.yaml", policyText({ projects: ["p"], integrations: { "irc-gatway": {} } }));
  write(".git/HEAD", "ref: refs/heads/main\n");
  const ran = await runProgram(
    [
      "validate",
      "-C",
      "ops/keel",
      ...["sarif", "junit", "codequality", "github", "markdown"].flatMap((kind) => ["--report", `${kind}=${kind}`]),
    ],
    root,
  );
  expect(ran.code).toBe(1);
  const [entry] = JSON.parse(read("codequality"));
  expect(entry).toMatchObject({ check_name: "unknown-integration", location: { path: "ops/keel/all.yaml" } });
  expect(read("github")).toContain("::error file=ops/keel/all.yaml,line=");
  expect(read("markdown")).toContain("### Evenkeel: 1 problem");
  expect(JSON.parse(read("sarif")).runs[0].results).toHaveLength(1);
  expect(parseXml(read("junit")).attributes.errors).toBe("1");
  const refused = await runProgram(["validate", "--report", "prometheus"], root);
  expect(refused.code).toBe(64);
});

test("shards of a pipeline come together as one plan, which is applied", async () => {
  const names = Array.from({ length: 12 }, (_, index) => `fleet/p${index}`);
  const { evenkeel, evenkeelWith, read, write } = await scene({
    projects: names.map((path) => ({ path })),
    policy: { projects: ["fleet/*"], licenses: { MIT: "allowed" } },
  });
  const shards = ["1", "2", "3"];
  const planning = shards.map((index) => {
    const env = { CI_NODE_INDEX: index, CI_NODE_TOTAL: "3" };
    return evenkeelWith(env, "plan", "--shard", "auto", "--out", `shard-${index}.json`);
  });
  expect((await Promise.all(planning)).map(({ code }) => code)).toEqual([0, 0, 0]);
  for (const index of shards) {
    expect(JSON.parse(read(`shard-${index}.json`)).summary.projects).toBeLessThan(12);
  }
  const files = shards.map((index) => `shard-${index}.json`);
  const merged = await evenkeel("merge", ...files, "--out", "plan.json", "--report", "markdown=comment.md");
  expect(merged).toMatchObject({ code: 0, stderr: "", reads: 0, writes: 0 });
  expect(merged.stdout).toContain("Plan: 12 to create");
  expect(read("comment.md")).toContain("### Evenkeel: 12 loosened, 12 to create");
  await evenkeel("plan", "--out", "whole.json");
  const [plan, whole] = ["plan.json", "whole.json"].map((file) => JSON.parse(read(file)) as Plan);
  expect(plan?.resource_changes).toEqual(whole?.resource_changes);
  expect({ ...plan?.summary, reads: 0 }).toEqual({ ...whole?.summary, reads: 0 });
  expect((await evenkeel("merge", ...files, "--detailed-exitcode")).code).toBe(2);
  const twice = await evenkeel("merge", "plan.json", "whole.json");
  expect(twice).toMatchObject({ code: 1, stdout: "" });
  expect(twice.stderr).toMatch(/fleet\/p\d+:license\/MIT is in plan\.json and in whole\.json/);
  expect(await evenkeel("apply", "plan.json")).toMatchObject({ code: 0, writes: 12 });
  write("shard-1.json", read("shard-1.json").replace("fleet/p", "fleet/q"));
  expect((await evenkeel("merge", ...files)).stderr).toContain("was edited");
});

test("plans that are harmless each are judged as one when they are applied together", async () => {
  const off = (path: string, count: number) => ({
    path,
    licenses: Object.fromEntries(Array.from({ length: count }, (_, index) => [`L${index}`, "allowed" as const])),
  });
  const { evenkeel, read } = await scene({
    projects: [off("a", 6), off("b", 6)],
    policy: { projects: ["a", "b"], licenses: { L0: "allowed" }, exclusive: ["licenses"] },
  });
  for (const project of ["a", "b"]) {
    const planned = await evenkeel("plan", "--target", project, "--out", `${project}.json`);
    expect(planned).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(read(`${project}.json`)).objections).toEqual([]);
  }
  expect((await evenkeel("merge", "a.json", "b.json", "--out", "both.json")).code).toBe(0);
  const refused = await evenkeel("apply", "both.json");
  expect(refused).toMatchObject({ code: 3, writes: 0 });
  expect(await evenkeel("apply", "both.json", "--allow-deletes", "10")).toMatchObject({ code: 0, writes: 10 });
});

test("--shard auto is all of a job that is not split, and wrong usage without a pipeline", async () => {
  const { evenkeel, evenkeelWith } = await scene({ projects, policy });
  const whole = await evenkeelWith({ CI_NODE_TOTAL: "1" }, "plan", "--shard", "auto", "--report", "json");
  expect(whole.plan().summary.projects).toBe(2);
  const nowhere = [{}, { CI_NODE_TOTAL: "3" }, { CI_NODE_INDEX: "4", CI_NODE_TOTAL: "3" }, { CI_NODE_INDEX: "x" }];
  for (const ran of await Promise.all(nowhere.map((env) => evenkeelWith(env, "plan", "--shard", "auto")))) {
    expect(ran).toMatchObject({ code: 64, stdout: "", reads: 0 });
    expect(ran.stderr).toContain("CI_NODE_INDEX");
  }
  expect((await evenkeel("merge")).code).toBe(64);
});
