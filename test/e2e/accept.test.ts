import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { until } from "../support/until.ts";
import { scene } from "./workspace.ts";

const policy = { projects: ["payments/core"], integrations: { "irc-gateway": { recipients: "#core" } } };

test("writes nothing if the manifests changed meanwhile", async () => {
  const projects = [{ path: "payments/core", integrations: { "irc-gateway": { recipients: "#elsewhere" } } }];
  const slow = await scene({ projects, policy, latency: 400 });
  const running = slow.begin("accept", "payments/core:integration/irc-gateway");
  await until(() => slow.server.requests.count("GET") > 0);
  writeFileSync(join(slow.root, "all.yaml"), `${slow.read("all.yaml")}# edited\n`);
  const ended = await running.ended;
  expect(ended).toMatchObject({ code: 1, stdout: "" });
  expect(ended.stderr).toContain("the manifests changed meanwhile; nothing was written: run it again");
});
