import { expect, test } from "vitest";
import { statusJson, statusText } from "../../src/report/server-texts.ts";
import { plain } from "../../src/report/terminal.ts";
import { remaindersOn } from "../../src/run/storage/storage-view.ts";
import { reader, token as readerToken } from "../client/scripted.ts";
import { eventually } from "../server/serving.ts";
import { projectMoves, seed, snippetMoves, stage } from "./stage.ts";

const json = { source_storage_name: "old", destination_storage_name: "new" };
const tokens = [{ token: readerToken, role: "admin" as const }];

test("counts projects by their own rows, and says what it cannot know", async () => {
  const { server } = await stage({ seed: { ...seed, tokens } });
  const remainders = await remaindersOn(await reader(server.url), "old");
  expect(JSON.parse(statusJson("old", remainders))).toMatchObject({
    storage: "old",
    projects: 2,
    snippets: null,
    groups: null,
    moving: { projects: 0, snippets: null },
    names: { projects: ["a/one", "a/two"] },
  });
  expect(statusText("old", remainders, plain).split("\n")).toEqual([
    "Left on old",
    "  projects  2: a/one, a/two",
    "  snippets  unknown: the server does not list the moves of snippets",
    "  groups    unknown: the server does not list the moves of groups",
  ]);
});

test("where moves are listed: what moves, what failed, and what is known of snippets", async () => {
  const [one, two] = seed.projects ?? [];
  const failing = { ...seed, tokens, projects: [{ ...one, fail_moves: 1 }, { ...two }] } as typeof seed;
  const begun = async (moveDuration: number) => {
    const { ask, server } = await stage({ behaviour: "observed", seed: failing, moveDuration });
    for (const moves of [projectMoves, snippetMoves]) await ask("POST", moves, { json });
    return { ask, client: await reader(server.url) };
  };
  const [projects, snippets] = await remaindersOn((await begun(3_600_000)).client, "old");
  expect(projects).toMatchObject({ left: 2, moving: 2, failed: 0 });
  expect(snippets).toMatchObject({ left: 1, moving: 1, names: ["snippet 7"] });
  const { ask, client } = await begun(20);
  await eventually(
    () => ask("GET", projectMoves),
    ({ json }) => json.every(({ state }: { state: string }) => ["finished", "failed"].includes(state)),
  );
  await eventually(
    () => ask("GET", snippetMoves),
    ({ json }) => json.every(({ state }: { state: string }) => state === "finished"),
  );
  const after = await remaindersOn(client, "old");
  expect(after.map(({ left, failed }) => [left, failed])).toEqual([
    [1, 1],
    [0, 0],
    [0, 0],
  ]);
  expect(statusText("old", after, plain)).toContain("projects  1 (1 failed to move): a/one");
  expect((await remaindersOn(client, "new")).map(({ left }) => left)).toEqual([1, 1, 0]);
});
