// npm run soak -- --workers N [PROJECTS] [SEED]: an apply by N workers, over and over, while 5 % of the requests fail,
// workers are killed and paused at random, the database is killed twice, and the server is killed once.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { packagedServer, startDatabase, systemServer } from "../support/database.mjs";
import { inspect, layOut, token } from "./fleet.mjs";
import { openGateway } from "./gateway.mjs";
import { schedules } from "./schedules.mjs";

const serverProgram = fileURLToPath(new URL("server.mjs", import.meta.url));
const program = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const secret = "https://chat.example.com/CANARY";
const lease = 6000;

/** Resolves to what went wrong, a sentence each, and figures. */
export async function soakWorkers({ folder, projects, workers: count, random, say }) {
  const database = await startDatabase(folder, (await packagedServer()) ?? systemServer());
  const began = performance.now();
  const target = { url: "" };
  const writes = { total: 0, outside: 0, unheard: 0, unchecked: 0 };
  const pids = new Map();
  const members = new pg.Pool({ connectionString: database.url(), max: 4 });
  members.on("error", () => {});
  let isRunning = false;
  const gateway = await openGateway({
    target,
    token,
    random,
    onWrite: (name, moment) => {
      if (moment !== "arrives") return true;
      writes.total++;
      if (!isRunning) writes.outside++;
      void heardOf(pids.get(name)).then(
        (isHeard) => void (isHeard || writes.unheard++),
        () => void writes.unchecked++,
      );
      return true;
    },
  });
  /** Whether a process that has just sent a write is believed to be there: else others may send what it sends. */
  const heardOf = async (pid) => {
    const text = "SELECT 1 FROM evenkeel.member WHERE pid = $1 AND deadline > clock_timestamp()";
    return (await members.query(text, [pid])).rows.length > 0;
  };
  const serve = async () => {
    const port = target.url ? new URL(target.url).port : "0";
    const child = spawn(process.execPath, [serverProgram, String(projects), folder, port, token], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(child.stdout, "data");
    target.url = String(line).trim();
    return child;
  };
  let server = await serve();
  const workspace = join(folder, "workspace");
  layOut(workspace, projects, { name: "soak", ledger: "state" });
  const env = {
    ...{ PATH: process.env.PATH, EVENKEEL_URL: gateway.url, EVENKEEL_STATE: database.url(), SOAK_HOOK: secret },
    ...{ EVENKEEL_LEASE: `${lease}ms`, EVENKEEL_LEDGER_KEY: "soak-key-of-this-run", EVENKEEL_WORKER_WAIT: "10s" },
    // The gateway tells processes apart by their tokens.
    EVENKEEL_WORKER_KEY: "soak-worker-key-of-this-run",
  };
  const begin = (name, ...words) => {
    const stdio = ["ignore", "pipe", "pipe"];
    const child = spawn(process.execPath, [program, ...words], {
      cwd: workspace,
      env: { ...env, EVENKEEL_TOKEN: name },
      stdio,
    });
    pids.set(name, child.pid);
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].setEncoding("utf8").on("data", (text) => {
        output[stream] += text;
      });
    return { child, ended: once(child, "close").then(([code]) => ({ code, ...output })) };
  };

  const figures = { applies: 0, killed: 0, paused: 0, databaseKilled: 0, serverKilled: 0 };
  const wrongs = [];
  const crew = new Map();
  let next = 0;
  const hire = () => {
    const name = `worker-${next++}`;
    const { child, ended } = begin(name, "worker", "--concurrency", "8");
    crew.set(name, child);
    void ended.then(({ code, stdout, stderr }) => {
      crew.delete(name);
      if (code !== null && !isOver) say(`${name} ended with ${code}: ${stderr.trim().slice(0, 300)}`);
      if (/internal error/.test(stderr)) wrongs.push(stderr.slice(0, 1000));
      if ((stdout + stderr).includes(secret)) wrongs.push("the secret was printed");
    });
  };
  let isOver = false;
  for (let index = 0; index < count; index++) hire();

  const trouble = async () => {
    for (let round = 1; !isOver; round++) {
      await sleep(4000 + random() * 5000);
      const [victim] = [...crew.values()].sort(() => random() - 0.5);
      if (!victim || isOver) continue;
      if (random() < 0.6) {
        figures.killed++;
        victim.kill("SIGKILL");
        while (victim.exitCode === null && victim.signalCode === null) await sleep(20);
      } else {
        figures.paused++;
        victim.kill("SIGSTOP");
        void sleep(lease * (0.5 + random() * 1.5)).then(() => victim.kill("SIGCONT"));
      }
      while (crew.size < count) hire();
      if ((round === 2 || round === 5) && figures.databaseKilled < 2) {
        figures.databaseKilled++;
        await database.kill();
        await sleep(1500);
        await database.start();
      }
      if (round === 3) {
        figures.serverKilled++;
        const gone = once(server, "exit");
        server.kill("SIGKILL");
        await gone;
        server = await serve();
      }
    }
  };
  const apply = async () => {
    isRunning = true;
    figures.applies++;
    const run = begin(
      `run-${figures.applies}`,
      "apply",
      "--yes",
      "--workers",
      "--report",
      "json",
      "--lock-timeout",
      "30s",
    );
    const ended = await run.ended;
    if (/internal error/.test(ended.stderr)) wrongs.push(ended.stderr.slice(0, 1000));
    if ((ended.stdout + ended.stderr).includes(secret)) wrongs.push("the secret was printed");
    // What was on the wire when the run ended may arrive now.
    await sleep(200);
    await gateway.settled();
    isRunning = false;
    const outcomes = Object.entries(readOutcomes(ended)).map(([name, number]) => `${number} ${name}`);
    const warnings = ended.stderr.split("\n").filter((line) => line !== "" && !line.startsWith("Still "));
    say([`apply ended with ${ended.code}: ${outcomes.join(", ")}`, ...warnings.slice(0, 5)].join("\n          "));
    return ended;
  };

  gateway.inflict(0.05, schedules.find(({ faults = [] }) => faults.length > 8)?.faults ?? []);
  const troubling = trouble();
  for (let round = 0; round < 5; round++) {
    if ((await apply()).code === 0 && round > 0) break;
    await sleep(1000);
  }
  isOver = true;
  await troubling;
  gateway.inflict();
  await sleep(2 * lease);
  const last = await apply();
  if (last.code !== 0) wrongs.push(`the last apply ended with ${last.code}: ${last.stderr.slice(0, 500)}`);
  const drift = await begin("run-last", "drift", "--workers", "--report", "json").ended;
  if (drift.code !== 0) wrongs.push(`drift ended with ${drift.code}: ${drift.stderr.slice(0, 500)}`);
  else say("in sync");
  for (const child of crew.values()) child.kill("SIGTERM");
  const found = await inspect(target.url, projects);
  server.kill("SIGKILL");
  gateway.close();
  await sleep(500);
  for (const child of crew.values()) child.kill("SIGKILL");
  await members.end();
  await database.stop();
  const duplicates = gateway.figures.duplicates + found.duplicates;
  if (duplicates > 0) wrongs.push(`${duplicates} licenses were created twice`);
  if (found.wrong > 0) wrongs.push(`${found.wrong} licenses are not as declared`);
  if (writes.outside > 0) wrongs.push(`${writes.outside} writes came while no run was there`);
  if (writes.unheard > 0) wrongs.push(`${writes.unheard} writes came of processes that others took for gone`);
  const { requests, faults } = gateway.figures;
  const injected = Object.values(faults).reduce((total, hits) => total + hits, 0);
  return {
    wrongs,
    figures: {
      ...figures,
      requests,
      writes: writes.total,
      faults: injected,
      duplicates,
      "outside a run": writes.outside,
      "lost lease": writes.unheard,
      "not checked, no database": writes.unchecked,
      seconds: Math.round((performance.now() - began) / 1000),
    },
  };
}

function readOutcomes({ stdout }) {
  try {
    return JSON.parse(stdout).summary.outcomes ?? {};
  } catch {
    return {};
  }
}
