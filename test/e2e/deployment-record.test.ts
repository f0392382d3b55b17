import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { outcomes, type Scene, type Setting, scene } from "./workspace.ts";

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

test("where nothing is to be written, nothing is recorded", async () => {
  const stage = await staged();
  await stage.evenkeel("apply", "--yes");
  expect(await stage.evenkeel(...applying)).toMatchObject({ code: 0, writes: 0 });
  expect(await deployments(stage)).toEqual([]);
});

test("an apply of which a part failed is a failed deployment", async () => {
  const stage = await staged({ chaos: [{ method: "POST", match: "/projects/b/*", status: 422 }] });
  const ran = await stage.evenkeel(...applying);
  expect(ran.code).toBe(1);
  expect(await deployments(stage)).toMatchObject([{ status: "failed" }]);
});

test("an interrupted apply is a canceled deployment", async () => {
  const stage = await staged({ latency: 150 });
  const running = stage.begin(...applying, "--concurrency", "1");
  await until(() => stage.server.requests.writes >= 2);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect(await deployments(stage)).toMatchObject([{ status: "canceled" }]);
});

test.each([
  ["cannot be created", { method: "POST", status: 500 }, /the apply is not recorded as a deployment/],
  [
    "may have been created",
    { method: "POST", reset: true, acted: true },
    /whether the deployment was created is unknown/,
  ],
  [
    "cannot be finished",
    { method: "PUT", status: 403 },
    /evenkeel deployments update ops\/policies 1 --status success corrects it/,
  ],
] as const)("a record that %s is a warning, and the apply's own result stands", async (_, fault, words) => {
  const stage = await staged({ chaos: [{ match: "/projects/ops*/deployments*", ...fault }] });
  const ran = await stage.evenkeel(...applying, "--report", "json");
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(words);
  expect(outcomes(ran.plan()).filter((outcome) => outcome.startsWith("applied"))).toHaveLength(4);
  expect(ran.plan().warnings).toContainEqual({ rule: "deployment-record", message: expect.stringMatching(words) });
});

test("a dry run prints the record's requests around the others, and sends none", async () => {
  const stage = await staged();
  const ran = await stage.evenkeel("apply", "--dry-run", ...record, "--report", "json");
  expect(ran).toMatchObject({ code: 0, writes: 0 });
  const { requests } = JSON.parse(ran.stdout);
  expect(requests).toHaveLength(6);
  expect(requests[0]).toMatchObject({ method: "POST", parameters: { status: "running", tag: false } });
  expect(requests.at(-1)).toMatchObject({ method: "PUT", path: "/projects/ops%2Fpolicies/deployments/:deployment_id" });
});

test.each([
  [["--sha", "1f2e"], /need --record-deployment/],
  [["--record-deployment", "production"], /--deployment-project is missing.*--sha is missing.*--ref is missing/],
  [[...record, "--deployment-project", ""], /--deployment-project is empty/],
])("%j is wrong usage", async (args, words) => {
  const stage = await staged();
  const ran = await stage.evenkeel("apply", "--yes", ...args);
  expect(ran).toMatchObject({ code: 64, reads: 0, writes: 0, stderr: expect.stringMatching(words) });
});
