// npm run soak -- [PROJECTS] [SEED] [SCHEDULE...]: the schedules of schedules.mjs, or those whose names begin so, one after
// another (with --workers N: workers.mjs; with --checks N: looks.mjs; with --takeovers N: takeovers.mjs). Each has to end in sync, without a duplicate, a leak or a lock; figures stand at the end.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { soakLooks } from "./looks.mjs";
import { schedules } from "./schedules.mjs";
import { openStage } from "./stage.mjs";
import { soakTakeovers } from "./takeovers.mjs";
import { soakWorkers } from "./workers.mjs";

const words = process.argv.slice(2);
const [projects = 1000, seed = Date.now() % 100_000] = words.filter((word) => /^\d+$/.test(word)).map(Number);
const names = words.filter((word) => !/^\d+$/.test(word));
const chosen = schedules.filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)));
const folder = mkdtempSync(join(tmpdir(), "evenkeel-soak-"));
const started = performance.now();
const writesPerProject = 5;

function sequence(start) {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(1);
}

function say(text) {
  console.log(`${secondsSince(started).padStart(6)} s  ${text}`);
}

/** A run's own report; undefined where it was killed or refused. */
function reportOf({ stdout }) {
  try {
    return JSON.parse(stdout);
  } catch {
    return undefined;
  }
}

/** The first few things that a run says went wrong. */
function troubleOf(run) {
  const { resource_changes: changes = [] } = reportOf(run) ?? {};
  const lines = changes
    .filter(({ outcome }) => outcome && outcome.status !== "applied")
    .map(({ address, outcome }) => `${address} is ${outcome.status}: ${outcome.message ?? outcome.error ?? ""}`);
  return [...lines.slice(0, 5), run.stderr.trim().slice(0, 1000)].filter(Boolean).join("\n  ");
}

function judgeRun(run, { ends }, wrongs) {
  const { code, stderr, hasLeaked } = run;
  if (hasLeaked) wrongs.push("the secret was printed");
  if (/internal error/.test(stderr)) wrongs.push(stderr.slice(0, 1000));
  if (ends === undefined || code === null || code === ends) return;
  wrongs.push(`a run ended with ${code} in place of ${ends}:\n  ${troubleOf(run)}`);
}

async function oneRound(stage, schedule, { round, count, random, tally }) {
  const { kill, atOnce = 1, share, faults } = schedule;
  stage.gateway.inflict(share, faults);
  if (kill) {
    const most = Math.max(3, count * writesPerProject * kill.within);
    stage.aim(Math.ceil(random() * most), kill.moments[round % kill.moments.length]);
  }
  const ended = await Promise.all(
    Array.from({ length: atOnce }, () => stage.run("apply", "--yes", "--report", "json")),
  );
  // A write that lands when its run is over and the next one has read is nobody's to prevent.
  await stage.gateway.settled();
  for (const run of ended) {
    judgeRun(run, schedule, tally.wrongs);
    tally.runs++;
    if (run.code === null) tally.killed++;
    if (run.stderr.includes("did not finish")) tally.cutShort++;
    if (/another apply/.test(run.stderr + run.stdout)) tally.refused++;
    for (const [name, number] of Object.entries(reportOf(run)?.summary.outcomes ?? {}))
      tally[name] = (tally[name] ?? 0) + number;
  }
  if (schedule.restarts?.includes(round)) await stage.restart();
}

/** Without faults: an apply comes through, and then there is nothing left to do. */
async function settle(stage, tally) {
  stage.gateway.inflict();
  stage.aim(Number.POSITIVE_INFINITY);
  const applied = await stage.run("apply", "--yes", "--report", "json");
  judgeRun(applied, { ends: 0 }, tally.wrongs);
  if (applied.stderr.includes("did not finish")) tally.cutShort++;
  const drift = await stage.run("drift", "--report", "json");
  judgeRun(drift, { ends: 0 }, tally.wrongs);
}

function judgeState({ duplicates, wrong, leaks, locks, intents, outcomes }, overlapping, { wrongs, cutShort }) {
  if (duplicates > 0) wrongs.push(`${duplicates} licenses were created twice`);
  if (wrong > 0) wrongs.push(`${wrong} licenses are not as declared`);
  if (leaks > 0) wrongs.push(`the secret stands in ${leaks} files`);
  if (locks > 0) wrongs.push("a lock was left");
  if (overlapping > 0) wrongs.push(`${overlapping} times a run wrote between the writes of another`);
  if (cutShort === 0 && intents > outcomes) wrongs.push("no run named one that did not finish");
}

async function play(schedule, number) {
  const random = sequence(seed + number);
  const count = Math.max(10, Math.round(projects * schedule.projects));
  const place = join(folder, String(number));
  mkdirSync(place);
  const begun = performance.now();
  const tally = { runs: 0, killed: 0, refused: 0, cutShort: 0, wrongs: [] };
  const stage = await openStage({ folder: place, count, random });
  try {
    for (let round = 0; round < schedule.rounds; round++)
      await oneRound(stage, schedule, { round, count, random, tally });
    await settle(stage, tally);
    const found = await stage.inspect();
    found.duplicates += stage.gateway.figures.duplicates;
    judgeState(found, stage.overlapping(), tally);
    const { requests, writes, faults } = stage.gateway.figures;
    return { schedule, tally, found, count, seconds: secondsSince(begun), requests, writes, faults };
  } finally {
    await stage.close();
  }
}

const columns = {
  schedule: ({ schedule }) => schedule.name,
  projects: ({ count }) => count,
  runs: ({ tally }) => tally.runs,
  killed: ({ tally }) => tally.killed,
  "lock held": ({ tally }) => tally.refused,
  "cut short": ({ tally }) => tally.cutShort,
  requests: ({ requests }) => requests,
  writes: ({ writes }) => writes,
  faults: ({ faults }) => sum(Object.values(faults)),
  applied: ({ tally }) => tally.applied ?? 0,
  failed: ({ tally }) => tally.failed ?? 0,
  unknown: ({ tally }) => tally.unknown ?? 0,
  intents: ({ found }) => found.intents,
  outcomes: ({ found }) => found.outcomes,
  duplicates: ({ found }) => found.duplicates,
  wrong: ({ found }) => found.wrong,
  s: ({ seconds }) => seconds,
};

function table(results) {
  const rows = [
    Object.keys(columns),
    ...results.map((result) => Object.values(columns).map((of) => String(of(result)))),
  ];
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  return rows.map((row) =>
    row.map((cell, at) => (at ? cell.padStart(widths[at]) : cell.padEnd(widths[at]))).join("  "),
  );
}

function faultLine({ schedule, faults }) {
  const told = Object.entries(faults).map(([name, hits]) => `${hits} x ${name}`);
  return `${schedule.name}: ${told.join(", ") || "none"}`;
}

const at = process.argv.indexOf("--workers");
if (at > 0) {
  const workers = Number(process.argv[at + 1]) || 4;
  const [count = 1000, start = seed] = process.argv
    .slice(2)
    .filter((word, index) => /^\d+$/.test(word) && index !== at - 1)
    .map(Number);
  say(`${workers} workers, ${count} projects, seed ${start}`);
  const { wrongs, figures } = await soakWorkers({ folder, projects: count, workers, random: sequence(start), say });
  for (const [name, number] of Object.entries(figures)) console.log(`${name.padEnd(26)}${number}`);
  for (const wrong of wrongs) console.error(`- ${wrong}`);
  if (wrongs.length === 0) rmSync(folder, { recursive: true, force: true });
  process.exit(wrongs.length === 0 ? 0 : 1);
}

const takeoversAt = process.argv.indexOf("--takeovers");
if (takeoversAt > 0) {
  const takeovers = Number(process.argv[takeoversAt + 1]) || 50;
  const { wrongs, figures } = await soakTakeovers({ folder, takeovers, random: sequence(seed), say });
  const { median, longest, told, again } = figures;
  say(
    `${takeovers} takeovers, each within ${median} s (at most ${longest} s); ${told} notifications, ${again} of them sent again`,
  );
  for (const wrong of wrongs) console.log(`  ${wrong}`);
  rmSync(folder, { recursive: true });
  process.exit(wrongs.length > 0 ? 1 : 0);
}

const looksAt = process.argv.indexOf("--checks");
if (looksAt > 0) {
  const looks = Number(process.argv[looksAt + 1]) || 2000;
  const { wrongs, measured, told } = await soakLooks({ folder, looks, say });
  for (const { look, heapUsed, rss, handles } of measured) {
    const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`.padStart(9);
    console.log(
      `${String(look).padStart(6)} looks  heap ${megabytes(heapUsed)}  rss ${megabytes(rss)}  ${handles} handles`,
    );
  }
  console.log(`${told} notifications`);
  for (const wrong of wrongs) console.error(`- ${wrong}`);
  if (wrongs.length === 0) rmSync(folder, { recursive: true, force: true });
  process.exit(wrongs.length === 0 ? 0 : 1);
}

say(`${projects} projects, seed ${seed}`);
const results = [];
for (const [number, schedule] of chosen.entries()) {
  const result = await play(schedule, number);
  results.push(result);
  const { wrongs } = result.tally;
  say(
    `${schedule.name}: ${wrongs.length === 0 ? "held" : `did not hold\n${wrongs.map((wrong) => `- ${wrong}`).join("\n")}`}`,
  );
}
const duplicates = sum(results.map(({ found }) => found.duplicates));
console.log(`\n${table(results).join("\n")}\n\nFaults injected\n${results.map(faultLine).join("\n")}`);
console.log(`\n${duplicates} duplicates, seed ${seed}`);
const isWell = results.length > 0 && results.every(({ tally }) => tally.wrongs.length === 0);
if (isWell) rmSync(folder, { recursive: true, force: true });
else console.error(`The soak went wrong; ${folder} is left`);
process.exitCode = isWell ? 0 : 1;
