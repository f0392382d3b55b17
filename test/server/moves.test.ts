import { expect, test } from "vitest";
import type { Seed } from "../../src/server/seed.ts";
import type { ServerOptions } from "../../src/server/server.ts";
import { eventually, serving } from "./serving.ts";

const seed: Seed = {
  projects: [
    { id: 1, path: "a/one", repository_storage: "old" },
    { id: 2, path: "a/two", repository_storage: "old", fail_moves: 1 },
  ],
  snippets: [{ id: 7, repository_storage: "old" }],
  groups: [{ id: 8, path: "a", repository_storage: "old" }],
  storages: ["new", { name: "cluster", cluster: true }],
};
const names = { source_storage_name: "old", destination_storage_name: "new" };
const quick: ServerOptions = { seed, moveDuration: 15 };
const left = "/projects?repository_storage=old";

test("projects are read-only while they move, and then are on the new storage; failed ones move when asked again", async () => {
  const { ask } = await serving(quick);
  const accepted = await ask("POST", "/project_repository_storage_moves", { json: names });
  expect([accepted.status, accepted.json]).toEqual([202, { message: "202 Accepted" }]);
  expect(
    (await ask("GET", left)).json.map(
      (project: object) => "repository_read_only" in project && project.repository_read_only,
    ),
  ).toEqual([true, true]);
  const remaining = await eventually(
    () => ask("GET", left),
    ({ json }) => json.length === 1 && !json[0].repository_read_only,
  );
  expect(remaining.json[0].path_with_namespace).toBe("a/two");
  await ask("POST", "/project_repository_storage_moves", { json: names });
  await eventually(
    () => ask("GET", left),
    ({ json }) => json.length === 0,
  );
  expect((await ask("GET", "/projects?repository_storage=new")).json).toHaveLength(2);
  expect((await ask("POST", "/project_repository_storage_moves", { json: names })).status).toBe(202);
});

test("deployed servers list moves of each kind, newest first, with their states", async () => {
  const { ask } = await serving({ ...quick, behaviour: "observed" });
  await ask("POST", "/project_repository_storage_moves", { json: names });
  const listed = await eventually(
    () => ask("GET", "/project_repository_storage_moves"),
    ({ json }) => json.every(({ state }: { state: string }) => state === "finished" || state === "failed"),
  );
  expect(listed.json).toMatchObject([
    { id: 2, state: "failed", project: { id: 2 }, source_storage_name: "old", destination_storage_name: "new" },
    { id: 1, state: "finished", project: { path_with_namespace: "a/one" } },
  ]);
  await ask("POST", "/group_repository_storage_moves", { json: { source_storage_name: "old" } });
  expect((await ask("GET", "/group_repository_storage_moves")).json[0].group.name).toBe("a");
});

test.each([
  ["14.1", {}, "failed"],
  ["14.1", { direct_fetch_replication: true }, "finished"],
  ["14.2", {}, "finished"],
])("into a cluster on release %s with %j: %s", async (release, features, state) => {
  const { ask } = await serving({ ...quick, seed: { ...seed, features }, release, behaviour: "observed" });
  await ask("POST", "/snippet_repository_storage_moves", { json: { ...names, destination_storage_name: "cluster" } });
  const done = ["finished", "failed"];
  const { json } = await eventually(
    () => ask("GET", "/snippet_repository_storage_moves"),
    ({ json: [move] }) => done.includes(move.state),
  );
  expect(json[0].state).toBe(state);
});

test("a move that cannot remove the old copy has moved all the same, and is listed as such", async () => {
  const copying: Seed = {
    projects: [{ id: 1, path: "a/one", repository_storage: "old", leave_copy: true }],
    storages: ["new"],
  };
  const { ask } = await serving({ seed: { ...copying, move_duration: 15 }, behaviour: "observed" });
  await ask("POST", "/project_repository_storage_moves", { json: names });
  const { json } = await eventually(
    () => ask("GET", "/project_repository_storage_moves"),
    ({ json: [move] }) => move.state === "cleanup failed",
  );
  expect([json.length, (await ask("GET", left)).json]).toEqual([1, []]);
});
