import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { packagedServer, startDatabase, systemServer } from "../support/database.mjs";
import { layers } from "./fleet.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));
const program = join(here, "../../dist/cli.js");
const groups = 50;

/**
 * One run of the built program in a process of its own against a server in another, in a new folder. Resolves to its seconds,
 * CPU seconds and requests, and the peak memory in MB of the largest of its processes.
 */
export async function measuredRun(asked) {
  const folder = mkdtempSync(join(tmpdir(), "evenkeel-scale-"));
  const cleanups = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    return await runIn(folder, asked, (cleanup) => cleanups.push(cleanup));
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

async function runIn(folder, asked, later) {
  const env = { PATH: process.env.PATH, EVENKEEL_TOKEN: "bench", EVENKEEL_URL: await serve(later, asked) };
  layOut(folder, asked);
  const { shared = {}, workers = [] } = asked.workers > 0 ? await crew(later, folder, asked.workers, env) : {};
  Object.assign(env, shared);
  if (asked.ledger && !asked.apply) await once(begin(folder, ["apply", "--yes"], env), "exit");
  const figures = await run(folder, asked, env);
  return { ...figures, megabytes: Math.max(figures.megabytes, ...workers.map(peakOf)) };
}

const peakOf = ({ pid }) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

async function serve(later, { projects, latency }) {
  const child = spawn(process.execPath, [join(here, "server.mjs"), projects, latency], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  later(() => void child.kill());
  const [line] = await once(child.stdout, "data");
  return String(line).trim();
}

/** What differs is one var of so many of the groups, and with it one integration a project. */
function layOut(folder, { rate, change, ledger: hasLedger }) {
  mkdirSync(join(folder, "policies"));
  const head = { apiVersion: "evenkeel/v1", kind: "Workspace", name: "bench", server: { tier: "ultimate" } };
  const ledger = hasLedger ? { ledger: "state" } : {};
  const limit = rate > 0 ? { rateLimit: `${rate}/s` } : {};
  writeFileSync(join(folder, "evenkeel.yaml"), JSON.stringify({ ...head, ...ledger, ...limit }));
  const changed = Math.round(change * groups);
  writeFileSync(join(folder, "policies/all.yaml"), layers({ changed }));
}

async function crew(later, folder, count, env) {
  const parent = mkdtempSync(join(tmpdir(), "evenkeel-database-"));
  later(() => rmSync(parent, { recursive: true, force: true }));
  chmodSync(parent, 0o755);
  const database = await startDatabase(parent, (await packagedServer()) ?? systemServer());
  later(() => database.stop());
  const shared = { EVENKEEL_STATE: database.url(), EVENKEEL_LEDGER_KEY: "a-key-of-the-bench-alone" };
  const workers = [];
  for (let index = 0; index < count; index++) {
    const worker = begin(folder, ["worker"], { ...env, ...shared });
    workers.push(worker);
    later(async () => {
      worker.kill();
      await once(worker, "exit");
    });
  }
  return { shared, workers };
}

async function run(folder, { apply, workers }, env) {
  const words = apply ? ["apply", "--yes"] : ["plan"];
  if (workers > 0) words.push("--workers");
  const figures = join(folder, "figures.json");
  const started = performance.now();
  const child = begin(folder, [...words, `--report=json=${join(folder, "report.json")}`, "--quiet"], {
    ...env,
    FIGURES: figures,
  });
  let errors = "";
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  const [code] = await once(child, "exit");
  const seconds = (performance.now() - started) / 1000;
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}: ${errors}`);
  const { summary } = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"));
  const { reads, writes, outcomes } = summary;
  return { seconds, requests: reads + (outcomes ? writes : 0), ...JSON.parse(readFileSync(figures, "utf8")) };
}

function begin(folder, words, env) {
  const preload = env.FIGURES ? ["--import", join(here, "figures.mjs")] : [];
  return spawn(process.execPath, [...preload, program, ...words], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
}
