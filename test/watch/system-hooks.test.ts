import { expect, test } from "vitest";
import { adaptiveCard, takesCards } from "../../src/watch/adaptive-card.ts";
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
  expect(decidePush(system, payload, { prefix: "" })).toMatchObject({ check: true, ...(project && { project }) });
});

test.each([
  [{ event_name: "user_create" }, "the event does not change the settings of a project"],
  [{ event_name: "push", ref: "refs/heads/x" }, "the push is to another branch"],
])("the system hook %j checks nothing", (payload, why) => {
  expect(decidePush(system, payload, { prefix: "", ref: "refs/heads/main" })).toMatchObject({ check: false, why });
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

test("Teams gets an Adaptive Card with the text, the counts and a link", () => {
  const url = "https://console.example.com/runs/R";
  const counts = { projects: 2, drift: 1, pending: 0, problems: 0, addresses: 1 };
  const text = `payments: drift: 1 resource differs\n- a: b is c\n- d\n${url}`;
  const { attachments } = adaptiveCard({ text, counts, url }) as { attachments: readonly { content: object }[] };
  expect(attachments[0]?.content).toMatchObject({
    type: "AdaptiveCard",
    body: [
      { type: "TextBlock", text: "payments: drift: 1 resource differs", wrap: true },
      { type: "TextBlock", text: "- a: b is c\n\n- d" },
      { type: "FactSet", facts: expect.arrayContaining([{ title: "drift", value: "1" }]) },
    ],
    actions: [{ type: "Action.OpenUrl", title: "Open in the console", url }],
  });
});

test.each([
  [{}, "https://prod-01.westeurope.logic.azure.com/x", true],
  [{}, "https://chat.example.com/logic.azure.com", false],
  [{ format: "teams" as const }, "https://chat.example.com/", true],
  [{ format: "chat" as const }, "https://a.webhook.office.com/x", false],
])("a receiver %j at %s takes cards: %s", (to, url, expected) => {
  expect(takesCards(to, new URL(url))).toBe(expected);
});
