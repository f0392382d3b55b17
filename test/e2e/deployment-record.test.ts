import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { scene } from "./workspace.ts";

test("an interrupted apply is a canceled deployment", async () => {
  const names = ["a", "b", "c", "d"];
  const { begin, server, ask } = await scene({
    projects: [{ path: "ops/policies", deployments: [] }, ...names.map((path) => ({ path }))],
    policy: { projects: names, licenses: { MIT: "allowed" } },
    behaviour: "observed",
    latency: 150,
  });
  const record = "--record-deployment production --deployment-project ops/policies --sha 1f2e --ref main".split(" ");
  const running = begin("apply", "--yes", ...record, "--concurrency", "1");
  await until(() => server.requests.writes >= 2);
  running.kill("SIGINT");
  expect((await running.ended).code).toBe(130);
  expect((await ask("GET", "/projects/ops%2Fpolicies/deployments")).json).toMatchObject([{ status: "canceled" }]);
});
