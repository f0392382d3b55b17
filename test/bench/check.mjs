// npm run bench -- --check: each target of docs/speed.md and the ones that fall short; ends with 1 if any does. Most times are
// ratios of CPU seconds, so that a busy machine counts little; memory is that of a plan of 100,000 projects, and of a console over its state.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
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

/** The median of a ratio over pairs of runs, one right after the other. */
async function ratio(one, other, pairs = 3) {
  const ratios = [];
  for (let pair = 0; pair < pairs; pair++) ratios.push((await one()) / (await other()));
  return median(ratios);
}

const cpuOf = async (kind, asked) => (await measuredKind(kind, asked)).cpu;
const timeOf = async (kind, asked) => (await measuredKind(kind, asked)).milliseconds;

/** The least of three runs of each kind, in turns: other work of a machine only adds, and its pace changes within minutes. */
async function least(kinds) {
  const runs = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (let turn = 0; turn < 3; turn++) for (const kind in kinds) runs[kind].push(await kinds[kind]());
  return (kind, figure) => Math.min(...runs[kind].map((run) => run[figure]));
}

function plans(count) {
  return inFolders([workspaceOf([layers()])], (folder) =>
    withServer([count], async (url) => {
      const run = (kind) => measuredKind(kind, { url, count, folder });
      const of = await least({ floor: () => run("floor"), plan: () => run("plan"), peer: () => run("peer") });
      return {
        floor: of("plan", "cpu") / of("floor", "cpu"),
        script: of("peer", "milliseconds") / of("plan", "milliseconds"),
      };
    }),
  );
}

function scriptAway(count, latency) {
  return inFolders([workspaceOf([layers()])], (folder) =>
    withServer([count, latency], (url) => {
      const asked = { url, count, folder };
      return ratio(
        () => timeOf("peer", asked),
        () => timeOf("plan", asked),
        1,
      );
    }),
  );
}

function secondPlan(count) {
  const settings = "ledger: .evenkeel/ledger.ndjson\n";
  return inFolders([workspaceOf([layers()], settings)], (folder) =>
    withServer([count], async (url) => {
      const file = join(folder, "evenkeel.yaml");
      writeFileSync(file, readFileSync(file, "utf8").replace("ultimate }", "ultimate, reads: trust-updated-at }"));
      const env = { EVENKEEL_URL: url, EVENKEEL_TOKEN: token };
      await measuredProgram(folder, ["apply", "--yes"], env);
      const asked = { url, count, folder };
      const of = await least({
        plan: () => measuredKind("plan", asked),
        floor: () => measuredKind("floor", { ...asked, fixed: "lists" }),
      });
      const ratioOf = (figure) => of("plan", figure) / of("floor", figure);
      return { time: ratioOf("milliseconds"), cpu: ratioOf("cpu") };
    }),
  );
}

function manifests(count) {
  const texts = Array.from({ length: count }, (_, index) => manifestOf(index));
  return inFolders([workspaceOf(texts)], (folder) =>
    ratio(
      () => cpuOf("load", { count, folder }),
      () => cpuOf("parse", { count, folder }),
    ),
  );
}

/** Peak memory of a plan, and of a console over what it recorded. */
function recorded(count) {
  return inFolders([workspaceOf([layers()])], async (folder) => {
    const { megabytes } = await withServer([count], (url) =>
      measuredProgram(folder, ["plan", "--quiet"], { EVENKEEL_URL: url, EVENKEEL_TOKEN: token }),
    );
    const words = [program, "console", "--port", "0"];
    return { plan: megabytes, ...(await listening(words, { cwd: folder, env: { PATH: process.env.PATH } }, visited)) };
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

/** How many times as long as a bare node a line takes, in turns. */
function startUp(...words) {
  const once = (all) => {
    const started = performance.now();
    const { status } = spawnSync(process.execPath, all, { stdio: "ignore" });
    if (status !== 0) throw new Error(`${all.join(" ")} ended with ${status}`);
    return performance.now() - started;
  };
  const pairs = Array.from({ length: 9 }, () => [once([program, ...words]), once(["-e", "0"])]);
  return median(pairs.map(([one]) => one)) / median(pairs.map(([, bare]) => bare));
}

const measures = {
  plans: () => plans(10_000),
  away20: () => scriptAway(500, 20),
  away100: () => scriptAway(100, 100),
  second: () => secondPlan(10_000),
  manifests: () => manifests(10_000),
  recorded: () => recorded(100_000),
  help: () => startUp("--help"),
  validate: () => startUp("validate", "-C", quickstart),
  completion: () => startUp("completion", "bash"),
};

// A bare parse of 10,000 manifests takes 0.6 s where loading them may take 1.5 s, and a bare node starts in 40 ms: limits in
// seconds are multiples of these here.
const targets = [
  ["plan of 10,000 projects, CPU of the bare loop", "plans.floor", "x", "<=", 1.5],
  ["plan of 10,000 projects, speed of the script", "plans.script", "x", ">=", 4],
  ["the same of 500, 20 ms away", "away20", "x", ">=", 4],
  ["the same of 100, 100 ms away", "away100", "x", ">=", 4],
  ["second plan of 10,000, trust-updated-at, time of the bare loop", "second.time", "x", "<=", 1.6],
  ["the same: CPU", "second.cpu", "x", "<=", 1.6],
  ["plan of 100,000 projects: peak memory", "recorded.plan", "MB", "<=", 300],
  ["load and validate 10,000 manifests, CPU of a bare parse", "manifests", "x", "<=", 2.4],
  ["--help, time of a bare node", "help", "x", "<=", 2.8],
  ["validate of three policies, time of a bare node", "validate", "x", "<=", 2.8],
  ["completion, time of a bare node", "completion", "x", "<=", 2.8],
  ["console over 100,000 projects: first page", "recorded.page", "ms", "<=", 50],
  ["the same: peak memory", "recorded.console", "MB", "<=", 150],
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
  print(what, `${value.toFixed(unit === "x" ? 2 : 0)} ${unit}`, `${sign} ${limit}`, isShort ? "**falls short**" : "");
}
console.log(`\n${short === 0 ? "Every target is reached." : `${short} fall short.`}`);
if (short > 0) process.exitCode = 1;
