// npm run demo: the quickstart workspace against the embedded server, from the first plan to drift.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const workspace = fileURLToPath(new URL("../quickstart/", import.meta.url));
const token = "evenkeel-dev-token";

const server = spawn(process.execPath, [program, "serve", "--seed", "seed.yaml"], {
  cwd: workspace,
  stdio: ["ignore", "pipe", "inherit"],
});
const [line] = await once(server.stdout, "data");
const url = String(line).match(/http:\S+/)[0];

const env = {
  ...process.env,
  EVENKEEL_URL: url,
  EVENKEEL_TOKEN: token,
  PAYMENTS_HOOK: "https://chat.example.com/hooks/payments",
};

async function evenkeel(why, ...words) {
  console.log(`\n# ${why}\n$ evenkeel ${words.join(" ")}\n`);
  const run = spawn(process.execPath, [program, ...words], { cwd: workspace, env, stdio: "inherit" });
  const [code] = await once(run, "exit");
  console.log(`(exit ${code})`);
  return code;
}

async function behindItsBack(method, path) {
  console.log(`\n# Somebody goes around Evenkeel:\n# ${method} ${path}`);
  await fetch(`${url}/api/v4${path}`, { method, headers: { "PRIVATE-TOKEN": token } });
}

const codes = [
  await evenkeel("Three projects, two policies. What would change?", "plan"),
  await evenkeel("Make it so.", "apply", "--yes"),
  await evenkeel("And now? Nothing is left to change.", "plan", "--detailed-exitcode"),
];
await behindItsBack("DELETE", "/projects/payments%2Fcore/managed_licenses/AGPL-3.0");
codes.push(await evenkeel("A nightly job would find that:", "drift"));

server.kill();
const expected = [0, 0, 0, 2];
if (codes.join() !== expected.join()) {
  console.error(`\nThe demo went wrong: exit codes ${codes.join(", ")}, expected ${expected.join(", ")}.`);
  process.exitCode = 1;
}
