import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { scene, scripted } from "./workspace.ts";

test("as many requests are in flight as --concurrency says, reads and writes together", async () => {
  let most = 5;
  // Nothing is answered before as many are there as ever will be, unless they come only after an answer.
  const together = () => Promise.race([until(() => site.most >= most), sleep(200)]).then(() => {});
  const projects = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const { run, server: site } = await scripted(
    ({ method, body }) => {
      const row = { id: 1, name: new URLSearchParams(body).get("name"), approval_status: "allowed" };
      return { ...(method === "POST" ? { status: 201, body: row } : { body: [] }), after: together() };
    },
    { policy: { projects, disabled: ["irc-gateway"], licenses: { MIT: "allowed" } }, workspace: { concurrency: 5 } },
  );
  expect([(await run("apply", "--yes")).code, site.most]).toEqual([0, 5]);
  [site.most, most] = [0, 2];
  expect([(await run("apply", "--yes", "--concurrency", "2")).code, site.most]).toEqual([0, 2]);
});

test("--timeout ends the whole run, and says so", async () => {
  const { evenkeel } = await scene({
    policy: { projects: ["p"], licenses: { MIT: "allowed" } },
    chaos: [{ match: "*", hang: true }],
  });
  const ran = await evenkeel("plan", "--timeout", "1s");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("--timeout of 1 s");
});
