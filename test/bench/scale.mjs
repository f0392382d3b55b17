// npm run bench -- --scale [LARGEST [ROW]]: whole runs of up to 100,000 projects, as docs/scale.md lists them; only ROW.
import { measuredRun } from "./measured-run.mjs";

const largest = Number(process.argv[3] ?? 100_000);
const [, , , , only] = process.argv;
const plain = { latency: 0, rate: 0, workers: 0, change: 0, apply: false, ledger: false };

const runs = {
  "1,000: plan": { projects: 1000 },
  "10,000: plan": { projects: 10_000 },
  "100,000: plan": { projects: 100_000 },
  "100,000: plan, 2 workers": { projects: 100_000, workers: 2 },
  "20,000: first apply with a ledger, 2 % change": { projects: 20_000, ledger: true, apply: true, change: 0.02 },
  "100,000: first apply with a ledger, 2 % change": { projects: 100_000, ledger: true, apply: true, change: 0.02 },
  "100,000: plan, with a ledger": { projects: 100_000, ledger: true },
  "20,000: apply with a ledger, 2 workers, 2 % change": {
    projects: 20_000,
    workers: 2,
    ledger: true,
    apply: true,
    change: 0.02,
  },
  "100,000: apply with a ledger, 2 workers, 2 % change": {
    projects: 100_000,
    workers: 2,
    ledger: true,
    apply: true,
    change: 0.02,
  },
  "10,000: apply, 10 % change": { projects: 10_000, apply: true, change: 0.1 },
  "10,000: plan, 20 ms away": { projects: 10_000, latency: 20 },
  "2,000: plan, limit of 500/s": { projects: 2000, rate: 500 },
  "10,000: plan, 20 ms away, 2 workers": { projects: 10_000, workers: 2, latency: 20 },
};

console.log("| run | requests | seconds | CPU s | peak MB |\n| --- | --- | --- | --- | --- |");
for (const [name, asked] of Object.entries(runs)) {
  if (asked.projects > largest || (only !== undefined && name !== only)) continue;
  const { requests, seconds, cpu, megabytes } = await measuredRun({ ...plain, ...asked });
  console.log(`| ${name} | ${requests} | ${seconds.toFixed(1)} | ${cpu.toFixed(1)} | ${Math.round(megabytes)} |`);
}
