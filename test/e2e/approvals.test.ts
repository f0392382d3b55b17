import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../support/folder.ts";
import { stage } from "../support/stage.ts";

test("an agent signs with the key that it holds", async () => {
  const { evenkeel, evenkeelWith } = await stage({
    projects: [{ path: "a/b" }],
    policy: { projects: ["a/b"], licenses: { MIT: "denied" } },
  });
  const outside = folder({ "approvals.yaml": "signers: signers\nrules: [{ when: always, count: 1 }]\n" });
  const [key, socket] = [join(outside.root, "key"), join(outside.root, "agent")];
  execFileSync("ssh-keygen", ["-q", "-t", "ecdsa", "-N", "", "-f", key]);
  outside.write("signers", `ada@example.com ${readFileSync(`${key}.pub`, "utf8")}`);
  await evenkeel("plan", "--out", "plan.json", "--quiet");
  const agent = String(execFileSync("ssh-agent", ["-s", "-a", socket]));
  try {
    execFileSync("ssh-add", ["-q", key], { env: { ...process.env, SSH_AUTH_SOCK: socket } });
    const { code, stdout } = await evenkeelWith({ SSH_AUTH_SOCK: socket }, "approve", "plan.json");
    expect([code, stdout]).toEqual([0, expect.stringContaining("plan.json.sig holds 1 signature")]);
  } finally {
    process.kill(Number(/SSH_AGENT_PID=(\d+)/.exec(agent)?.[1]));
  }
  const env = { EVENKEEL_APPROVALS: join(outside.root, "approvals.yaml") };
  expect(await evenkeelWith(env, "apply", "plan.json", "--yes")).toMatchObject({ code: 0, writes: 1 });
});
