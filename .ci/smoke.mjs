// Runs the built program on the Node that runs this script: serve, plan, apply, and an empty drift.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const cwd = mkdtempSync(join(tmpdir(), "evenkeel-smoke-"));
cpSync(join(root, "examples/quickstart"), cwd, { recursive: true });
const program = join(root, "dist/cli.js");
const env = {
  ...process.env,
  EVENKEEL_TOKEN: "evenkeel-dev-token",
  PAYMENTS_HOOK: "https://chat.example.com/hooks/payments",
};
const server = spawn(process.execPath, [program, "serve", "--seed", "seed.yaml", "--data", "server.db"], { cwd, env });
try {
  const [line] = await once(server.stdout.setEncoding("utf8"), "data");
  env.EVENKEEL_URL = /http:\S+/.exec(line)[0];
  for (const [args, exit] of [
    [["plan", "--out", "plan.json", "--detailed-exitcode"], 2],
    [["apply", "plan.json"], 0],
    [["drift"], 0],
  ]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], { cwd, env, encoding: "utf8" });
    assert.equal(status, exit, `evenkeel ${args.join(" ")}\n${stdout}${stderr}`);
    assert.doesNotMatch(stderr, /warning/i);
  }
} finally {
  server.kill();
  await once(server, "close");
  rmSync(cwd, { recursive: true });
}
