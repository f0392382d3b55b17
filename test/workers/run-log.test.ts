import { expect, test } from "vitest";
import type { Chunk } from "../../src/workers/chunks.ts";
import { createRunLog } from "../../src/workers/run-log.ts";

const reading = (count: number) =>
  ({ kind: "read", wants: [], projects: Array.from({ length: count }) }) as unknown as Chunk;
const writing = { kind: "write", batches: [[{}, {}], [{}]] } as unknown as Chunk;

test("a worker logs one line for each run, once that is over", () => {
  const said: string[] = [];
  let now = 0;
  const { count, settle, isOpen } = createRunLog(
    (line) => said.push(line),
    () => now,
  );
  count({ run: "r-1", workspace: "acme", chunk: reading(64) });
  count({ run: "r-2", workspace: "", chunk: reading(1) });
  now = 4200;
  count({ run: "r-1", workspace: "acme", chunk: writing });
  settle(new Set(["r-1", "r-2"]));
  expect(said).toEqual([]);
  settle(new Set(["r-2"]));
  expect(said).toEqual(["Run r-1 of acme: 64 projects read, 3 changes sent in 2 chunks, over 4 s"]);
  expect(isOpen()).toBe(true);
  settle(new Set());
  expect([said.length, said[1], isOpen()]).toEqual([2, "Run r-2: 1 project read in 1 chunk, over 4 s", false]);
});
