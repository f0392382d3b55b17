import { expect, test } from "vitest";
import { planDigest } from "../../src/plan/plan.ts";
import { changeOf, scene } from "./workspace.ts";

const projects = [{ path: "p", licenses: { MIT: "allowed", WTFPL: "denied", Old: "denied" } }];

test("--fail-on-loosening refuses what loosens, and lets pass what tightens", async () => {
  const { evenkeel, policy } = await scene({ projects });
  policy({ projects: ["p"], licenses: { MIT: "denied" } });
  const strict = await evenkeel("plan", "--fail-on-loosening", "--detailed-exitcode");
  expect(strict).toMatchObject({ code: 2, stderr: "" });
  policy({ projects: ["p"], licenses: { MIT: "denied", WTFPL: "allowed" } });
  const lax = await evenkeel("plan", "--fail-on-loosening", "--detailed-exitcode", "--report", "json");
  expect(lax).toMatchObject({
    code: 3,
    stderr: "error: blocked by --fail-on-loosening: p:license/WTFPL.\n",
    writes: 0,
  });
  expect(changeOf(lax.plan(), "p:license/WTFPL").action_reason).toBe("field differs, loosened");
  expect((await evenkeel("plan")).code).toBe(0);
});

test("what a change does to a policy stands in the plan, and is counted", async () => {
  const licenses = { MIT: "denied", WTFPL: "allowed", Old: "allowed" };
  const { evenkeel, read } = await scene({ projects, policy: { projects: ["p"], licenses } });
  const kinds = ["prometheus=p.prom", "terraform=t.json", "ndjson=n.json"].flatMap((kind) => ["--report", kind]);
  const plan = (await evenkeel("plan", "--report", "json", ...kinds)).plan();
  expect(plan.summary).toMatchObject({ tightened: 1, loosened: 2 });
  expect(plan.resource_changes.map(({ key, policy_effect }) => `${key} ${policy_effect}`)).toEqual([
    "MIT tightened",
    "Old loosened",
    "WTFPL loosened",
  ]);
  expect(read("p.prom").split("\n")[2]).toMatch(/^evenkeel_loosened_licenses\{.*\} 2$/);
  expect(JSON.parse(read("t.json"))).toEqual({ create: 0, update: 3, delete: 0, loosened: 2 });
  const events = read("n.json").split("\n").slice(0, 2);
  expect(events.map((line) => JSON.parse(line))).toMatchObject([
    { type: "version", created_at: plan.created_at },
    { type: "highlight", topic: "loosened", count: 2 },
  ]);
  const { stdout } = await evenkeel("plan");
  const details = "license/Old becomes allowed in p; license/WTFPL becomes allowed in p";
  expect(stdout.split("\n").slice(2, 6)).toEqual([
    "Needs attention",
    "  ! 2 changes loosen the policy",
    ...details.split("; ").map((detail) => `      ${detail}`),
  ]);
});

test("drift says how live state compares with what is declared, and not what an apply would do to the policy", async () => {
  const { evenkeel } = await scene({
    projects,
    policy: { projects: ["p"], licenses: { MIT: "denied", Old: "allowed" } },
  });
  const lines = (await evenkeel("drift")).stdout.split("\n");
  expect(lines[0]).toMatch(/^Drift of \d{4}-/);
  expect(lines).toContain("  ! 1 setting is looser than declared: license/MIT in p");
  expect(lines).toContainEqual(expect.stringMatching(/^ +field differs, stricter than declared, /));
  expect(lines).toContainEqual(expect.stringMatching(/^Drift: .*; 1 of 1 project out of sync\.$/));
});

test("apply and drift refuse to loosen where they are asked to, before any write; a tampered plan hides nothing", async () => {
  const { evenkeel, read, write, policy } = await scene({ projects });
  policy({ projects: ["p"], licenses: { MIT: "denied", WTFPL: "allowed" } });
  const drifted = await evenkeel("drift", "--fail-on-loosening");
  expect(drifted).toMatchObject({
    code: 3,
    stderr: "error: blocked by --fail-on-loosening: p:license/WTFPL.\n",
    writes: 0,
  });
  await evenkeel("plan", "--out", "plan.json");
  const why = "--fail-on-loosening failed: 1 change loosens a policy (p:license/WTFPL)";
  const kinds = ["markdown", "html", "json", "sarif", "junit", "github", "codequality", "ndjson"];
  const files = kinds.flatMap((kind) => ["--report", `${kind}=report.${kind}`]);
  for (const args of [["--yes"], ["plan.json"], ["--dry-run"]]) {
    const refused = await evenkeel("apply", ...args, "--fail-on-loosening", ...files);
    expect(refused).toMatchObject({ code: 3, writes: 0 });
    expect(refused.stdout).toContain(why);
    expect(kinds.filter((kind) => !read(`report.${kind}`).includes("--fail-on-loosening failed"))).toEqual([]);
  }
  expect((await evenkeel("apply", "--yes", "--fail-on-loosening")).stderr).toBe(
    "error: blocked by --fail-on-loosening; nothing was written.\n",
  );
  const plan = JSON.parse(read("plan.json"));
  const hidden = plan.resource_changes.find(({ key }: { key: string }) => key === "WTFPL");
  hidden.change.after = { approval_status: "denied" };
  write("plan.json", JSON.stringify({ ...plan, digest: planDigest(plan) }));
  const tampered = await evenkeel("apply", "plan.json", "--fail-on-loosening");
  expect(tampered).toMatchObject({ code: 3, writes: 0 });
  expect(tampered.stdout).toContain(why);
});

test("a rename is a create and then a delete", async () => {
  const policy = { projects: ["p"], licenses: { "MIT License": "allowed", WTFPL: "denied", Old: "denied" } };
  const { evenkeel } = await scene({ projects, policy: { ...policy, exclusive: ["licenses"] } });
  const { requests } = await evenkeel("apply", "--yes");
  const writes = requests.filter((request) => !request.startsWith("GET"));
  expect(writes.map((request) => request.split(" ")[0])).toEqual(["POST", "DELETE"]);
});
