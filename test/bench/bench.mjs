// npm run bench: how fast a fleet is loaded, validated and planned, beside the floor and beside a peer.
import { spawnSync } from "node:child_process";
import { layers, manifestOf } from "./fleet.mjs";
import { inFolders, measuredKind, median, program, withServer, workspaceOf } from "./processes.mjs";

const others = { "--scale": "./scale.mjs", "--check": "./check.mjs" };
const other = others[process.argv[2]];
if (other) {
  await import(other);
  process.exit();
}
const counts = (process.argv[2] ?? "100,1000,10000").split(",").map(Number);
const repeats = Number(process.argv[3] ?? 3);

const middle = (runs) => runs.toSorted((a, b) => a.milliseconds - b.milliseconds)[Math.floor(runs.length / 2)];

/** In turn, since a machine's pace changes within minutes; the peer, which takes the longest, once. */
async function inTurn(kinds, askedOf, times = repeats) {
  const runs = Object.fromEntries(kinds.map((kind) => [kind, []]));
  for (let turn = 0; turn < times; turn++)
    for (const kind of kinds)
      if (kind !== "peer" || turn === 0)
        runs[kind].push(await measuredKind(kind.replace("plans", "plan"), askedOf(kind)));
  return Object.fromEntries(kinds.map((kind) => [kind, middle(runs[kind])]));
}

async function rowsFor(count, latency, kinds, times) {
  const manifests = Array.from({ length: count }, (_, index) => manifestOf(index));
  return inFolders([workspaceOf([layers()]), workspaceOf(manifests)], (layered, single) =>
    withServer([count, latency], async (url) => {
      const folders = { load: single, plan: layered, plans: single };
      const figures = await inTurn(kinds, (kind) => ({ url, count, folder: folders[kind] }), times);
      const label = latency ? `${count}, ${latency} ms away` : count;
      return kinds.map((kind) => rowOf(label, count, kind, figures[kind], figures.floor));
    }),
  );
}

/** A server that slows down under load: what the plan finds, beside each fixed ceiling. */
async function underLoad(count, knee) {
  return inFolders([workspaceOf([layers()])], (folder) =>
    withServer([count, 20, knee], async (url) => {
      const rows = [];
      for (const fixed of ["", "8", "16", "32"]) {
        const { milliseconds } = await measuredKind("plan", { url, count, folder, fixed });
        rows.push(`${fixed || "auto"} ${(milliseconds / 1000).toFixed(2)} s`);
      }
      return rows.join(", ");
    }),
  );
}

const names = {
  load: "load and validate one manifest per project",
  plan: "**plan**, from layers",
  plans: "plan, from one manifest per project",
  floor: "floor: the same GETs, bare undici",
  peer: "peer: client library, p-limit 10",
};

function rowOf(label, count, kind, { milliseconds, requests, cpu, megabytes }, floor) {
  const seconds = milliseconds / 1000;
  const rate = requests ? Math.round(requests / seconds) : "";
  const ratio = requests ? (milliseconds / floor.milliseconds).toFixed(2) : "";
  const cells = [label, names[kind], seconds.toFixed(2), Math.round(count / seconds), requests || "", rate];
  return [...cells, cpu.toFixed(2), Math.round(megabytes), ratio];
}

function startUp(...words) {
  const times = Array.from({ length: 15 }, () => {
    const started = performance.now();
    spawnSync(process.execPath, words, { stdio: "ignore" });
    return performance.now() - started;
  });
  return median(times);
}

const header = ["projects", "what", "s", "projects/s", "requests", "requests/s", "CPU s", "peak MB", "x floor"];
const print = (cells) => console.log(`| ${cells.join(" | ")} |`);
print(header);
print(header.map(() => "---"));
for (const count of counts) (await rowsFor(count, 0, Object.keys(names))).forEach(print);
for (const [latency, count] of [
  [20, 1000],
  [100, 300],
])
  (await rowsFor(Math.min(count, counts.at(-1)), latency, ["plan", "floor", "peer"], 1)).forEach(print);

console.log(`\n250 projects, 20 ms away, slower the more are in flight, knee at 16: ${await underLoad(250, 16)}.`);

const bare = startUp("-e", "0");
const help = startUp(program, "--help");
console.log(
  `\nStart-up: node -e 0 ${bare.toFixed(0)} ms, evenkeel --help ${help.toFixed(0)} ms (${(help / bare).toFixed(2)} times).`,
);
