import { expect, test } from "vitest";
import { decidePush } from "../../src/watch/checkout.ts";
import { stage } from "../support/stage.ts";
import { until } from "../support/until.ts";
import { watching } from "./watching.ts";

const system = { "x-gitlab-event": "System Hook" };
const rename = {
  event_name: "project_rename",
  path_with_namespace: "team/new",
  old_path_with_namespace: "team/old",
  project_id: 7,
};

test.each([
  [rename, ["team/new", "7"]],
  [{ event_name: "project_create", path_with_namespace: "team/p", project_id: 1 }, ["team/p", "1"]],
  [{ event_name: "user_add_to_team", project_path_with_namespace: "team/p" }, ["team/p"]],
  [{ event_name: "project_transfer" }, undefined],
])("the system hook %j checks the project at once", (payload, project) => {
  expect(decidePush(system, payload, {})).toMatchObject({ check: true, ...(project && { project }) });
});

test.each([
  [{ event_name: "user_create" }, "the event does not change the settings of a project"],
  [{ event_name: "push", ref: "refs/heads/x" }, "the push is to another branch"],
])("the system hook %j checks nothing", (payload, why) => {
  expect(decidePush(system, payload, { branch: "refs/heads/main" })).toMatchObject({ check: false, why });
});

test("only the project of an event is checked, and one that no policy selects is no problem", async () => {
  const projects = [{ path: "team/p" }, { path: "team/q" }];
  const run = await stage({ projects, policy: { projects: ["team/*"], licenses: { MIT: "denied" } } });
  const watcher = watching(run, { checks: 3 });
  await until(() => watcher.ends.length > 0);
  run.asked();
  for (const names of [
    ["team/q", "2"],
    ["other/z", "9"],
  ]) {
    const before = watcher.ends.length;
    watcher.status.push = { at: watcher.clock.now(), projects: names };
    watcher.status.wake();
    await until(() => watcher.ends.length > before);
  }
  await watcher.ended;
  const [, ofProject, ofNone] = watcher.ends;
  expect(ofProject?.plan.resource_changes.map(({ project }) => project)).toEqual(["team/q"]);
  expect(ofNone).toMatchObject({ plan: { resource_changes: [], problems: [] }, whole: false });
});
