import { afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { postgresState } from "../../src/state/postgres-store.ts";
import { listRuns, recordRun } from "../../src/state/run-summary.ts";
import { withDatabase } from "../state/databases.ts";
import { summary } from "../state/laws.ts";
import { type Meter, metered } from "../support/database-meter.mjs";
import { planned, planWith } from "../support/plans.ts";
import { consoleOver, drifted, fleet, keepDays, seen, seenBy } from "./serving.ts";

await withDatabase("a console over a state that machines share", (database) => {
  let meter: Meter;

  beforeAll(async () => {
    meter = await metered(database.port);
    return meter.close;
  });

  afterEach(() => void vi.useRealTimers());

  const opened = (port: number) =>
    postgresState(database.url().replace(`:${database.port}/`, `:${port}/`), "EVENKEEL_STATE", "acme", {});

  /** What a page asks of the state a while after the one before it. */
  async function asking(get: (path: string) => Promise<Response>, path: string) {
    vi.setSystemTime(Date.now() + 3000);
    meter.taken();
    const answer = await get(path);
    expect([path, answer.status]).toEqual([path, 200]);
    const text = await answer.text();
    return { ...meter.taken(), text };
  }

  test("asks a page's few questions, and reads nothing twice that has not changed", async () => {
    const state = await opened(database.port);
    onTestFinished(() => state[Symbol.asyncDispose]());
    await keepDays(state, fleet(500), 60);
    const runs = (await listRuns(state)).map(({ run }) => run).slice(0, 20);
    const plan = planWith({
      changes: Array.from({ length: 200 }, (_, index) => planned(`p/${index}`, "irc-gateway", "update")),
    });
    for (const run of runs) await state.put("plans", [[run, JSON.stringify(plan)]]);
    const { root } = await seenBy([]);
    const { get } = await consoleOver(root, undefined, () => opened(meter.port));
    // A page waits for the check of the state that it began, however long that takes.
    vi.useFakeTimers({ toFake: ["Date", "setTimeout"] });

    for (const path of ["/", "/?status=drifted", "/fleet.json", "/runs", "/search?q=project-7"]) {
      const { statements, bytes } = await asking(get, path);
      expect([path, statements, bytes < 25_000]).toEqual([path, 5, true]);
    }
    const project = await asking(get, "/projects/group-1/team-1/project-1");
    expect([project.statements, project.bytes < 30_000]).toEqual([6, true]);

    expect(await asking(get, "/review")).toMatchObject({ statements: 5 + 3 + runs.length });
    const again = await asking(get, "/review");
    expect([again.statements, again.bytes < 30_000]).toEqual([5 + 3, true]);
    expect(await asking(get, `/runs/${runs[0]}`)).toMatchObject({ statements: 5 + 2 });

    await recordRun(state, summary("r-new", { started: new Date().toISOString() }));
    const later = await asking(get, "/runs");
    expect([later.statements, later.bytes < 30_000]).toEqual([6, true]);
    expect((await asking(get, "/runs")).text).toContain("r-new");
    await keepDays(state, [seen("new/project", [drifted("new/project")])], 1);
    await asking(get, "/");
    expect((await asking(get, "/")).text).toContain("new/project");
  });
});
