import { parseArgs } from "node:util";
import { buildProgram } from "./build.ts";
import type { Told } from "./kernel.ts";
import { type Law, laws } from "./laws.ts";
import { mutations } from "./mutations.ts";
import { type Ended, simulate } from "./simulation.ts";
import { readWorkspaces } from "./workspaces.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    from: { type: "string", default: "1" },
    seed: { type: "string" },
    bugs: { type: "boolean", default: false },
    only: { type: "string", default: "" },
  },
});

const line = ({ at, actor, event }: Told) => `${(at / 1000).toFixed(4).padStart(10)} s  ${actor.padEnd(11)} ${event}`;

function numberIn(name: "seeds" | "from" | "seed", text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`--${name} is ${JSON.stringify(text)}; expected a whole number`);
  return process.exit(64);
}

/** Plays one seed once more, and prints what happens. */
async function tell(seed: number): Promise<Ended> {
  const start = await buildProgram();
  const ended = await simulate({ start, workspaces: await readWorkspaces(start), seed, told: true });
  for (const told of ended.trace) console.log(line(told));
  for (const { law, how } of ended.broken) console.log(`\nBROKEN: ${laws[law]}\n  ${how}`);
  console.log(`\nto repeat it: npm run simulate -- --seed ${seed}`);
  return ended;
}

async function playAll(from: number, count: number): Promise<void> {
  const start = await buildProgram();
  const workspaces = await readWorkspaces(start);
  const broken = new Map<Law, number[]>();
  const sums = { runs: 0, killed: 0, writes: 0, events: 0, milliseconds: 0, afterRelease: 0, latest: 0 };
  const begun = performance.now();
  for (let seed = from; seed < from + count; seed++) {
    const { broken: found, figures } = await simulate({ start, workspaces, seed });
    for (const law of new Set(found.map((each) => each.law))) broken.set(law, [...(broken.get(law) ?? []), seed]);
    for (const name of ["runs", "killed", "writes", "events", "milliseconds"] as const) sums[name] += figures[name];
    sums.afterRelease += figures.afterRelease.writes;
    sums.latest = Math.max(sums.latest, figures.afterRelease.milliseconds);
  }
  const seconds = (performance.now() - begun) / 1000;
  for (const [law, words] of Object.entries(laws)) {
    const seeds = broken.get(law as Law) ?? [];
    const where = seeds.length > 0 ? `: seeds ${seeds.slice(0, 10).join(", ")}` : "";
    console.log(`${seeds.length === 0 ? "held  " : "BROKEN"}  ${words}${where}`);
  }
  console.log(
    `\n${count} seeds from ${from} on, ${(count / seconds).toFixed(1)} a second: ${sums.runs} runs, ${sums.writes} writes,`,
  );
  console.log(
    `${sums.killed} processes killed, ${(sums.milliseconds / 3_600_000).toFixed(1)} simulated hours, ${sums.events} events.`,
  );
  console.log(
    `Writes after a lease that expired or was taken over: ${broken.has("lease") ? "see above" : 0}; after one that a person`,
  );
  console.log(`took away: ${sums.afterRelease}, the last ${Math.round(sums.latest)} ms after it.`);
  const [first] = [...broken.values()].flat().sort((a, b) => a - b);
  if (first === undefined) return;
  process.exitCode = 1;
  console.log(`\nSeed ${first}:`);
  await tell(first);
}

/** How many seeds each of the planted bugs needs until a law is broken: those whose names begin so. */
async function plant(from: number, beginning: string): Promise<void> {
  const workspaces = await readWorkspaces(await buildProgram());
  for (const { name, patch, within } of mutations.filter(({ name }) => name.startsWith(beginning))) {
    const start = await buildProgram([patch]);
    let found: Ended | undefined;
    let seeds = 0;
    while (!found && seeds < within) {
      const ended = await simulate({ start, workspaces, seed: from + seeds++ });
      if (ended.broken.length > 0) found = ended;
    }
    const [first] = found?.broken ?? [];
    if (!first) process.exitCode = 1;
    console.log(
      `${name}: ${first ? `found by seed ${found?.seed}, ${laws[first.law]}: ${first.how.slice(0, 120)}` : `NOT FOUND within ${within} seeds`}`,
    );
  }
}

if (values.seed !== undefined) {
  const { broken } = await tell(numberIn("seed", values.seed));
  if (broken.length > 0) process.exitCode = 1;
} else if (values.bugs) await plant(numberIn("from", values.from), values.only);
else await playAll(numberIn("from", values.from), numberIn("seeds", values.seeds));
