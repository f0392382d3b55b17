import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import gitlabform from "../../schemas/coming-from/gitlabform.json" with { type: "json" };
import terraform from "../../schemas/coming-from/terraform.json" with { type: "json" };
import { kindInSection } from "../../src/author/import/from/field-table.ts";
import type { ForeignImport } from "../../src/author/import/from/foreign.ts";
import type { SectionTable } from "../../src/author/import/from/gitlabform/configuration.ts";
import { importGitlabform } from "../../src/author/import/from/gitlabform/import.ts";
import { importTerraform } from "../../src/author/import/from/terraform/import.ts";
import { policyFileText } from "../../src/author/import/policy.ts";
import { parseManifest } from "../../src/manifest/document.ts";
import { desiredOf } from "../../src/manifest/layers.ts";
import { readPolicies } from "../../src/manifest/policies.ts";
import { defaultWorkspace } from "../../src/manifest/workspace.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";

const platform = { release: "18.0", dialect: "gitlab" } as const;
const choice = { catalogue: catalogueOf("gitlab"), platform, secrets: "by-project" } as const;
const fromGitlabform = (text: string) => importGitlabform({ name: "config.yml", text }, choice);
const fromTerraform = (text: string) => importTerraform([{ name: "main.tf", text }], choice);
const messages = ({ problems }: ForeignImport) => problems.map(({ message }) => message).toSorted();

/** Each policy as its manifest declares it, by name. */
function policies({ drafts }: ForeignImport): Readonly<Record<string, object>> {
  const documents = [...parseAllDocuments(policyFileText(drafts, "manifest.schema.json", choice.catalogue))].map(
    (each) => each.toJS(),
  );
  return Object.fromEntries(documents.map(({ apiVersion: _, kind: __, name, ...rest }) => [name, rest]));
}

/** The policies as a workspace reads them. */
function policiesOf({ drafts }: ForeignImport) {
  const text = policyFileText(drafts, "manifest.schema.json", choice.catalogue);
  const { documents } = parseManifest("a.yaml", text);
  return readPolicies({ documents, workspace: { ...defaultWorkspace, catalogue: choice.catalogue } }).policies;
}

const canary = "CANARY-0123456789";
const fixture = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");

const secret = { secret: expect.stringMatching(/^env:/) };
const inputs = [
  { name: "a", value: "true" },
  { name: "b", value: ["x", 1] },
  { name: "c", value: 2 },
];
const shared = {
  visibility: "internal",
  merge_method: "ff",
  topics: ["a"],
  emails_enabled: false,
  wiki_access_level: "disabled",
  issues_access_level: "private",
};

describe("gitlabform", () => {
  const imported = fromGitlabform(fixture("kinds.yml"));

  test("its sections become resources of the kinds that they are about", () => {
    expect(policies(imported)).toEqual({
      shared: {
        projects: ["**"],
        settings: shared,
        labels: { bug: { color: "#ff0000", description: "x" } },
        exclusive: ["labels"],
      },
      payments: {
        projects: ["payments/**"],
        settings: {
          ...shared,
          visibility: "private",
          container_expiration_policy: { enabled: true, name_regex_delete: ".*" },
        },
        protected_branches: {
          main: {
            merge_access_level: 30,
            allowed_to_push: [{ access_level: "no one" }, { user: "anna" }, { group: 12 }],
          },
          dev: { push_access_level: "developer" },
        },
        protected_tags: { "v*": { create_access_level: "maintainer" } },
        deploy_keys: { "ci key": { key: "ssh-ed25519 AAAA", can_push: false } },
        variables: { "TOKEN@prod": { value: secret, masked: true }, RAW: { value: secret } },
        webhooks: { "https://hooks.example.com/ci": { token: secret, push_events: false } },
        badges: { pipeline: { link_url: "https://x/%{project_path}", image_url: "https://x/y.svg" } },
        push_rule: { commit_message_regex: "JIRA", member_check: true },
        pipeline_schedules: { nightly: { ref: "main", cron: "0 1 * * *", inputs } },
        approval_rules: {
          All: { approvals_required: 2, rule_type: "any_approver" },
          Sec: { approvals_required: 1, users: ["anna"], groups: ["sec"], protected_branches: ["main"] },
        },
        protected_environments: { prod: { deploy_access_levels: [{ access_level: "maintainer" }] } },
        absent: { protected_branches: ["old"], webhooks: ["https://old.example.com"] },
      },
      "payments-groups": {
        groups: ["payments/**"],
        settings: { visibility: "private", default_branch_protection_defaults: { allowed_to_push: [30] } },
        variables: { TOKEN: { value: secret, masked: true } },
        webhooks: { "https://g.example.com": { push_events: true } },
        labels: { bug: { color: "#ff0000" } },
        badges: { pipeline: { link_url: "https://x", image_url: "https://x/y.svg" } },
        absent: { webhooks: ["https://old.example.com"] },
        exclusive: ["labels"],
      },
      "payments/api": {
        projects: ["payments/api"],
        webhooks: { "https://hooks.example.com/ci": { token: secret, push_events: true } },
        labels: { bug: { color: "#ff0000", description: "x" } },
      },
    });
  });

  test("what no kind has is reported, with the reason, and no secret is repeated", () => {
    expect(messages(imported)).toEqual(
      [
        "wrong of project_settings is left out: settings have no such field",
        "issues_enabled of project_settings is left out: another key decides it",
        "developers_can_push of dev of branches is left out: the API of branches that had it is gone; declare push_access_level",
        "custom_headers of https://hooks.example.com/ci of hooks is left out: it holds secrets; declare it by hand, with references",
        "variables of nightly of schedules is left out: policies have no variables of schedules",
        "merge_requests_approvals is left out (1 section): no kind of resource is about it",
        "application is left out (1 section): no kind of resource is about it",
        "avatar of group_settings is left out: policies have no files",
        "group_hooks is left out here: gitlabform reads it below * and GROUP/* only",
        "group_members is left out (1 section): no kind of resource is about it",
        "colour of bug of labels is left out: labels have no such field; did you mean color?",
      ].toSorted(),
    );
    expect(JSON.stringify([policies(imported), imported.problems])).not.toContain(canary);
  });
});

describe("Terraform", () => {
  test("its resources become those of the kinds that they are about; what no kind has is reported", async () => {
    const imported = await fromTerraform(fixture("kinds.tf"));
    expect(policies(imported)).toEqual({
      "payments/api": {
        projects: ["payments/api"],
        settings: {
          visibility: "private",
          topics: ["a"],
          issues_access_level: "disabled",
          container_expiration_policy: { enabled: true, cadence: "1d" },
        },
        push_rule: { author_email_regex: "@example.com$" },
        protected_branches: {
          main: {
            merge_access_level: "maintainer",
            allowed_to_push: [{ access_level: "no one" }, { user: 5 }, { group: 7 }],
          },
        },
        protected_tags: { "v*": { create_access_level: "developer" } },
        webhooks: { "https://hooks.example.com/ci": { token: secret, push_events: false } },
        variables: { A: { value: secret }, B: { value: secret } },
        labels: { bug: { color: "#ffa500" } },
        approval_rules: { Sec: { approvals_required: 1, users: [50, 500] } },
        pipeline_schedules: { nightly: { ref: "main", cron: "0 1 * * *" } },
        protected_environments: {
          production: { deploy_access_levels: [{ access_level: "maintainer" }, { user: 5 }] },
        },
        badges: { b: { link_url: "https://l", image_url: "https://i" } },
      },
      "payments/": {
        groups: ["payments"],
        integrations: { mattermost: { webhook: secret, username: "keel" } },
        settings: {
          visibility: "private",
          ip_restriction_ranges: "10.0.0.0/8,10.1.0.0/8",
          default_branch_protection_defaults: { allowed_to_push: ["developer"], allow_force_push: true },
        },
        webhooks: { "https://x": { push_events: true } },
        badges: { b: { link_url: "https://l", image_url: "https://i" } },
      },
      "payments/services/": {
        groups: ["payments/services"],
        settings: { description: "x" },
        variables: { TOKEN: { value: secret } },
      },
      "77/": { groups: [77], labels: { bug: { color: "#ffa500" } } },
      "payments/other": { projects: ["payments/other"], deploy_keys: { ci: { key: "ssh-rsa AAA" } } },
    });
    expect(messages(imported)).toEqual(
      [
        "allowed_to_merge of gitlab_branch_protection.main is left out: data.gitlab_user.bob.id is not known from these files",
        "custom_headers of gitlab_project_hook.ci is left out: it holds secrets; declare it by hand, with references",
        "push_rules of gitlab_group.g is left out: no kind of resource is about push rules of groups",
        "gitlab_group_membership is left out (1 resource): no kind of resource is about it",
        "gitlab_group_label.none is left out: its for_each or count is empty",
        "gitlab_project.bare is left out: it declares no settings, and policies create nothing",
        "gitlab_group_variable.lost is left out: its group, gitlab_group.elsewhere.id, is not known from these files",
        "gitlab_pipeline_schedule_variable is left out (1 resource): no kind of resource is about it",
        "import_url of gitlab_project.api is left out: policies do not create projects",
        "push_rule is left out here: it is declared already",
      ].toSorted(),
    );
    expect(JSON.stringify([policies(imported), imported.problems])).not.toContain(canary);
  });
});

test("an older argument of Terraform that a newer one contradicts is reported, and null states nothing", async () => {
  const imported = await fromTerraform(`
resource "gitlab_project" "p" {
  name                = "p"
  namespace_id        = gitlab_group.g.id
  issues_enabled      = false
  issues_access_level = "enabled"
  wiki_enabled        = true
  wiki_access_level   = "private"
  snippets_enabled      = false
  snippets_access_level = null
  tags                = ["old"]
  topics              = ["new"]
}
resource "gitlab_group" "g" {
  name = "g"
  path = "g"
}
`);
  expect(policies(imported)).toMatchObject({
    "g/p": {
      settings: {
        topics: ["new"],
        issues_access_level: "enabled",
        snippets_access_level: "disabled",
        wiki_access_level: "private",
      },
    },
  });
  expect(messages(imported).filter((message) => message.includes("decides it"))).toEqual([
    "issues_enabled of gitlab_project.p is left out: issues_access_level decides it",
    "tags of gitlab_project.p is left out: topics decides it",
  ]);
});

test("for_each over the resources of another block has their projects, in the spelling of older versions too", async () => {
  const imported = await fromTerraform(`
resource "gitlab_group" "e" {
  path = "enten"
}
resource "gitlab_project" "each" {
  for_each     = toset(["front", "back"])
  name         = each.key
  namespace_id = "\${gitlab_group.e.id}"
}
resource "gitlab_branch_protection" "main" {
  for_each          = gitlab_project.each
  project           = each.value.id
  branch            = "main-\${each.key}"
  push_access_level = "developer"
}
resource "gitlab_label" "l" {
  for_each    = gitlab_project.each
  project     = each.value.id
  name        = "bug"
  color       = "#ff0000"
  description = each.value.web_url
}
resource "gitlab_label" "self" {
  for_each = gitlab_label.self
  project  = each.value.id
}
`);
  const branch = (name: string) => ({ protected_branches: { [name]: { push_access_level: "developer" } } });
  const labels = { bug: { color: "#ff0000" } };
  expect(policies(imported)).toEqual({
    "enten/back": { projects: ["enten/back"], labels, ...branch("main-back") },
    "enten/front": { projects: ["enten/front"], labels, ...branch("main-front") },
  });
  const left = "each.value.web_url is not known from these files";
  expect(messages(imported).filter((each) => each.includes("gitlab_label"))).toEqual([
    `description of gitlab_label.l["back"] is left out: ${left}`,
    `description of gitlab_label.l["front"] is left out: ${left}`,
    "gitlab_label.self is left out: its for_each is gitlab_label.self",
  ]);
});

test("every section that a table names is one of policies, and every field it leads to is one of its kind", () => {
  const tables: [string, SectionTable][] = [
    ...Object.entries(gitlabform.sections as Record<string, SectionTable>),
    ...Object.entries(terraform.resources as Record<string, SectionTable>),
  ];
  const wrong = tables.flatMap(([name, table]) => {
    const { fields = {}, joined = {}, levels = {}, opposites = {}, unwrapped = {}, commas = [], key } = table;
    const kind = kindInSection(choice, table);
    if (kind === undefined) return [name];
    const properties = choice.catalogue.kinds.get(kind)?.file?.fields.properties ?? {};
    const named = [
      ...Object.values({ ...fields, ...levels, ...opposites }),
      ...Object.keys({ ...joined, ...unwrapped }),
      ...commas,
      ...(key ? [key] : []),
    ];
    return named.filter((field) => !(field in properties)).map((field) => `${name}.${field}`);
  });
  expect(wrong).toEqual([]);
});

test("an ID stays an ID, and a name of digits a name", async () => {
  const { "a/b": policy } = policies(
    fromGitlabform(`projects_and_groups:
  a/b:
    branches: { main: { protected: true, allowed_to_push: [{ user_id: "42" }, { user: "42" }] } }
    merge_requests_approval_rules: { x: { name: X, approvals_required: 1, user_ids: ["42"], group_ids: ["7"] } }
`),
  );
  expect(policy).toMatchObject({
    protected_branches: { main: { allowed_to_push: [{ user: 42 }, { user: "42" }] } },
    approval_rules: { X: { users: [42], groups: [7] } },
  });
  const terraformed = await fromTerraform(`
resource "gitlab_project_approval_rule" "r" {
  project            = "a/b"
  name               = "X"
  approvals_required = 1
  user_ids           = ["42"]
}`);
  expect(policies(terraformed)).toMatchObject({ "a/b": { approval_rules: { X: { users: [42] } } } });
});

test("a nearer level renames an entry of a wider one, and inherit: false cuts off all levels above", () => {
  const imported = fromGitlabform(`projects_and_groups:
  "*":
    labels: { a: { color: red } }
    deploy_keys: { ci: { title: A, key: ssh-rsa AAAA } }
    variables: { x: { key: X, value: "1" } }
  g/*:
    labels: { b: { color: red } }
    deploy_keys: { ci: { title: B } }
    variables: { x: { environment_scope: prod } }
  g/s/*:
    labels: { inherit: false, c: { color: red } }
`);
  const desired = (path: string) =>
    desiredOf(policiesOf(imported), { name: path, path }).desired.resources.map(({ kind, key }) => `${kind}/${key}`);
  expect(desired("x/y")).toEqual(["deploy_key/A", "label/a", "variable/X"]);
  expect(desired("g/p")).toEqual(["deploy_key/B", "label/a", "label/b", "variable/X@prod"]);
  expect(desired("g/s/p")).toEqual(["deploy_key/B", "label/c", "variable/X@prod"]);
});
