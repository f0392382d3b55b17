import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Asked, type Cost, model } from "../bench/model.mjs";
import { root } from "../readme.ts";

interface Measured {
  readonly machine: string;
  readonly constants: object;
  /** What the model said, and what a run took. */
  readonly checked: readonly {
    readonly asked: Partial<Asked>;
    readonly seconds: readonly [number, number];
    readonly requests: readonly [number, number];
    readonly memory: readonly [number, number];
  }[];
}

const { machine, constants, checked } = JSON.parse(
  readFileSync(join(root, "test/bench/constants.json"), "utf8"),
) as Measured;

const plain: Asked = {
  ...{ projects: 0, integrations: 5, kinds: 2, latency: 20, rate: 0, workers: 0, change: 0.01 },
  ...{ reads: "verify", apply: false },
};
const sizes = [1000, 10_000, 100_000, 1_000_000];
const perMinute = (requests: number) => requests / 60;

const costOf = (asked: Partial<Asked>): Cost => model({ ...plain, ...asked }, constants);

/** The tables of docs/scale.md by the names in its markers. */
export const tables: Readonly<Record<string, () => string>> = {
  wire: () =>
    table(
      ["projects", "requests", "MB", "with `trust-updated-at`", "MB"],
      sizes.map((projects) => {
        const [all, few] = [costOf({ projects }), costOf({ projects, reads: "trust-updated-at" })];
        return [
          number(projects),
          number(all.requests),
          round(all.megabytes),
          number(few.requests),
          round(few.megabytes),
        ];
      }),
    ),
  time: () =>
    table(
      ["projects", "no limit", "10,000/min", "2,000/min", "2,000/min, `trust-updated-at`"],
      sizes.map((projects) => [
        number(projects),
        told({ projects }),
        told({ projects, rate: perMinute(10_000) }),
        told({ projects, rate: perMinute(2000) }),
        told({ projects, rate: perMinute(2000), reads: "trust-updated-at" }),
      ]),
    ),
  apply: () =>
    table(
      ["projects", "0.1 % change", "1 % change", "10 % change", "10 % change, 2,000/min"],
      sizes.map((projects) => [
        number(projects),
        ...[0.001, 0.01, 0.1].map((change) => told({ projects, apply: true, change })),
        told({ projects, apply: true, change: 0.1, rate: perMinute(2000) }),
      ]),
    ),
  workers: () =>
    table(
      ["projects", "alone", "2 workers", "4 workers", "8 workers", "memory alone", "memory of the run with workers"],
      sizes.map((projects) => [
        number(projects),
        ...[0, 2, 4, 8].map((workers) => told({ projects, workers })),
        memory(costOf({ projects }).memory),
        memory(costOf({ projects, workers: 2 }).memory),
      ]),
    ),
  checked: () =>
    table(
      ["run", "seconds: model", "measured", "", "MB: model", "measured"],
      checked.map(({ asked, seconds: [paper, real], memory: [some, peak] }) => [
        run(asked),
        paper.toFixed(1),
        real.toFixed(1),
        percent(paper / real - 1),
        number(some),
        number(peak),
      ]),
    ),
  machine: () => `Measured on: ${machine}.`,
};

function told(asked: Partial<Asked>): string {
  const { seconds, limit } = costOf(asked);
  return `${duration(seconds)} (${limit})`;
}

function run({ projects = 0, ...asked }: Partial<Asked>): string {
  const words = [
    asked.apply ? `apply, ${percent(asked.change ?? 0).slice(1)} change` : "plan",
    asked.reads === "trust-updated-at" && "`trust-updated-at`",
    asked.latency && `${asked.latency} ms away`,
    asked.rate && `limit of ${asked.rate}/s`,
    asked.workers && `${asked.workers} workers`,
  ];
  return `${number(projects)}: ${words.filter(Boolean).join(", ")}`;
}

const percent = (share: number) => `${share < 0 ? "-" : "+"}${Math.abs(Math.round(share * 100))} %`;
const number = (count: number) => Math.round(count).toLocaleString("en-US");
const round = (value: number) => number(value < 10 ? Math.ceil(value) : Number(value.toPrecision(2)));
const memory = (megabytes: number) =>
  megabytes < 1000 ? `${round(megabytes)} MB` : `${(megabytes / 1000).toPrecision(2)} GB`;

function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toPrecision(2)} h`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
