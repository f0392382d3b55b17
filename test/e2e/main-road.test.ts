import { describe, expect, test } from "vitest";
import { outcomes, scene, told } from "./workspace.ts";

const links = (path: string) => ({
  project_url: `https://bugs.example.com/${path}`,
  issues_url: `https://bugs.example.com/${path}/:id`,
  new_issue_url: `https://bugs.example.com/${path}/new`,
});

const projects = [
  {
    id: 1,
    path: "pay/core",
    integrations: {
      "irc-gateway": { recipients: "#old", push_events: true },
      "issue-tracker-links-a": { ...links("pay/core"), new_issue_url: "https://bugs.example.com/elsewhere" },
      "external-wiki": { external_wiki_url: "https://wiki.example.com" },
    },
    licenses: { MIT: "allowed", "AGPL-3.0": "approved", WTFPL: "allowed" },
  },
  { id: 2, path: "pay/api", licenses: { mit: "allowed" } },
];

const policy = {
  projects: ["pay/**"],
  integrations: {
    "issue-tracker-links-a": links("${project.path}"),
    "chat-notifications-a": { webhook: { secret: "env:HOOK" }, channel: "#pay", pipeline_events: true },
  },
  disabled: ["irc-gateway"],
  licenses: { MIT: "allowed", "AGPL-3.0": "denied" },
  exclusive: ["licenses"],
};

describe.each(["spec", "observed"] as const)("on a server that behaves as %s", (behaviour) => {
  const begin = () => scene({ projects, policy, behaviour, secrets: { HOOK: "https://chat.example.com/hook" } });

  test("plan shows what differs, apply does it, and the next plan is empty", async () => {
    const { evenkeel } = await begin();
    const planned = await evenkeel("plan", "--report", "json");
    expect(planned).toMatchObject({ code: 0, stderr: "", writes: 0 });
    const expected = [
      "create pay/api:integration/chat-notifications-a",
      "create pay/api:integration/issue-tracker-links-a",
      "create pay/api:license/AGPL-3.0",
      "create pay/core:integration/chat-notifications-a",
      "disable pay/core:integration/irc-gateway",
      "update pay/core:integration/issue-tracker-links-a",
      "update pay/core:license/AGPL-3.0",
      "delete pay/core:license/WTFPL",
    ];
    expect(told(planned.plan())).toEqual(expected);
    const { summary } = planned.plan();
    expect(summary).toMatchObject({ projects: 2, changed_projects: 2, create: 4, update: 2, disable: 1, delete: 1 });
    expect(summary).toMatchObject({ unmanaged: 1, writes: 8, reads: planned.reads });

    const applied = await evenkeel("apply", "--yes", "--report", "json");
    expect(applied).toMatchObject({ code: 0, stderr: "", writes: 8 });
    expect(outcomes(applied.plan())).toEqual(expected.map((line) => line.replace(/^\w+/, "applied")));
    expect(applied.plan().summary.outcomes).toEqual({ applied: 8, failed: 0, skipped: 0, stale: 0, unknown: 0 });

    const again = await evenkeel("plan", "--detailed-exitcode");
    expect(again).toMatchObject({ code: 0, stderr: "", writes: 0 });
    expect(again.stdout).toContain("No changes: 2 projects in sync.");
    const twice = await evenkeel("apply", "--yes");
    expect(twice).toMatchObject({ code: 0, writes: 0 });
  });
});

test("an integration with a parameter of its own called active may be off and in sync", async () => {
  const jira = { url: "https://jira.example.com", username: "bot", password: { secret: "env:JIRA" } };
  const { evenkeel, ask } = await scene({
    projects: [{ id: 1, path: "p" }],
    policy: { projects: [1], integrations: { "issue-tracker-full": jira } },
    secrets: { JIRA: "jira-password" },
  });
  expect((await evenkeel("validate")).stderr).toContain("active");
  const planned = await evenkeel("plan", "--report", "json");
  expect(told(planned.plan())).toEqual(["create 1:integration/issue-tracker-full"]);
  expect((await evenkeel("apply", "--yes")).code).toBe(0);
  expect((await ask("GET", "/projects/1/integrations/issue-tracker-full")).json.active).toBe(false);
  const again = await evenkeel("drift");
  expect(again.code).toBe(0);
  expect(again.requests).toEqual(["GET /projects/1/integrations", "GET /projects/1/integrations/issue-tracker-full"]);
});
