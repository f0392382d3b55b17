import { expect, test } from "vitest";
import { changeOf, scene } from "./workspace.ts";

const projects = [{ path: "p", licenses: { MIT: "allowed", WTFPL: "denied", Old: "denied" } }];

test("every license change says what it does to the policy, in text and in JSON", async () => {
  const policy = { projects: ["p"], licenses: { mit: "denied", "AGPL-3.0": "denied", WTFPL: "allowed" } };
  const { evenkeel } = await scene({ projects, policy: { ...policy, exclusive: ["licenses"] } });
  const plan = (await evenkeel("plan", "--report", "json")).plan();
  const reasons = plan.resource_changes.map(({ key, action_reason }) => `${key}: ${action_reason}`);
  expect(reasons).toEqual([
    "AGPL-3.0: not on the server, tightened",
    "Old: not listed, and the policy is exclusive, loosened",
    "WTFPL: field differs, loosened",
    "mit: field differs, tightened",
  ]);
  const text = await evenkeel("plan");
  expect(text.stdout).toMatch(/~ license\/WTFPL {2}field differs, loosened, all\.yaml:\d+/);
});

test("--fail-on-loosening refuses what loosens, and lets pass what tightens", async () => {
  const { evenkeel, policy } = await scene({ projects });
  policy({ projects: ["p"], licenses: { MIT: "denied" } });
  const strict = await evenkeel("plan", "--fail-on-loosening", "--detailed-exitcode");
  expect(strict).toMatchObject({ code: 2, stderr: "" });
  policy({ projects: ["p"], licenses: { MIT: "denied", WTFPL: "allowed" } });
  const lax = await evenkeel("plan", "--fail-on-loosening", "--detailed-exitcode", "--report", "json");
  expect(lax).toMatchObject({ code: 3, stderr: "Refused by --fail-on-loosening: p:license/WTFPL.\n", writes: 0 });
  expect(changeOf(lax.plan(), "p:license/WTFPL").action_reason).toBe("field differs, loosened");
  expect((await evenkeel("plan")).code).toBe(0);
});

test("every report says that --fail-on-loosening failed, and why", async () => {
  const { evenkeel, read } = await scene({ projects, policy: { projects: ["p"], licenses: { WTFPL: "allowed" } } });
  const files = ["markdown", "html", "json", "sarif", "junit", "github"].map((kind) => `${kind}=report.${kind}`);
  const reports = files.flatMap((file) => ["--report", file]);
  const { code, stdout } = await evenkeel("plan", "--fail-on-loosening", ...reports, "--out", "plan.json");
  const why = "--fail-on-loosening failed: 1 change loosens a license policy (p:license/WTFPL)";
  expect(code).toBe(3);
  expect(stdout).toContain(why);
  const silent = files.filter((file) => !read(file.split("=")[1] ?? "").includes("--fail-on-loosening failed"));
  expect(silent).toEqual([]);
  expect(JSON.parse(read("report.json")).objections).toEqual([
    { guard: "loosening", message: why, addresses: ["p:license/WTFPL"] },
  ]);
  expect(await evenkeel("apply", "plan.json", "--yes")).toMatchObject({ code: 0, writes: 1 });
});

test("a rename is a create and then a delete", async () => {
  const policy = { projects: ["p"], licenses: { "MIT License": "allowed", WTFPL: "denied", Old: "denied" } };
  const { evenkeel } = await scene({ projects, policy: { ...policy, exclusive: ["licenses"] } });
  const { requests } = await evenkeel("apply", "--yes");
  const writes = requests.filter((request) => !request.startsWith("GET"));
  expect(writes.map((request) => request.split(" ")[0])).toEqual(["POST", "DELETE"]);
});
