import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/folder.ts";
import { until } from "../support/until.ts";
import { scene } from "./workspace.ts";

test("a signal ends a run that waits for a provider, and the provider with it; nothing was written", async () => {
  const files = folder({ "ops.yaml": "slow: { command: [./slow.sh, '{ref}'] }" });
  files.write("slow.sh", `#!/bin/sh\nsleep 100 & echo $$ $! > ${files.root}/pids; wait\n`);
  chmodSync(join(files.root, "slow.sh"), 0o755);
  const made = await scene({
    projects: [{ path: "p" }],
    policy: { projects: ["p"], integrations: { "chat-webhook-d": { webhook: { secret: "slow:x" } } } },
    secrets: { EVENKEEL_SECRET_PROVIDERS: join(files.root, "ops.yaml") },
  });
  const running = made.begin("apply", "--yes");
  await until(() => (files.files().pids ?? "").endsWith("\n"));
  running.kill("SIGTERM");
  expect([(await running.ended).code, made.server.requests.writes]).toEqual([130, 0]);
  const pids = files.read("pids").trim().split(" ");
  await until(() =>
    pids.every(
      (pid) => !existsSync(`/proc/${pid}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8")),
    ),
  );
});
