import type { Seed } from "../../src/server/seed.ts";
import * as support from "../support/stage.ts";

export const drain = { name: "drain", from: "old", to: "new", repositories: ["projects"] };

export const seed: Seed = {
  projects: [
    { id: 1, path: "a/one", repository_storage: "old" },
    { id: 2, path: "a/two", repository_storage: "old" },
    { id: 3, path: "a/three", repository_storage: "new" },
  ],
  snippets: [{ id: 7, repository_storage: "old" }],
  groups: [{ id: 8, path: "a", repository_storage: "old" }],
  storages: ["old", "new"],
};

/** A workspace of storage migrations and a server on which moves take an instant. */
export async function stage(setting: support.Setting = {}) {
  const request = { storage: true, pollInterval: 2 };
  const made = await support.stage({ migrations: [drain], seed, moveDuration: 30, ...setting, request });
  const posts = () => made.server.requests.kept.filter(({ method }) => method === "POST");
  return { ...made, scheduled: () => posts().map(({ path }) => path.replace("/api/v4", "")) };
}

export const projectMoves = "/project_repository_storage_moves";
export const snippetMoves = "/snippet_repository_storage_moves";
export const groupMoves = "/group_repository_storage_moves";
