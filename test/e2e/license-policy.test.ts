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

test("a rename is a create and then a delete", async () => {
  const policy = { projects: ["p"], licenses: { "MIT License": "allowed", WTFPL: "denied", Old: "denied" } };
  const { evenkeel } = await scene({ projects, policy: { ...policy, exclusive: ["licenses"] } });
  const { requests } = await evenkeel("apply", "--yes");
  const writes = requests.filter((request) => !request.startsWith("GET"));
  expect(writes.map((request) => request.split(" ")[0])).toEqual(["POST", "DELETE"]);
});
