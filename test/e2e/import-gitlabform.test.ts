import { describe, expect, test } from "vitest";
import { seededAs } from "../import/seeded.ts";

const canary = "CANARY-of-a-hook-0123456789";
const hook = `https://chat.example.com/${canary}`;

/** What teams write: something for all, a group that changes one value of it, a subgroup, exceptions, skips. */
const configuration = `
config_version: 4
gitlab: { url: https://gitlab.example.com, token: ${canary}-token }
skip_projects: [payments/legacy]
skip_groups: [attic]
projects_and_groups:
  "*":
    integrations:
      slack: &chat
        webhook: ${hook}
        channel: "#all"
        active: true
        pipeline_events: true
      pipelines-email: { recipients: "ops@example.com", notify_only_broken_pipelines: false }
  payments/*:
    files: { a: {} }
    integrations:
      slack: { channel: "#payments" }
      jira: { url: https://jira.example.com, username: bot, password: ${canary}, active: false }
  payments/core/*:
    integrations:
      inherit: false
      drone-ci: { drone_url: https://drone.example.com, token: ${canary} }
  payments/api-*:
    integrations:
      pipelines-email: { delete: true }
  payments/api-next:
    integrations:
      slack: { push_events: false }
  web/*:
    integrations: { skip: true }
  web/site:
    integrations: { skip: false, harbor: { url: https://harbor.example.com } }
  legal/contracts:
    integrations:
      slack: { <<: *chat, channel: "#legal", chanel: x, wiki_page_events: sometimes }
      emails-on-push: { recipients: ${hook} }
`;

const mail = { recipients: "ops@example.com", notify_only_broken_pipelines: false };
const chat = (channel: string, more = {}) => ({ webhook: hook, channel, pipeline_events: true, ...more });
const tracker = { url: "https://jira.example.com", username: "bot", password: canary, active: true };

/** What gitlabform would make of each project, worked out by hand from its documentation. */
const made = {
  "payments/web": { slack: chat("#payments"), "pipelines-email": mail, jira: tracker },
  "payments/core/ledger": {
    "drone-ci": { drone_url: "https://drone.example.com", token: canary },
  },
  "payments/api-v1": { slack: chat("#payments"), jira: tracker },
  "payments/api-next": { slack: chat("#payments", { push_events: false }), "pipelines-email": mail, jira: tracker },
  "payments/legacy": {},
  "attic/box": {},
  "web/shop": {},
  "web/site": { slack: chat("#all"), "pipelines-email": mail },
  "legal/contracts": { slack: chat("#legal"), "pipelines-email": mail, "emails-on-push": { recipients: hook } },
  "other/deep/er": { slack: chat("#all"), "pipelines-email": mail },
};

const file = "elsewhere.conf";

describe.each(["gitlab", "neutral"])("dialect %s", (dialect) => {
  test("what gitlabform made is what the policies say: the first plan is empty", async () => {
    const { evenkeel, files, write } = await seededAs(dialect, made);
    write(file, configuration);
    const ran = await evenkeel("import", "--from", "gitlabform", file);
    expect(ran).toMatchObject({ code: 0, stderr: "", reads: 0, writes: 0 });
    expect(ran.stdout).toContain("Imported: 12, 1 of them as disabled. Not imported: 6.");
    expect(ran.stdout).toContain("files is left out (1 section): policies have no files");
    expect(ran.stdout).toMatch(/elsewhere\.conf:\d+:\d+ {2}harbor is left out: /);
    expect(ran.stdout).toMatch(
      /elsewhere\.conf:36:46 {2}chanel is left out: .* has no such parameter; did you mean channel\?/,
    );
    expect(ran.stdout).toMatch(/wiki_page_events of slack is left out: expected true or false, got a string/);
    expect(ran.stdout).toContain("active of jira is left out: servers turn on what is configured");
    expect(await evenkeel("validate")).toMatchObject({ code: 0, stderr: "" });
    const { [file]: _, ...written } = files();
    expect(JSON.stringify([ran, written])).not.toContain(canary);

    const planned = await evenkeel("plan", "--report", "json", "--detailed-exitcode");
    expect(planned.plan()).toMatchObject({ resource_changes: [], summary: { unmanaged: 0 } });
    expect(planned).toMatchObject({ code: 0, stderr: "" });
  });
});
