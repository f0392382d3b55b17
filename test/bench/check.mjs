// npm run bench -- --check [MEASURE...]: each target of docs/speed.md, and which ones fall short; ends with 1 if any does.
import { spawnSync } from "node:child_process";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { layers, manifestOf } from "./fleet.mjs";
import {
  inFolders,
  listening,
  measuredKind,
  measuredProgram,
  median,
  program,
  withServer,
  workspaceOf,
} from "./processes.mjs";

const token = "bench";

/** The least of three runs of each kind, in turns: other work of a machine only adds, and its pace changes within minutes. */
async function least(kinds) {
  const runs = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let turn = 0; turn < 3; turn++) for (const kind in kinds) runs[kind].push(await kinds[kind]());
  return (kind, figure) => Math.min(...runs[kind].map((run) => run[figure]));
}

function plans(count, latency, ...others) {
  return inFolders([workspaceOf([layers()])], (folder) =>
    withServer([count, latency], async (url) => {
      const kinds = ["plan", "peer", ...others];
      const run = (kind) => [kind, () => measuredKind(kind, { url, count, folder })];
      const of = await least(Object.fromEntries(kinds.map(run)));
      const time = (kind) => of(kind, "milliseconds");
      const script = time("peer") / time("plan");
      return kinds.includes("floor") ? { script, floor: time("plan") / time("floor") } : { script };
    }),
  );
}

function manifests(count) {
  const texts = Array.from({ length: count }, (_, index) => manifestOf(index));
  return inFolders([workspaceOf(texts)], async (folder) => {
    const of = await least({ load: () => measuredKind("load", { count, folder }) });
    return of("load", "cpu");
  });
}

/** Peak memory of a plan without and with a ledger, and of a console over what it recorded. */
function recorded(count, unmanaged) {
  return inFolders([workspaceOf([layers()])], async (folder) => {
    const { plan, ledger } = await withServer([count, 0, unmanaged], async (url) => {
      const env = { EVENKEEL_URL: url, EVENKEEL_TOKEN: token };
      const plain = await measuredProgram(folder, ["plan", "--quiet"], env);
      appendFileSync(join(folder, "evenkeel.yaml"), "ledger: .evenkeel/ledger.ndjson\n");
      await measuredProgram(folder, ["apply", "--yes", "--quiet"], env);
      const kept = await measuredProgram(folder, ["plan", "--quiet"], env);
      return { plan: plain.megabytes, ledger: kept.megabytes };
    });
    const words = [program, "console", "--port", "0"];
    const visit = await listening(words, { cwd: folder, env: { PATH: process.env.PATH } }, visited);
    return { plan, ledger, ...visit };
  });
}

async function visited(url, pid) {
  const times = [];
  for (let visit = 0; visit < 5; visit++) {
    const started = performance.now();
    const answer = await fetch(url);
    const text = await answer.text();
    times.push(performance.now() - started);
    if (!answer.ok || !/project-|in sync/.test(text))
      throw new Error(`${url} answered with ${answer.status}: no projects`);
    await pause(2100);
  }
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
  return { page: median(times.slice(1)), console: peak };
}

const quickstart = fileURLToPath(new URL("../../examples/quickstart", import.meta.url));

/** Median seconds of a line, as a whole process. */
function startUp(...words) {
  const once = () => {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, [program, ...words], { stdio: "ignore" });
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}`);
    return (performance.now() - started) / 1000;
  };
  return median(Array.from({ length: 9 }, once));
}

const measures = {
  plans: () => plans(10_000, 0, "floor"),
  away20: () => plans(500, 20),
  away100: () => plans(100, 100),
  manifests: () => manifests(10_000),
  recorded: () => recorded(100_000, 18),
  help: () => startUp("--help"),
  validate: () => startUp("validate", "-C", quickstart),
};

const targets = [
  ["plan of 10,000 projects, time of the bare loop", "plans.floor", "x", "<=", 1.8],
  ["the same, speed of the script", "plans.script", "x", ">=", 4],
  ["plan of 500, 20 ms away, speed of the script", "away20.script", "x", ">=", 3],
  ["plan of 100, 100 ms away, speed of the script", "away100.script", "x", ">=", 4],
  ["load and validate 10,000 manifests, CPU", "manifests", "s", "<=", 1.5],
  ["plan of 100,000 projects with 18 unmanaged licenses each: peak memory", "recorded.plan", "MB", "<=", 400],
  ["the same with a ledger", "recorded.ledger", "MB", "<=", 500],
  ["--help", "help", "s", "<=", 0.35],
  ["validate of three policies", "validate", "s", "<=", 0.35],
  ["console over 100,000 projects: first page", "recorded.page", "ms", "<=", 100],
  ["the same: peak memory", "recorded.console", "MB", "<=", 250],
];

const only = process.argv.slice(3);
const measured = new Map();
const print = (...cells) => console.log(`| ${cells.join(" | ")} |`);
print("target", "measured", "limit", "");
print("---", "---", "---", "---");
let short = 0;
for (const [what, from, unit, sign, limit] of targets) {
  const [name, part] = from.split(".");
  if (only.length > 0 && !only.includes(name)) continue;
  if (!measured.has(name)) measured.set(name, await measures[name]());
  const value = part === undefined ? measured.get(name) : measured.get(name)[part];
  const isShort = sign === "<=" ? value > limit : value < limit;
  short += Number(isShort);
  print(
    what,
    `${value.toFixed(unit === "x" || unit === "s" ? 2 : 0)} ${unit}`,
    `${sign} ${limit}`,
    isShort ? "**falls short**" : "",
  );
}
console.log(`\n${short === 0 ? "Every target is reached." : `${short} fall short.`}`);
if (short > 0) process.exitCode = 1;
