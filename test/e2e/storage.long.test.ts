import { describe, expect, test } from "vitest";
import { drain, projectMoves, stage } from "../storage/stage.ts";
import { until } from "../support/until.ts";

test("nothing on a storage that nothing names may be a misspelt one, and is said to be", async () => {
  const { evenkeel } = await stage({ behaviour: "observed" });
  const unknown = await evenkeel("storage", "status", "olds");
  expect(unknown).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}projects {2}0$/m) });
  expect(unknown.stderr).toBe(
    "warning: no project, listed move or manifest names storage olds, so it may not exist; did you mean old?\n",
  );
  await evenkeel("apply", "--storage", "--yes");
  expect(await evenkeel("storage", "status", "old")).toMatchObject({ code: 0, stderr: "" });
});

test("--storage says so where no manifest declares a migration, and a target of moves matches", async () => {
  const idle = await stage({ migrations: [] });
  const planned = await idle.evenkeel("plan", "--storage");
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing to compare") });
  expect(planned.stderr).toContain("warning: --storage plans nothing: no manifest declares a StorageMigration");
  expect((await idle.evenkeel("plan")).stderr).toBe("");
  const { evenkeel } = await stage();
  const targeted = await evenkeel("plan", "--storage", "--target", "storage:old/*");
  expect(targeted).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("~ storage:old/projects") });
  expect((await evenkeel("plan", "--storage", "--target", "storage:odl/*")).stderr).toContain("matches storage:odl/*");
});

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
    const last = await evenkeel("apply", "--storage", "--yes");
    expect(last).toMatchObject({ code: 0, writes: 0 });
  });
});

test("a guard refuses with 3, and sends nothing", async () => {
  const { evenkeel, server } = await stage({ migrations: [{ ...drain, to: "old" }] });
  const planned = await evenkeel("plan", "--storage");
  expect(planned.code).toBe(0);
  expect(planned.stdout).toContain("! storage migration drain: old is both source and destination");
  const applied = await evenkeel("apply", "--storage", "--yes");
  expect(applied.code).toBe(3);
  expect(server.requests.writes).toBe(0);
});

test("storage status of no storage is wrong usage", async () => {
  const { evenkeel } = await stage();
  const { code, stderr } = await evenkeel("storage", "status", "");
  expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining("STORAGE is empty") });
});
