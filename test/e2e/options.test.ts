import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { serve } from "../client/scripted.ts";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { runProgram } from "./program.ts";
import { policyText, scene, token, workspaceText } from "./workspace.ts";

test("as many requests are in flight as --concurrency says, reads and writes together", async () => {
  let most = 5;
  // Nothing is answered before as many are there as ever will be, unless they come only after an answer.
  const together = () => Promise.race([until(() => site.most >= most), sleep(200)]).then(() => {});
  const site = await serve(({ method, body }) =>
    method === "POST"
      ? {
          status: 201,
          body: { id: 1, name: new URLSearchParams(body).get("name"), approval_status: "allowed" },
          after: together(),
        }
      : { body: [], after: together() },
  );
  const names = Array.from({ length: 20 }, (_, index) => `p${index}`);
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: site.url }, { concurrency: 5 }),
    "all.yaml": policyText({ projects: names, disabled: ["irc-gateway"], licenses: { MIT: "allowed" } }),
  });
  const env = { EVENKEEL_TOKEN: token };
  expect((await runProgram(["apply", "--yes"], files.root, env)).code).toBe(0);
  expect(site.most).toBe(5);
  [site.most, most] = [0, 2];
  expect((await runProgram(["apply", "--yes", "--concurrency", "2"], files.root, env)).code).toBe(0);
  expect(site.most).toBe(2);
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
