import { beforeAll, describe, expect, test } from "vitest";
import { buildProgram, type Start } from "./build.ts";
import { laws } from "./laws.ts";
import { mutations } from "./mutations.ts";
import { type Ended, simulate } from "./simulation.ts";
import { readWorkspaces, type Workspaces } from "./workspaces.ts";

/** Long for a machine that has other things to do. */
const timeout = 300_000;
let start: Start;
let workspaces: Workspaces;

beforeAll(async () => {
  start = await buildProgram();
  workspaces = await readWorkspaces(start);
});

const sentences = ({ seed, broken }: Ended) =>
  broken.map(({ law, how }) => `${laws[law]}: ${how} (npm run simulate -- --seed ${seed})`);

test("the laws hold in 300 worlds", { timeout }, async () => {
  let writes = 0;
  for (let seed = 1; seed <= 300; seed++) {
    const ended = await simulate({ start, workspaces, seed });
    expect(sentences(ended)).toEqual([]);
    writes += ended.figures.writes;
  }
  expect(writes).toBeGreaterThan(1000);
});

test("a seed is played the same way each time", { timeout }, async () => {
  for (const seed of [1, 2, 3, 5, 8]) {
    const [first, again] = [
      await simulate({ start, workspaces, seed, told: true }),
      await simulate({ start, workspaces, seed, told: true }),
    ];
    expect(first.trace.length).toBeGreaterThan(10);
    expect(again).toEqual(first);
  }
});

describe("a bug that is planted is found:", () => {
  const most = Number(process.env.EVENKEEL_LAW_RUNS ?? 1) > 1 ? 600 : 150;
  const quick = mutations.filter(({ within }) => within <= most);
  test.each(quick)("$name", { timeout }, async ({ patch, within }) => {
    const planted = await buildProgram([patch]);
    let found: Ended | undefined;
    for (let seed = 1; seed <= within && !found; seed++) {
      const ended = await simulate({ start: planted, workspaces, seed });
      if (ended.broken.length > 0) found = ended;
    }
    expect(found).toBeDefined();
  });
});
