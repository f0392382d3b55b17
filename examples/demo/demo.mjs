// npm run demo: a copy of the quickstart workspace against the embedded server, from the first plan to drift.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const quickstart = fileURLToPath(new URL("../quickstart/", import.meta.url));
const token = "evenkeel-dev-token";
const watched = process.stdout.isTTY === true;

const workspace = mkdtempSync(join(tmpdir(), "evenkeel-demo-"));
for (const name of ["evenkeel.yaml", "policies", "seed.yaml"]) {
  cpSync(join(quickstart, name), join(workspace, name), { recursive: true });
}

const server = spawn(process.execPath, [program, "serve", "--seed", "seed.yaml"], {
  cwd: workspace,
  stdio: ["ignore", "pipe", "inherit"],
});

async function listening() {
  const [line] = await Promise.race([once(server.stdout, "data"), once(server, "exit")]);
  const url = /http:\S+/.exec(String(line))?.[0];
  if (!url) throw new Error("the embedded server did not start");
  return url;
}

async function told(text) {
  if (watched) await pause(900);
  console.log(`\n${text}`);
}

function environment(url) {
  return {
    ...process.env,
    ...(watched && !process.env.NO_COLOR && { FORCE_COLOR: "1" }),
    EVENKEEL_URL: url,
    EVENKEEL_TOKEN: token,
    EVENKEEL_TOKEN_FILE: "",
    PAYMENTS_HOOK: "https://chat.example.com/hooks/payments",
  };
}

/** Runs a command and shows all of its output. */
async function evenkeel(url, why, words) {
  await told(`# ${why}\n$ evenkeel ${words}\n`);
  const run = spawn(process.execPath, [program, ...words.split(" ")], {
    cwd: workspace,
    env: environment(url),
    stdio: ["inherit", "pipe", "inherit"],
  });
  let output = "";
  run.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const [code] = await once(run, "close");
  process.stdout.write(`${output}(exit ${code})\n`);
  return code;
}

async function goAround(url, path) {
  await told(`# Somebody goes around Evenkeel, and deletes a license:\n$ curl -X DELETE ${url}/api/v4${path}`);
  await fetch(`${url}/api/v4${path}`, { method: "DELETE", headers: { "PRIVATE-TOKEN": token } });
}

async function demo() {
  const url = await listening();
  const codes = [
    await evenkeel(url, "Three projects, three policies. What would change?", "plan --out plan.json"),
    await evenkeel(url, "Apply exactly that plan.", "apply plan.json"),
    await evenkeel(url, "And now? Nothing is left to change.", "plan --detailed-exitcode"),
  ];
  await goAround(url, "/projects/payments%2Fcore/managed_licenses/AGPL-3.0");
  codes.push(await evenkeel(url, "A nightly job would find that, and exit 2 says so.", "drift"));
  return codes.join();
}

try {
  const codes = await demo();
  if (codes === "0,0,0,2") await told("That is all. README.md has a tour to try yourself, with examples/gitlab.");
  else {
    console.error(`\nThe demo went wrong: exit codes ${codes}, expected 0,0,0,2.`);
    process.exitCode = 1;
  }
} finally {
  server.kill();
  rmSync(workspace, { recursive: true, force: true });
}
