import { expect, test } from "vitest";
import { concernsProject } from "../../src/client/explain-failure.ts";
import { CallFailed } from "../../src/client/failure.ts";
import { outcomes, runs } from "./runs.ts";

const labels = { bug: { color: "#cc0000" }, docs: { color: "#00cc00" } };
const reviewed = {
  protected_branches: { main: { push_access_level: "maintainer" } },
  approval_rules: { QA: { approvals_required: 1, protected_branches: ["main"] } },
  labels: { bug: { color: "#cc0000" } },
};

test.each([
  ["nothing else", "labels", { labels }, ["failed label/bug", "applied label/docs"]],
  [
    "what looks it up",
    "protected_branches",
    reviewed,
    ["failed protected_branch/main", "skipped approval_rule/QA", "applied label/bug"],
  ],
])("a refused write skips %s", async (_, refused, declared, expected) => {
  const run = await runs({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], ...declared },
    chaos: [{ method: "POST", match: `*/${refused}`, status: 400, times: 1 }],
    tier: "premium",
  });
  const ended = outcomes(await run.apply()).map((line) => line.replace("p:", ""));
  expect(ended.toSorted()).toEqual(expected.toSorted());
});

test.each([
  [403, "403 Forbidden", true],
  [403, '{"error":"insufficient_scope"}', true],
  [403, '{"error":"insufficient_granular_scope"}', false],
  [403, "403 Forbidden - slack needs tier premium", false],
  [404, "404 Project Not Found", true],
  [404, "404 Group Not Found", true],
  [404, "404 Not Found", false],
  [404, "404 Target Project Not Found", false],
  [400, "name is missing", false],
])("a %i of %j concerns the whole project: %s", (status, serverMessage, expected) => {
  const call = { method: "POST", path: "/projects/p/labels", url: "http://localhost", kind: "status" } as const;
  expect(concernsProject(new CallFailed({ ...call, what: "", attempts: 1, status, serverMessage }))).toBe(expected);
});
