import { expect, test } from "vitest";
import { apply } from "../../src/run/apply.ts";
import { plan } from "../../src/run/plan.ts";
import type { Applied } from "../../src/run/request.ts";
import { type Scripted, serve, token } from "../client/scripted.ts";
import { workspaceText } from "../e2e/workspace.ts";
import { folder } from "../support/folder.ts";
import { drain, projectMoves } from "./stage.ts";

interface Row {
  readonly [name: string]: unknown;
}

/** A server that answers looks at projects by the POSTs that it heard and the looks since, and lists moves or does not. */
interface Answers {
  readonly projects: (posts: number, looks: number) => readonly Row[] | Scripted;
  readonly moves?: (posts: number, page: string | null) => readonly Row[] | Scripted;
}

async function acting({ projects, moves }: Answers) {
  let posts = 0;
  let looks = 0;
  const server = await serve(({ method, path }): Scripted => {
    if (method === "POST") {
      posts++;
      looks = 0;
      return { status: 202, body: { message: "202 Accepted" } };
    }
    if (path.startsWith("/api/v4/projects?")) return scripted(projects(posts, looks++));
    if (moves && path.startsWith(`/api/v4${projectMoves}`)) {
      return scripted(moves(posts, new URL(path, server.url).searchParams.get("page")));
    }
    return { status: 404, body: { error: "404 Not Found" } };
  });
  const files = folder({
    "evenkeel.yaml": workspaceText({ url: server.url }),
    "drain.yaml": JSON.stringify({ apiVersion: "evenkeel/v1", kind: "StorageMigration", ...drain }),
  });
  const request = { folder: files.root, env: { EVENKEEL_TOKEN: token }, storage: true, pollInterval: 1 };
  return {
    plan: () => plan(request),
    apply: () => apply(request, { approve: async () => true, watchers: [] }),
    posts: () => server.seen.filter(({ method }) => method === "POST"),
  };
}

function scripted(answer: readonly Row[] | Scripted): Scripted {
  return Array.isArray(answer) ? { body: answer } : (answer as Scripted);
}

const on = (storage: string, id = 1): Row => ({ id, path_with_namespace: `a/p${id}`, repository_storage: storage });
const move = (id: number, state: string, more: Row = {}): Row => ({
  id,
  state,
  source_storage_name: "old",
  destination_storage_name: "new",
  project: { id: 1, path_with_namespace: "a/p1" },
  ...more,
});
const outcome = ({ outcomes }: Applied) => outcomes?.get("storage:old/projects");

test("a server that ignores the filter: each row's own field counts", async () => {
  const { plan, apply, posts } = await acting({
    projects: (posts) => [on(posts > 0 ? "new" : "old"), on("new", 2), on("other", 3)],
  });
  const [change] = (await plan()).plan.resource_changes;
  expect(change?.change.before).toEqual({ repository_storage: "old", left_on_source: 1 });
  expect(outcome(await apply())).toEqual({ status: "applied" });
  expect(posts().map(({ body, headers }) => [JSON.parse(body), headers["content-type"]])).toEqual([
    [{ source_storage_name: "old", destination_storage_name: "new" }, "application/json"],
  ]);
  expect((await plan()).plan.resource_changes).toEqual([]);
});

test("a server that says nothing of moves: what stays is scheduled again, and the plan says that nobody can see why", async () => {
  const { apply, posts } = await acting({ projects: (posts) => [on(posts > 1 ? "new" : "old")] });
  const applied = await apply();
  expect(outcome(applied)).toEqual({ status: "applied" });
  expect(posts()).toHaveLength(2);
  expect(applied.plan.warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining("the server does not report running moves"),
  ]);
});

test("cleanup failed has moved, with a warning", async () => {
  const { apply } = await acting({
    projects: (posts, looks) => [on("old", 2), on("old")].slice(posts > 0 ? looks : 0),
    moves: (posts) => (posts > 0 ? [move(5, "cleanup failed"), move(6, "started", { project: { id: 2 } })] : []),
  });
  const applied = await apply();
  expect(outcome(applied)).toEqual({ status: "applied" });
  expect(applied.plan.warnings.map(({ rule, message }) => `${rule} ${message}`)).toEqual([
    "storage-cleanup storage:old/projects: moved, but old copies could not be removed from old: a/p1",
  ]);
});

test("the latest move of a repository counts, on whatever page it stands; a state that nobody knows is running", async () => {
  const { plan } = await acting({
    projects: () => [on("old")],
    moves: (_, page) =>
      page === "2"
        ? { body: [move(9, "constructor"), move(2, "finished")], headers: { "x-next-page": "" } }
        : { body: [move(4, "failed")], headers: { "x-next-page": "2" } },
  });
  expect((await plan()).plan.resource_changes[0]?.action_reason).toBe("1 project on old (a/p1), 1 moving already");
});

test("a look that fails now and then is borne; a refused token ends the watch, not the moves", async () => {
  const borne = await acting({
    projects: (posts, looks) => (posts > 0 && looks === 0 ? { status: 500 } : [on(posts > 0 ? "new" : "old")]),
  });
  expect(outcome(await borne.apply())).toEqual({ status: "applied" });
  const refused = await acting({
    projects: (posts) => (posts > 0 ? { status: 401, body: { message: "401 Unauthorized" } } : [on("old")]),
  });
  expect(outcome(await refused.apply())).toMatchObject({
    status: "unknown",
    error: expect.stringMatching(/could not be monitored.*401/),
  });
  expect(refused.posts()).toHaveLength(1);
});
