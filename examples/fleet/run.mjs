// node examples/fleet/run.mjs [PROJECTS]: a state, a server and three workers on this machine, one of which is killed.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { begin, beginDatabase, beginServer, environment, until } from "../program.mjs";

const count = Number(process.argv[2] ?? 3000);
/** A few projects are written slowly, so that there is a middle in which a worker can be killed. */
const few = count < 1000;
const home = mkdtempSync(join(tmpdir(), "evenkeel-fleet-"));

/** Every project allows what is to be denied; a third has no license at all. */
function seed() {
  const projects = Array.from({ length: count }, (_, index) => ({
    path: `team-${String(index % 20).padStart(2, "0")}/service-${index}`,
    licenses: index % 3 === 0 ? {} : { MIT: "allowed", "AGPL-3.0": "allowed" },
  }));
  writeFileSync(join(home, "seed.yaml"), JSON.stringify({ projects }));
}

/** Shows a command and what it says: all of a short text, the end of a long one. */
async function shown(words, { code, output }) {
  const lines = output.trim().split("\n");
  const told = lines.length > 16 ? ["…", ...lines.slice(-12)] : lines;
  console.log(`\n$ evenkeel ${words}\n${told.join("\n")}`);
  if (code !== 0) throw new Error(`evenkeel ${words} ended with ${code}`);
}

async function story(url, database, workers) {
  const env = {
    ...environment(url, database),
    EVENKEEL_LEDGER_KEY: "a key that all machines share",
    EVENKEEL_LEASE: few ? "6s" : "15s",
    CHAT_HOOK: "https://chat.example.com/hooks/all",
  };
  const [workspace, checkout] = ["workspace", "checkout"].map((name) => {
    const folder = join(home, name);
    cpSync(fileURLToPath(new URL("evenkeel.yaml", import.meta.url)), join(folder, "evenkeel.yaml"));
    cpSync(fileURLToPath(new URL("policies", import.meta.url)), join(folder, "policies"), { recursive: true });
    return folder;
  });
  const evenkeel = async (words) => shown(words, await begin(words, workspace, env).ended);
  /** Whether the last wave goes on: the first two have one project, and a twentieth. */
  const isInLastWave = async ({ said }) => {
    const [newest] = JSON.parse((await begin("runs --report json", workspace, env).ended).output);
    if (newest.command !== "apply") return false;
    if (newest.ended) throw new Error(`the apply ended before anybody was killed:\n${said().slice(-2000)}`);
    return newest.progress?.stage === "writing" && newest.progress.done > count / 20;
  };

  console.log(`# ${count} projects, one server, one database. Three workers wait for something to do.`);
  for (let each = 0; each < 3; each++) workers.push(begin(`worker --concurrency ${few ? 2 : 8}`, checkout, env));
  await until(() => workers.every(({ said }) => said().includes("Ready to work")));
  console.log("\n# What would change? The workers read, and the run makes one plan.");
  await evenkeel("plan --workers");

  console.log("\n# Apply it in waves. Meanwhile, somebody checks the progress.");
  const words = "apply --yes --workers";
  const apply = begin(words, workspace, env);
  await until(() => isInLastWave(apply));
  await evenkeel("runs");
  console.log("\n# One worker is killed, in the middle of its writes: kill -9.");
  workers[0].kill("SIGKILL");
  await shown(words, await apply.ended);

  console.log("\n# Is anything missing? No: the other workers finished what the killed one had begun.");
  await evenkeel("drift --workers");
  await evenkeel("runs");
}

seed();
const database = await beginDatabase(home);
const server = await beginServer(`--seed seed.yaml --latency ${few ? 250 : 5}`, home);
const workers = [];
try {
  await story(server.url, database, workers);
} catch (error) {
  console.error(`\nThe story went wrong: ${error.message}`);
  process.exitCode = 1;
} finally {
  for (const worker of workers) worker.kill("SIGTERM");
  await Promise.all(workers.map(({ ended }) => ended));
  server.kill();
  await database.stop();
  rmSync(home, { recursive: true, force: true });
}
