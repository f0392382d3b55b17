import { describe, expect, test } from "vitest";
import type { MovingProgress } from "../../src/run/request.ts";
import {
  type Attempts,
  advance,
  countRequest,
  createTally,
  type Decision,
  decide,
} from "../../src/run/storage/follow-moves.ts";
import { maxRepeats } from "../../src/run/storage/moves.ts";
import { type ListedMove, type Situation, situationOf } from "../../src/run/storage/storage-view.ts";

const fresh: Attempts = {
  scheduled: 0,
  repeats: maxRepeats,
  mayRun: false,
  unanswered: undefined,
  quietReads: 0,
  seen: undefined,
};
const still: Situation = { left: ["a/one"], running: 0, failed: [], moved: [], unclean: [], reportsMoves: true };

/** What is decided look after look; a scheduling is answered. */
function decisions(start: Attempts, situations: readonly Situation[]): Decision[] {
  let attempts = start;
  return situations.map((situation) => {
    attempts = advance(attempts, situation);
    const decision = decide(attempts, situation);
    if (decision === "schedule") attempts = countRequest(attempts);
    return decision;
  });
}

const looks = (count: number, situation: Situation) => Array.from({ length: count }, () => situation);
const countOf = (list: readonly Decision[], decision: Decision) => list.filter((each) => each === decision).length;

describe("projects", () => {
  test("what runs already is never scheduled, however long it takes", () => {
    expect(new Set(decisions(fresh, looks(500, { ...still, running: 1 })))).toEqual(new Set(["wait"]));
  });

  test.each([true, false])(
    "what stays is scheduled again a bounded number of times (reportsMoves: %s)",
    (reportsMoves) => {
      const list = decisions(fresh, looks(400, { ...still, reportsMoves, failed: reportsMoves ? ["a/one"] : [] }));
      const end = list.findIndex((each) => each !== "wait" && each !== "schedule");
      expect(list[end]).toBe(reportsMoves ? "failed" : "unknown");
      expect(countOf(list.slice(0, end), "schedule")).toBe(1 + maxRepeats);
      const waits = list.slice(0, end).join(" ").split("schedule").slice(1);
      const lengths = waits.map((text) => text.split("wait").length - 1);
      expect(lengths).toEqual([...lengths].sort((a, b) => a - b));
      expect(new Set(lengths).size).toBe(lengths.length);
    },
  );
});

describe("a look", () => {
  const move = (id: string, phase: ListedMove["phase"], more: Partial<ListedMove> = {}): ListedMove => {
    return { id, repository: id, name: `snippet ${id}`, from: "old", to: "new", phase, unclean: false, ...more };
  };

  test("counts moves of this source, but those that had ended before", () => {
    const moves = [
      move("1", "failed"),
      move("2", "moved", { unclean: true }),
      move("3", "running"),
      move("4", "failed"),
    ];
    const elsewhere = move("5", "running", { from: "other" });
    expect(situationOf({ held: undefined, moves: [...moves, elsewhere] }, "old", "new", new Set(["1"]))).toEqual({
      left: undefined,
      running: 1,
      failed: ["snippet 4"],
      moved: ["snippet 2"],
      unclean: ["snippet 2"],
      reportsMoves: true,
    });
  });

  test.each([
    [true, 1, true],
    [false, 0, true],
    [undefined, 0, false],
  ])("takes read-only %s for %i moving", (readOnly, running, reportsMoves) => {
    const held = [{ id: "1", path: "a/one", readOnly }];
    expect(situationOf({ held, moves: undefined }, "old", "new")).toMatchObject({
      left: ["a/one"],
      running,
      reportsMoves,
    });
  });
});

test("time left is estimated from what this run moved, not from what was moved before it", () => {
  const seen: MovingProgress[] = [];
  const tally = createTally((progress) => void seen.push(progress));
  const moves = { ...still, left: undefined, running: 2, moved: ["1", "2", "3"] };
  tally("storage:old/snippets", moves);
  tally("storage:old/snippets", { ...moves, running: 1, moved: ["1", "2", "3", "4"] });
  expect(seen).toEqual([
    { done: 3, total: 5, remaining: undefined },
    { done: 4, total: 5, remaining: expect.any(Number) },
  ]);
});
