import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Member } from "../../src/state/worker-store.ts";
import type { Chunk } from "../../src/workers/chunks.ts";
import { createRunLog } from "../../src/workers/run-log.ts";

const reading = (count: number) =>
  ({ kind: "read", wants: [], projects: Array.from({ length: count }) }) as unknown as Chunk;
const writing = { kind: "write", batches: [[{}, {}], [{}]] } as unknown as Chunk;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A log, and the runs that the state lists; undefined while it cannot be asked. */
function watched(active: { runs?: readonly string[] }) {
  const said: string[] = [];
  let asked = 0;
  const members = async () => {
    asked++;
    if (!active.runs) throw new Error("away");
    return active.runs.map((id) => ({ id }) as Member);
  };
  return { said, asked: () => asked, log: createRunLog((line) => said.push(line), members) };
}

test("one line for each run, once that is over, and nothing is asked while there is none", async () => {
  const active = { runs: ["r-1", "r-2"] };
  const { said, asked, log } = watched(active);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(0);
  log.count({ run: "r-1", workspace: "acme", chunk: reading(64) });
  log.count({ run: "r-2", workspace: "", chunk: reading(1) });
  await vi.advanceTimersByTimeAsync(3000);
  log.count({ run: "r-1", workspace: "acme", chunk: writing });
  expect(said).toEqual([]);
  active.runs = ["r-2"];
  await vi.advanceTimersByTimeAsync(1000);
  expect(said).toEqual(["Run r-1 of acme: read 64 projects and wrote 3 changes in 2 chunks, over 4 s"]);
  active.runs = [];
  await vi.advanceTimersByTimeAsync(2000);
  expect(said.slice(1)).toEqual(["Run r-2: read 1 project in 1 chunk, over 6 s"]);
  const after = asked();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(after);
});

test("a state that is away keeps the line for later, or for the end of the worker", async () => {
  const active: { runs?: readonly string[] } = {};
  const { said, log } = watched(active);
  log.count({ run: "r-1", workspace: "", chunk: reading(2) });
  await vi.advanceTimersByTimeAsync(5000);
  expect(said).toEqual([]);
  active.runs = [];
  await vi.advanceTimersByTimeAsync(2000);
  expect(said).toHaveLength(1);
  log.count({ run: "r-2", workspace: "", chunk: writing });
  log[Symbol.dispose]();
  expect(said.slice(1)).toEqual(["Run r-2: wrote 3 changes in 1 chunk, over 0 s"]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said).toHaveLength(2);
});
