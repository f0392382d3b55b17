import { expect, test } from "vitest";
import { folderState } from "../../src/state/folder-store.ts";
import { listRuns } from "../../src/state/run-summary.ts";
import { allSnapshots } from "../state/observations.ts";
import { scene } from "./workspace.ts";

const names = ["p", "q", "r"];
const projects = names.map((path) => ({ path, licenses: { MIT: "allowed" } }));
const saying = (MIT: string, some = names) => ({ projects: some, licenses: { MIT } });

async function setUp() {
  const stage = await scene({ projects, policy: saying("allowed") });
  const state = folderState(stage.root);
  const seen = async () => {
    const all = (await allSnapshots(state)).map(({ project, syncStatus }) => [project, syncStatus]);
    return Object.fromEntries(all.sort());
  };
  return { ...stage, state, seen };
}

test("what the manifests change is pending until it is applied; what the server changes is drift", async () => {
  const { evenkeel, policy, ask, seen, state } = await setUp();
  const planned = await evenkeel("plan");
  expect(await seen()).toEqual({ p: "in sync", q: "in sync", r: "in sync" });
  policy(saying("denied"));
  expect(await evenkeel("drift")).toMatchObject({ reads: planned.reads });
  expect(await seen()).toEqual({ p: "pending", q: "pending", r: "pending" });
  await evenkeel("apply", "--yes", "--target", "p");
  expect(await seen()).toEqual({ p: "in sync", q: "pending", r: "pending" });
  await evenkeel("plan", "--out", "plan.json");
  await evenkeel("apply", "plan.json");
  expect(await seen()).toEqual({ p: "in sync", q: "in sync", r: "in sync" });

  await ask("PATCH", "/projects/q/managed_licenses/MIT", { form: { approval_status: "allowed" } });
  await evenkeel("plan");
  expect(await seen()).toEqual({ p: "in sync", q: "drifted", r: "in sync" });
  const q = (await allSnapshots(state)).find(({ project }) => project === "q");
  expect(q).toMatchObject({
    entries: [{ key: "MIT", fields: { approval_status: "denied" }, policy: "all", file: "all.yaml", line: 5 }],
    differences: [{ rest: "license/MIT", before: { approval_status: "allowed" }, cause: "drift", line: 5 }],
  });
  expect((await listRuns(state))[0]?.fleet).toEqual({ "in sync": 2, pending: 0, drifted: 1, unreadable: 0 });
});

test("a project that nobody selects any more is forgotten, and one that cannot be read is told as such", async () => {
  const { evenkeel, policy, seen } = await setUp();
  await evenkeel("plan");
  policy(saying("allowed", ["p", "gone"]));
  await evenkeel("plan", "--target", "p");
  expect(await seen()).toEqual({ p: "in sync", q: "in sync", r: "in sync" });
  await evenkeel("plan");
  expect(await seen()).toEqual({ gone: "unreadable", p: "in sync" });
});
