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
  for (const kind of planKinds) {
    expect(read(`out/${kind}`)).not.toContain(secret);
    expect(read(`out/${kind}`)).not.toContain(token);
    expect(read(`out/${kind}`)).toMatch(/[^\n]\n$/);
  }
});

test("the file for Prometheus remembers the last success", async () => {
  const { evenkeelWith, read, policy: write } = await scene({ projects, policy });
  const applied = await evenkeelWith({ HOOK: secret }, "apply", "--yes", ...all);
  expect(applied.code).toBe(0);
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
