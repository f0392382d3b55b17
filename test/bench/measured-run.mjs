import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer as createProxy } from "node:net";
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
 * peak memory in MB, requests, and bytes on the wire where those are asked for.
 */
export async function measuredRun(asked) {
  const folder = mkdtempSync(join(tmpdir(), "evenkeel-model-"));
  const cleanups = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    return await runIn(folder, asked, (cleanup) => cleanups.push(cleanup));
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

async function runIn(folder, { counted = false, ...asked }, later) {
  const url = await serve(later, asked);
  const proxy = counted ? await countingProxy(later, new URL(url)) : undefined;
  const env = { PATH: process.env.PATH, EVENKEEL_TOKEN: "bench", EVENKEEL_URL: proxy?.url ?? url };
  layOut(folder, asked);
  if (asked.workers > 0) Object.assign(env, await crew(later, folder, asked.workers, env));
  if (asked.reads !== "verify") await once(begin(folder, ["apply", "--yes", "--resend", "*"], env), "exit");
  const before = proxy?.bytes() ?? 0;
  const figures = await run(folder, asked, env);
  return { ...figures, megabytesSent: ((proxy?.bytes() ?? 0) - before) / 1e6 };
}

async function serve(later, { projects, latency }) {
  const child = spawn(process.execPath, [join(here, "server.mjs"), projects, latency], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  later(() => void child.kill());
  const [line] = await once(child.stdout, "data");
  return String(line).trim();
}

/** What differs is one var of so many of the groups, and with it one integration a project. */
function layOut(folder, { rate, reads, change, narrow = false }) {
  mkdirSync(join(folder, "policies"));
  const server = { tier: "ultimate", ...(reads !== "verify" && { reads }) };
  const head = { apiVersion: "evenkeel/v1", kind: "Workspace", name: "bench", server };
  const ledger = reads === "verify" ? {} : { ledger: ".evenkeel/ledger.ndjson" };
  const limit = rate > 0 ? { rateLimit: `${rate}/s` } : {};
  writeFileSync(join(folder, "evenkeel.yaml"), JSON.stringify({ ...head, ...ledger, ...limit }));
  const changed = Math.round(change * groups);
  writeFileSync(join(folder, "policies/all.yaml"), layers({ narrow, changed }));
}

async function crew(later, folder, count, env) {
  const parent = mkdtempSync(join(tmpdir(), "evenkeel-database-"));
  later(() => rmSync(parent, { recursive: true, force: true }));
  chmodSync(parent, 0o755);
  const database = await startDatabase(parent, (await packagedServer()) ?? systemServer());
  later(() => database.stop());
  const shared = { EVENKEEL_STATE: database.url(), EVENKEEL_LEDGER_KEY: "a-key-of-the-bench-alone" };
  for (let index = 0; index < count; index++) {
    const worker = begin(folder, ["worker"], { ...env, ...shared });
    later(async () => {
      worker.kill();
      await once(worker, "exit");
    });
  }
  return shared;
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

async function countingProxy(later, { hostname, port }) {
  let bytes = 0;
  const proxy = createProxy((socket) => {
    const way = connect(Number(port), hostname);
    for (const [from, to] of [
      [socket, way],
      [way, socket],
    ]) {
      from.on("data", (chunk) => (bytes += chunk.length));
      from.on("error", () => to.destroy());
      from.pipe(to);
    }
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  later(() => void proxy.close());
  return { url: `http://127.0.0.1:${proxy.address().port}`, bytes: () => bytes };
}

/** What one page of the list of projects takes: seconds, and bytes on the wire. */
export async function measuredPage() {
  const cleanups = [];
  const later = (cleanup) => cleanups.push(cleanup);
  const proxy = await countingProxy(later, new URL(await serve(later, { projects: 2000, latency: 0 })));
  const pages = 20;
  const started = performance.now();
  for (let page = 1; page <= pages; page++) {
    const headers = { "private-token": "bench" };
    await (await fetch(`${proxy.url}/api/v4/projects?per_page=100&page=${page}`, { headers })).json();
  }
  const seconds = (performance.now() - started) / 1000 / pages;
  const bytes = proxy.bytes() / pages;
  for (const cleanup of cleanups.reverse()) await cleanup();
  return { seconds, bytes };
}
