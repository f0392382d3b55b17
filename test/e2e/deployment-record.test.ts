import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { type Scene, type Setting, scene } from "./workspace.ts";

const projects = [
  { path: "ops/policies", deployments: [] },
  { path: "a" },
  { path: "b" },
  { path: "c" },
  { path: "d" },
];
const policy = { projects: ["a", "b", "c", "d"], licenses: { MIT: "allowed" } };
const record = "--record-deployment production --deployment-project ops/policies --sha 1f2e --ref main".split(" ");
const applying = ["apply", "--yes", ...record];

const staged = (setting: Setting = {}) => scene({ projects, policy, behaviour: "observed", ...setting });

async function deployments({ ask }: Scene): Promise<unknown[]> {
  return (await ask("GET", "/projects/ops%2Fpolicies/deployments")).json;
}

test("an apply is running before its first write and a success after its last", async () => {
  const stage = await staged();
  const ran = await stage.evenkeel(...applying);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain("note: recorded as deployment 1 of ops/policies: success");
  const writes = ran.requests.filter((request) => !request.startsWith("GET"));
  expect(writes[0]).toBe("POST /projects/ops/policies/deployments");
  expect(writes.at(-1)).toBe("PUT /projects/ops/policies/deployments/1");
  expect(writes).toHaveLength(6);
  const shown = { id: 1, status: "success", ref: "main", sha: "1f2e", environment: { name: "production" } };
  expect(await deployments(stage)).toMatchObject([shown]);
});

test("an interrupted apply is a canceled deployment", async () => {
  const stage = await staged({ latency: 150 });
  const running = stage.begin(...applying, "--concurrency", "1");
  await until(() => stage.server.requests.writes >= 2);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(await deployments(stage)).toMatchObject([{ status: "canceled" }]);
});
