// npm run bench -- --model [LARGEST]: measures the model's constants, writes them, and holds the model against whole runs.
import { writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { fileURLToPath } from "node:url";
import { measuredPage, measuredRun } from "./measured-run.mjs";
import { line, model } from "./model.mjs";

const file = fileURLToPath(new URL("constants.json", import.meta.url));
const largest = Number(process.argv[3] ?? 100_000);
const plain = { integrations: 5, kinds: 2, latency: 0, rate: 0, workers: 0, change: 0, reads: "verify", apply: false };
const [small, large] = [1000, 30_000];
const medium = 6000;

/** The median of three runs by what they took. */
async function median(asked) {
  const runs = [];
  for (let repeat = 0; repeat < 3; repeat++) runs.push(await measuredRun({ ...plain, ...asked }));
  return runs.sort((one, other) => one.seconds - other.seconds)[1];
}

/** Seconds and memory of a project, and of a run without any. */
async function slopes(asked, counts = [small, large]) {
  const [one, other] = [
    await median({ ...asked, projects: counts[0] }),
    await median({ ...asked, projects: counts[1] }),
  ];
  const through = (name) => line([counts[0], one[name]], [counts[1], other[name]]);
  return { seconds: through("seconds"), megabytes: through("megabytes"), at: [one, other] };
}

async function constants() {
  const wide = await slopes({});
  const narrow = await slopes({ narrow: true, integrations: 1 });
  const trusted = await slopes({ reads: "trust-updated-at" }, [small, medium]);
  const far = await slopes({ latency: 20 }, [small, medium]);
  const crew = await slopes({ workers: 2, latency: 20 }, [small, medium]);
  const written = await median({ projects: large, apply: true, change: 0.2 });

  const page = await measuredPage();
  const requests = plain.integrations + plain.kinds;
  const read = (wide.seconds.slope - narrow.seconds.slope) / (plain.integrations - 1);
  const paging = (away = 0) => (away + page.seconds) / 100;
  const project = wide.seconds.slope - read * requests - paging();
  const inFlight = (0.02 * requests) / (far.seconds.slope - project - paging(0.02));
  const way = { inFlight, share: 0.97 };
  const local = (slope, seconds) => ({
    seconds: Math.max(slope.seconds.slope - seconds, 0),
    megabytes: slope.megabytes.slope,
  });
  return {
    start: wide.seconds.rest,
    queue: Math.max(crew.seconds.rest - far.seconds.rest, 0),
    page: page.seconds,
    read: { cpu: read, ...way },
    write: { cpu: (written.seconds - wide.at[1].seconds) / (large * 0.2), ...way },
    project: {
      read: local(wide, read * requests + paging()),
      trusted: local(trusted, read * plain.kinds + paging()),
      givenOut: local(crew, (0.02 * requests) / (2 * inFlight) + paging(0.02)),
    },
    megabytes: wide.megabytes.rest,
    bytes: await bytes(page.bytes),
  };
}

async function bytes(page) {
  const counted = async (asked) =>
    (await measuredRun({ ...plain, counted: true, projects: 500, ...asked })).megabytesSent * 1e6;
  const [wide, narrow, written] = [
    await counted({}),
    await counted({ narrow: true, integrations: 1 }),
    await counted({ apply: true, change: 1 }),
  ];
  const single = (wide - narrow) / (500 * 4);
  return { single, list: (wide - 500 * 5 * single - 5 * page) / (500 * 2), page, write: (written - wide) / 500 };
}

const checks = [
  { projects: 1000 },
  { projects: 10_000 },
  { projects: 100_000 },
  { projects: 10_000, reads: "trust-updated-at" },
  { projects: 10_000, apply: true, change: 0.1 },
  { projects: 10_000, latency: 20 },
  { projects: 2000, rate: 500 },
  { projects: 10_000, workers: 2, latency: 20 },
];

async function check(asked, measuredConstants) {
  const full = { ...plain, ...asked };
  const [paper, real] = [model(full, measuredConstants), await measuredRun(full)];
  const row = (name, digits) => [paper[name], real[name]].map((number) => Number(number.toFixed(digits)));
  return {
    asked,
    seconds: row("seconds", 2),
    requests: row("requests", 0),
    memory: [paper.memory, real.megabytes].map(Math.round),
  };
}

const measured = await constants();
console.log(measured);
const checked = [];
for (const asked of checks.filter(({ projects }) => projects <= largest)) {
  checked.push(await check(asked, measured));
  const { seconds, requests, memory } = checked.at(-1);
  const told = [
    ["s", seconds],
    ["requests", requests],
    ["MB", memory],
  ].map(([unit, [paper, real]]) => `${paper} ${unit} for ${real}`);
  console.log(`${JSON.stringify(asked)}: ${told.join(", ")} (${(100 * (seconds[0] / seconds[1] - 1)).toFixed(0)} %)`);
}
const { version } = process;
writeFileSync(
  file,
  `${JSON.stringify({ machine: `${cpus().length} cores, Node ${version}`, constants: measured, checked }, null, 2)}\n`,
);
