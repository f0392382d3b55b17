// npm run soak: a fleet of 1,000 projects, faults of all kinds, an apply that is killed again and again; it must end in
// sync. Arguments: PROJECTS, KILLS, SEED.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { stringify } from "yaml";
import { licensesOf, pathOf, policies } from "./fleet.mjs";

const serverProgram = fileURLToPath(new URL("server.mjs", import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const [count = 1000, kills = 4, seed = Date.now() % 100_000] = process.argv.slice(2).map(Number);
const token = "soak-token";
const secret = "https://chat.example.com/CANARY";
const random = sequence(seed);
const folder = mkdtempSync(join(tmpdir(), "evenkeel-soak-"));
const started = performance.now();
const tally = { runs: 0, kills: 0, serverKills: 0, again: 0, cutShort: 0 };

function sequence(start) {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const share = 0.05;
const kinds = [
  { name: "429", status: 429, retry_after: 0 },
  { name: "500", status: 500 },
  { name: "500 after acting", status: 500, acted: true },
  { name: "502 in HTML", status: 502, html: true },
  { name: "503", status: 503, retry_after: 0 },
  { name: "409 resource lock", status: 409 },
  { name: "reset", reset: true },
  { name: "reset after acting", reset: true, acted: true },
  { name: "cut", truncate: true },
  { name: "cut after acting", truncate: true, acted: true },
];

/** Each kind hits its part of what the kinds before it let through; all together hit one request in twenty. */
function chaosOf(round) {
  const each = share / kinds.length;
  const rules = kinds.map((kind, index) => {
    return { ...kind, probability: each / (1 - index * each), seed: seed + 100 * round + index };
  });
  return [...rules, { name: "hang", hang: true, probability: 0.0005, times: 3, seed: seed + round }];
}

async function serve(chaos) {
  const words = [serverProgram, count, folder, port, JSON.stringify(chaos), token].map(String);
  const server = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(server.stdout, "data");
  return { process: server, url: String(line).trim() };
}

/** What all servers so far were asked, and the faults that they answered with. */
async function served() {
  await setTimeout(150);
  const files = readdirSync(folder).filter((name) => /^figures-\d+\.json$/.test(name));
  const all = files.map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
  const faults = {};
  for (const each of all)
    for (const [name, hits] of Object.entries(each.faults)) faults[name] = (faults[name] ?? 0) + hits;
  return { total: sum(all.map(({ total }) => total)), writes: sum(all.map(({ writes }) => writes)), faults };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

async function kill(child) {
  const gone = once(child, "exit");
  child.kill("SIGKILL");
  await gone;
}

/** One run of the program; `life`: how many writes reach the server before it is killed. */
async function run(words, life) {
  const env = { PATH: process.env.PATH, EVENKEEL_URL: server.url, EVENKEEL_TOKEN: token, SOAK_HOOK: secret };
  const before = await served();
  const child = spawn(process.execPath, [program, ...words], {
    cwd: workspace,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    child[name].on("data", (chunk) => {
      output[name] += chunk;
    });
  }
  const closed = once(child, "close");
  if (life !== undefined) {
    while (child.exitCode === null && (await served()).writes < before.writes + life) await setTimeout(10);
    child.kill("SIGKILL");
  }
  const [code] = await closed;
  tally.runs++;
  if (code === null) tally.kills++;
  if (output.stderr.includes("was cut short")) tally.cutShort++;
  if (JSON.stringify(output).includes(secret)) problems.push("the secret was printed");
  if (output.stderr.includes("defect")) problems.push(output.stderr);
  if (code !== null) tally.again += (await served()).total - before.total - firstAttempts(output.stdout);
  return { code, ...output };
}

/** What the run's own report counts: reads for its plan, and one request a change. */
function firstAttempts(report) {
  const { summary } = JSON.parse(report);
  return summary.reads + (summary.outcomes ? summary.writes : 0);
}

async function ask(path) {
  const response = await fetch(`${server.url}/api/v4${path}`, { headers: { "private-token": token } });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.json();
}

/** What the server holds in the end, asked of it project by project: licenses that stand twice, or are not as declared. */
async function inspect() {
  const found = { duplicates: 0, wrong: 0 };
  for (let index = 0; index < count; index++) {
    const rows = await ask(`/projects/${encodeURIComponent(pathOf(index))}/managed_licenses?per_page=100`);
    const names = rows.map(({ name }) => name.toLowerCase());
    found.duplicates += names.length - new Set(names).size;
    const declared = Object.entries(licensesOf(index));
    const statuses = new Map(rows.map(({ name, approval_status }) => [name.toLowerCase(), approval_status]));
    found.wrong += declared.filter(([name, status]) => statuses.get(name.toLowerCase()) !== status).length;
  }
  return found;
}

/** Requests whose intent the journals hold and whose answer nobody saw, and any trace of the secret. */
function readState() {
  const state = join(workspace, ".evenkeel");
  const files = existsSync(state)
    ? readdirSync(state, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
    : [];
  const texts = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
  const entries = texts.flatMap((text) => text.split("\n"));
  return {
    intents: entries.filter((line) => line.includes('"event":"intent"')).length,
    outcomes: entries.filter((line) => line.includes('"event":"outcome"')).length,
    leaks: texts.filter((text) => text.includes(secret)).length,
    locks: existsSync(join(state, "lock")) ? 1 : 0,
  };
}

const workspace = join(folder, "workspace");
mkdirSync(join(workspace, "policies"), { recursive: true });
writeFileSync(
  join(workspace, "evenkeel.yaml"),
  stringify({
    apiVersion: "evenkeel/v1",
    kind: "Workspace",
    server: { tier: "ultimate" },
    concurrency: 16,
    requestTimeout: "2s",
    guards: { deletePercent: 100 },
    ledger: ".evenkeel/ledger.ndjson",
  }),
);
for (const [name, policy] of Object.entries(policies(count)))
  writeFileSync(join(workspace, "policies", `${name}.yaml`), stringify(policy));

const apply = ["apply", "--yes", "--report", "json"];
let port = 0;
const problems = [];
let server = await serve(chaosOf(0));
port = new URL(server.url).port;
try {
  say(`${count} projects, ${share * 100} % faults, seed ${seed}`);
  await mainRoad();
} finally {
  await kill(server.process);
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  else console.error(`\nThe soak went wrong (seed ${seed}; ${folder} is left):\n- ${problems.join("\n- ")}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function say(text) {
  console.log(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

async function restart(chaos) {
  await kill(server.process);
  tally.serverKills++;
  server = await serve(chaos);
}

async function mainRoad() {
  for (let round = 0; round < kills; round++) {
    const { code } = await run(apply, Math.ceil((random() * 4000) / kills));
    say(code === null ? `apply ${round + 1} was killed` : `apply ${round + 1} ended by itself with ${code}`);
    if (round !== 1) continue;
    await restart(chaosOf(1));
    say("the server was killed and started again from its file");
  }
  if (!(await settle())) problems.push("no apply came through");
  const { faults, ...requests } = await served();
  await restart([]);
  const { code, stdout } = await run(["drift", "--report", "json"]);
  if (code !== 0) problems.push(`in the end drift exits with ${code}: ${stdout.slice(0, 2000)}`);
  else say("without faults: drift finds everything in sync");
  const found = { ...(await inspect()), ...readState() };
  if (found.duplicates > 0) problems.push(`${found.duplicates} licenses stand twice`);
  if (found.wrong > 0) problems.push(`${found.wrong} licenses are not as declared`);
  if (found.leaks > 0) problems.push(`the secret stands in ${found.leaks} files`);
  if (found.locks > 0) problems.push("a lock was left");
  if (tally.cutShort === 0 && found.intents > found.outcomes) problems.push("no run named one that was cut short");
  tell(requests, faults, found);
}

/** Applies until one comes through whole; with one request in twenty lost, a rare change fails all its attempts. */
async function settle() {
  for (let round = 0; round < 6; round++) {
    const { code, stdout } = await run(apply);
    say(`an apply ended with ${code}: ${JSON.stringify(JSON.parse(stdout).summary.outcomes)}`);
    if (code === 0) return true;
  }
  return false;
}

function tell({ total, writes }, faults, { duplicates, intents, outcomes }) {
  const kindsOf = Object.entries(faults).map(([name, hits]) => `${hits} x ${name}`);
  const rows = [
    ["runs", `${tally.runs}, of which killed ${tally.kills}; ${tally.cutShort} named a run cut short`],
    ["kills of the server", tally.serverKills],
    ["requests", `${total}, of which ${writes} writes`],
    ["faults injected", `${sum(Object.values(faults))}: ${kindsOf.join(", ")}`],
    ["sent again", `${tally.again} (in the runs that were not killed)`],
    ["journalled", `${intents} intents, ${outcomes} outcomes`],
    ["duplicates", duplicates],
    ["seconds", ((performance.now() - started) / 1000).toFixed(1)],
  ];
  console.log(`\n${rows.map(([name, figure]) => `${name.padEnd(20)}  ${figure}`).join("\n")}`);
}
