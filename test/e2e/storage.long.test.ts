import { describe, expect, test } from "vitest";
import { projectMoves, stage } from "../storage/stage.ts";
import { until } from "../support/until.ts";

describe("the main road", () => {
  test("an interrupted apply ends with 130; a killed one is named; neither is scheduled twice", async () => {
    const { evenkeel, begin, scheduled } = await stage({ moveDuration: 30_000 });
    const interrupted = begin("apply", "--storage", "--yes");
    await until(() => scheduled().length > 0);
    interrupted.kill("SIGINT");
    const first = await interrupted.ended;
    expect(first.code).toBe(130);
    expect(first.stdout).toContain("apply --storage resumes following them");
    const killed = begin("apply", "--storage", "--yes");
    await until(() => killed.said().includes("2 moving already"));
    killed.kill("SIGKILL");
    await killed.ended;
    expect(scheduled()).toEqual([projectMoves]);
    const timed = await evenkeel("apply", "--storage", "--yes", "--timeout", "200ms");
    expect(timed).toMatchObject({ code: 1, writes: 0 });
    expect(await evenkeel("apply", "--storage", "--yes")).toMatchObject({ code: 0, writes: 0 });
  });
});
