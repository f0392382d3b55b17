import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { folder } from "../support/folder.ts";
import { runProgram } from "./program.ts";
import { scene, told } from "./workspace.ts";

const policy = {
  projects: ["p"],
  integrations: {
    slack: { webhook: { secret: "env:HOOK" }, channel: "#x", pipeline_events: true },
    jira: { url: "https://x", username: "u", password: { secret: "env:HOOK" }, jira_issue_transition_id: "3" },
  },
  disabled: ["irker"],
};
const integrations = {
  irker: { recipients: "#a" },
  bamboo: { bamboo_url: "https://ci", build_key: "K", username: "u" },
};

describe("against a server that speaks GitLab's names", () => {
  const gitlab = { dialect: "gitlab", release: "15.6", behaviour: "observed" } as const;
  const site = { dialect: "gitlab", release: "15.6" };
  const setting = { ...gitlab, site, policy, projects: [{ path: "p", integrations }], secrets: { HOOK: "h" } };

  test("routes, addresses, explain and completion speak them", async () => {
    const { evenkeel } = await scene(setting);
    const routes = await evenkeel("routes", "p", "--event", "pipeline", "--report", "json");
    expect(JSON.parse(routes.stdout)).toMatchObject([{ slug: "slack", channel: "#x" }]);
    const target = await evenkeel("plan", "--target", "*:integration/irker", "--report", "json");
    expect(told(target.plan())).toEqual(["disable p:integration/irker"]);
    const explained = (await evenkeel("explain", "jira.jira_issue_transition_id")).stdout;
    expect(explained).toContain("Ignored if jira_issue_transition_automatic is enabled");
    const unknown = await evenkeel("explain", "chat-notifications-a");
    expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
      code: 1,
      stderr:
        'error: there is no integration or kind "chat-notifications-a": that is a name of dialect neutral; here it is slack\n',
    });
    expect((await evenkeel("__complete", "--", "explain", "jira.jira_issue_transition_i")).stdout).toContain("_id\t");
    expect((await evenkeel("__complete", "--", "apply", "--target", "p:")).stdout).toContain("p:integration/slack");
  });

  test("a seed in other names is told where they stand", async () => {
    const { root } = folder({
      "seed.yaml": "projects:\n  - path: p\n    integrations: { irc-gateway: { recipients: x } }\n",
    });
    const ran = await runProgram(["serve", "--dialect", "gitlab", "--seed", "seed.yaml"], root);
    expect(ran).toMatchObject({ code: 1 });
    expect(ran.stderr).toContain("irc-gateway is a name of dialect neutral; in dialect gitlab it is irker");
  });
});

describe("jira, which has no active in this dialect", () => {
  const login = { url: "https://j.example.com", username: "u", password: { secret: "env:HOOK" } };

  test.each([
    ["15.11", 1, []],
    ["16.0", 0, ["create p:integration/jira"]],
  ])("without a user name, release unset, server %s", async (release, code, changes) => {
    const { username: _, ...rest } = login;
    const policy = { projects: ["p"], integrations: { jira: rest } };
    const setting = { release, behaviour: "observed", dialect: "gitlab", site: { dialect: "gitlab" } } as const;
    const { evenkeel } = await scene({ ...setting, secrets: { HOOK: "h" }, policy, projects: [{ path: "p" }] });
    const planned = await evenkeel("plan", "--report", "json");
    expect([planned.code, told(planned.plan())]).toEqual([code, changes]);
    if (code > 0) return;
    expect((await evenkeel("apply", "--yes")).code).toBe(0);
    expect(told((await evenkeel("plan", "--report", "json")).plan())).toEqual([]);
  });
});

test("init --dialect gives a workspace that validates, with the schemas of its names", async () => {
  const { root, read } = folder();
  expect((await runProgram(["init", "--dialect", "gitlab"], root)).code).toBe(0);
  expect(await runProgram(["validate"], root)).toMatchObject({ code: 0, stdout: "Valid: 0 policies.\n" });
  expect(read("policies/example.yaml")).toContain("\n#   bugzilla:\n");
  expect(read("policies/example.yaml")).not.toContain("chat-notifications-a");
  const schema = (place: string) => Object.keys(JSON.parse(readFileSync(join(root, place), "utf8")).properties);
  expect(schema(".evenkeel/schemas/integrations.schema.json")).toContain("jira");
  const other = await runProgram(["schema", "--dialect", "neutral", "other"], root);
  expect({ code: other.code, stderr: other.stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^Wrote other\/\S+\.schema\.json, /),
  });
  expect(schema("other/integrations.schema.json")).not.toContain("jira");
  expect((await runProgram(["schema", "again"], root)).code).toBe(0);
  expect(schema("again/integrations.schema.json")).toContain("jira");
});
