import { expect, test } from "vitest";
import { kindsToImport } from "../../src/author/import/chosen-projects.ts";
import { importProjects } from "../../src/author/import/import-projects.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { connectReader } from "../../src/client/client.ts";
import type { Seed } from "../../src/server/seed.ts";
import { stage, token } from "../support/stage.ts";

const platform = { dialect: "gitlab", release: "18.0", tier: "ultimate" } as const;

/** The policies of these projects and groups, as `import --kinds` writes them. */
async function imported(seed: Seed, names: readonly string[], section: string): Promise<string> {
  const { server } = await stage({ seed, dialect: "gitlab", release: "18.0", site: platform });
  const reader = await connectReader({
    url: server.url,
    token,
    concurrency: 4,
    requestTimeout: 60_000,
    dialect: "gitlab",
  });
  const { catalogue } = reader;
  const kinds = kindsToImport([section], ["project", "group"], catalogue, platform);
  const choice = { names, all: false, groups: [], factor: false, secrets: "by-project" } as const;
  const { drafts, problems } = await importProjects(reader, choice, { platform, workers: 2, kinds });
  await reader.close();
  expect(problems).toEqual([]);
  return policyFileText(drafts, "s", catalogue);
}

test("names what fields have by ID, and writes the people beside a role", async () => {
  const resources = {
    protected_branches: [
      { id: 71, name: "main", push_access_levels: [{ access_level: 40 }, { user_id: 7 }] },
      { id: 72, name: "rel/*", push_access_levels: [{ access_level: 0 }] },
    ],
    approval_rules: [
      { name: "Sec", approvals_required: 1, users: [{ id: 7 }], groups: [], protected_branches: [{ id: 72 }] },
    ],
  };
  const seed = { projects: [{ id: 1, path: "a/b", resources }] };
  expect(await imported(seed, ["a/b"], "approval_rules")).toContain("protected_branches: [ rel/* ]");
  expect(await imported(seed, ["a/b"], "protected_branches")).toContain(
    "allowed_to_push: [ { access_level: maintainer }, { user: 7 } ]",
  );
});

test("names the headers and variables of a group's webhook, and no password of a URL", async () => {
  const webhook = { url: "https://h.example.com/x", custom_headers: [{ key: "X" }], url_variables: [{ key: "Y" }] };
  const jenkins = { jenkins_url: "https://me:CANARY@ci.example.com", project_name: "x" };
  const seed = {
    projects: [
      {
        id: 1,
        path: "a/b",
        integrations: { jenkins },
        resources: { webhooks: [{ url: "https://u:CANARY@h.example.com" }] },
      },
    ],
    groups: [{ id: 5, path: "a", resources: { webhooks: [webhook] } }],
  };
  const text = await imported(seed, ["a/"], "webhooks");
  expect(text).toContain("- { key: X, value: { secret: env:A_HTTPS_H_EXAMPLE_COM_X_X } }");
  expect(text).toContain("- { key: Y, value: { secret: env:A_HTTPS_H_EXAMPLE_COM_X_Y } }");
  expect(await imported(seed, ["a/b"], "webhooks")).toContain("webhook https://u@h.example.com is left out");
  expect(await imported(seed, ["a/b"], "integrations")).toContain("jenkins_url: https://me@ci.example.com");
});
