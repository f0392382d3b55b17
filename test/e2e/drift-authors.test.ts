import { expect, test } from "vitest";
import { scene } from "./workspace.ts";

const at = "2026-11-20T14:02:33.000Z";
const event = (details: object, more: object = {}) => ({ author_name: "ada", created_at: at, details, ...more });

/** Drift in a label and in a setting of a project with these audit events. */
function drifted(audit_events: readonly object[], more: object = {}) {
  return scene({
    site: { dialect: "gitlab" },
    dialect: "gitlab",
    ...more,
    projects: [
      {
        path: "g/a",
        audit_events: audit_events as never,
        resources: { labels: [{ name: "bug", color: "#ff0000" }], settings: { merge_method: "ff" } },
      },
      { path: "g/b", resources: { labels: [{ name: "bug", color: "#00ff00" }] } },
    ],
    policies: {
      labels: { projects: ["g/a", "g/b"], labels: { bug: { color: "#00ff00" } } },
      settings: { projects: ["g/a"], settings: { merge_method: "merge" } },
    },
  });
}

const label = "g/a:label/bug";
const settings = "g/a:settings";

test.each([
  ["names the resource", [event({ target_details: "bug" })], [label]],
  ["names it in a sentence", [event({ custom_message: "Updated label bug" })], [label]],
  ["names another one", [event({ target_details: "bugs", custom_message: "debug" })], []],
  ["names the field of a setting", [event({ change: "merge method", from: "merge", to: "ff" })], [settings]],
  ["states another value", [event({ change: "merge_method", to: "rebase_merge" })], []],
  ["has no author", [event({ target_details: "bug" }, { author_name: "" })], []],
])("an author is reported if an event %s", async (_, events, addresses) => {
  const { evenkeel, requests } = await withRequests(await drifted(events));
  const { code, stderr, stdout } = await evenkeel("drift", "--report", "json");
  expect({ code, stderr }).toEqual({ code: 2, stderr: "" });
  const changes: readonly { address: string; changed_by?: object }[] = JSON.parse(stdout).resource_changes;
  expect(changes.filter(({ changed_by }) => changed_by).map(({ address }) => address)).toEqual(addresses);
  for (const { changed_by } of changes) if (changed_by) expect(changed_by).toEqual({ author: "ada", at });
  expect(requests()).toEqual(["GET /projects/g/a/audit_events"]);
});

async function withRequests(run: Awaited<ReturnType<typeof drifted>>) {
  const requests = () => run.asked().filter((line) => line.includes("audit"));
  return { ...run, requests };
}

test("the text names the author, --no-authors asks nothing, and a plan does not either", async () => {
  const { evenkeel, requests } = await withRequests(await drifted([event({ target_details: "bug" })]));
  expect((await evenkeel("drift")).stdout).toContain("changed by ada, 2026-11-20 14:02");
  requests();
  expect((await evenkeel("drift", "--no-authors")).stdout).not.toContain("changed by");
  await evenkeel("plan");
  expect(requests()).toEqual([]);
});

test("a server that tells no authors is reported once, with the next step", async () => {
  const run = await drifted([], { tier: "free" });
  expect((await run.evenkeel("drift")).stderr).toBe(
    "warning: who changed the drifted settings is not known: the server lists no audit events for this token; it needs the premium tier, and the role Maintainer or Owner; --no-authors does not ask\n",
  );
  run.write("evenkeel.yaml", run.read("evenkeel.yaml").replace("server: {", 'server: {"tier":"free",'));
  expect((await run.evenkeel("drift")).stderr).toBe("");
});

test("the embedded server keeps an event for each write", async () => {
  const run = await drifted([]);
  await run.ask("PUT", "/projects/g%2Fa/labels/bug", { json: { color: "#0000ff" } });
  const { json } = await run.ask("GET", "/projects/g%2Fa/audit_events");
  expect(json).toMatchObject([{ author_name: "Administrator", details: { target_details: "bug" } }]);
  expect((await run.evenkeel("drift")).stdout).toContain("changed by Administrator, 20");
});
