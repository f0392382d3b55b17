import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import gitlabform from "../../schemas/coming-from/gitlabform.json" with { type: "json" };
import terraform from "../../schemas/coming-from/terraform.json" with { type: "json" };
import { kindInSection, rulesOf } from "../../src/author/import/from/field-table.ts";
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
        variables: { "TOKEN@prod": { value: secret, masked: true }, RAW: { value: "1" } },
        webhooks: {
          "https://hooks.example.com/ci": {
            token: secret,
            push_events: false,
            custom_headers: [{ key: "X", value: secret }],
          },
        },
        badges: { pipeline: { link_url: "https://x/%{project_path}", image_url: "https://x/y.svg" } },
        push_rule: { commit_message_regex: "JIRA", member_check: true },
        approval_settings: { reset_approvals_on_push: true },
        pipeline_schedules: {
          nightly: { ref: "main", cron: "0 1 * * *", inputs, variables: [{ key: "A", value: "b" }] },
        },
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
        webhooks: {
          "https://hooks.example.com/ci": {
            token: secret,
            push_events: true,
            custom_headers: [{ key: "X", value: secret }],
          },
        },
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
        "application is left out (1 section): declare them in a policy with instance: true; evenkeel import --instance reads them",
        "avatar of group_settings is left out: policies have no files",
        "group_hooks is left out here: gitlabform reads it below * and GROUP/* only",
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
        webhooks: {
          "https://hooks.example.com/ci": {
            token: secret,
            push_events: false,
            custom_headers: [{ key: "X", value: secret }],
          },
        },
        variables: { A: { value: secret }, B: { value: "2" } },
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
        push_rule: { prevent_secrets: true },
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
        "gitlab_group_membership.m is left out: it declares no settings, and policies create nothing",
        "gitlab_group_label.none is left out: its for_each or count is empty",
        "gitlab_project.bare is left out: it declares no settings, and policies create nothing",
        "gitlab_group_variable.lost is left out: its group, gitlab_group.elsewhere.id, is not known from these files; a plan has it",
        "gitlab_pipeline_schedule_variable is left out (1 resource): declare it under variables of its schedule",
        "import_url of gitlab_project.api is left out: policies create projects without content",
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

test("resources of the instance become one policy of it", async () => {
  const imported = await fromTerraform(`
resource "gitlab_instance_variable" "m" {
  key   = "MIRROR"
  value = "https://mirror.example.com"
}
resource "gitlab_topic" "t" {
  name   = "payments"
  title  = "Payments"
  avatar = "t.png"
}
resource "gitlab_system_hook" "h" {
  url   = "https://audit.example.com/hook"
  token = "CANARY-0123456789"
}
resource "gitlab_application_settings" "this" {
  default_branch_name = "main"
  akismet_api_key     = "CANARY-0123456789"
  throttle_web        = 1
}
`);
  expect(policies(imported)).toEqual({
    instance: {
      instance: true,
      settings: { default_branch_name: "main", akismet_api_key: secret },
      variables: { MIRROR: { value: "https://mirror.example.com" } },
      topics: { payments: { title: "Payments" } },
      system_hooks: { "https://audit.example.com/hook": { token: secret } },
    },
  });
  expect(imported.problems.map(({ message }) => message)).toEqual([
    "avatar of gitlab_topic.t is left out: policies have no files",
    "throttle_web of gitlab_application_settings.this is left out: settings have no such field",
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
    "gitlab_label.self is left out: its for_each, gitlab_label.self, is not known from these files; a plan has it",
  ]);
});

test("every section that a table names is one of policies, and every field it leads to is one of its kind", () => {
  const tables = Object.entries({ ...gitlabform.sections, ...terraform.resources } as Record<string, SectionTable>);
  const all = tables.flatMap(([name, { parts = {}, ...own }]) => [
    ...(own.section ? [[name, own] as const] : []),
    ...Object.entries(parts).map(([path, part]) => [`${name}.${path}`, part] as const),
  ]);
  const wrong = all.flatMap(([name, table]) => {
    const kind = kindInSection(choice, table);
    if (kind === undefined) return [name];
    const properties = choice.catalogue.kinds.get(kind)?.file?.fields.properties ?? {};
    const renamed = Object.entries(table.like ? {} : rulesOf(table)).flatMap(([field, rule]) =>
      rule && rule.left === undefined ? [rule.as ?? field, ...(rule.into ? [rule.into] : [])] : [],
    );
    const named = [...renamed, ...(table.key ? [table.key] : [])];
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

const credentials = { url: "https://mirror.example.com/x.git", username: "bot", password: secret };

test("sections of gitlabform within others, and of members, approvals, mirrors and links", () => {
  const imported = fromGitlabform(`projects_and_groups:
  g/*:
    group_members: { users: { ada: { access_level: owner } }, groups: { o/x: { group_access: 10 } }, enforce: true }
    group_merge_requests_approvals: { allow_author_approval: false }
    group_push_rules: { prevent_secrets: true }
    group_saml_links: { a: { saml_group_name: devops, access_level: maintainer } }
    group_ldap_links: { a: { provider: AD, cn: devops, group_access: maintainer } }
  g/p:
    members: { users: { bob: { access_level: developer, expires_at: 2027-01-01 } }, keep_bots: true }
    merge_requests_approvals: { reset_approvals_on_push: true }
    job_token_scope: { limit_access_to_this_project: true, allowlist: { enforce: true, projects: [12, g/q], groups: [o] } }
    remote_mirrors: { "https://bot:${canary}@mirror.example.com/x.git": { enabled: true, force_push: true } }
    resource_groups: { prod: { process_mode: oldest_first } }
    project_security_settings: { pre_receive_secret_detection_enabled: true }
`);
  expect(policies(imported)).toEqual({
    "g-groups": {
      groups: ["g/**"],
      members: { ada: { access_level: "owner" } },
      shared_groups: { "o/x": { group_access: 10 } },
      approval_settings: { allow_author_approval: false },
      push_rule: { prevent_secrets: true },
      saml_links: { devops: { access_level: "maintainer" } },
      ldap_links: { devops: { provider: "AD", group_access: "maintainer" } },
      exclusive: ["members", "shared_groups"],
    },
    "g/p": {
      projects: ["g/p"],
      members: { bob: { access_level: "developer", expires_at: "2027-01-01" } },
      approval_settings: { reset_approvals_on_push: true },
      job_token_scope: { enabled: true },
      job_token_projects: { "12": {}, "g/q": {} },
      job_token_groups: { o: {} },
      push_mirrors: { [credentials.url]: { username: "bot", password: secret, enabled: true } },
      resource_groups: { prod: { process_mode: "oldest_first" } },
      security_settings: { secret_push_protection_enabled: true },
      exclusive: ["job_token_projects", "job_token_groups"],
    },
  });
  expect(messages(imported)).toEqual([
    "force_push of https://bot@mirror.example.com/x.git of remote_mirrors is left out: it directs gitlabform alone",
    "keep_bots of members is left out: members that are bots are not managed",
  ]);
  expect(JSON.stringify([policies(imported), imported.problems])).not.toContain(canary);
});

test("IDs of Terraform's resources become the names of what the same files declare", async () => {
  const imported = await fromTerraform(`
resource "gitlab_group" "g" {
  name = "G"
  path = "g"
}
resource "gitlab_group" "others" {
  name      = "Others"
  path      = "others"
  parent_id = gitlab_group.g.id
}
resource "gitlab_project" "p" {
  name         = "P"
  path         = "p"
  namespace_id = gitlab_group.g.id
  description  = "no \${gitlab_group.g.id}"
}
data "gitlab_user" "team" {
  for_each = toset(["ada", "42"])
  username = each.key
}
resource "gitlab_branch_protection" "main" {
  project = gitlab_project.p.id
  branch  = "main"
  allowed_to_push { user_id = data.gitlab_user.team["ada"].id }
  allowed_to_merge { group_id = gitlab_group.others.id }
}
resource "gitlab_project_approval_rule" "sec" {
  project              = gitlab_project.p.path_with_namespace
  name                 = "Sec"
  approvals_required   = 1
  user_ids             = [for user in data.gitlab_user.team : user.id]
  group_ids            = [gitlab_group.others.id, 7]
  protected_branch_ids = [gitlab_branch_protection.main.branch_protection_id]
}
resource "gitlab_project_membership" "team" {
  for_each     = data.gitlab_user.team
  project_id   = gitlab_project.p.id
  user_id      = each.value.id
  access_level = "developer"
}
resource "gitlab_group_share_group" "s" {
  group_id       = gitlab_group.g.id
  share_group_id = gitlab_group.others.id
  group_access   = "guest"
}
resource "gitlab_project_job_token_scopes" "s" {
  project            = gitlab_project.p.id
  enabled            = true
  target_project_ids = [12]
  target_group_ids   = [gitlab_group.others.id]
}
variable "token" {
  sensitive = true
}
resource "gitlab_project_mirror" "m" {
  project = gitlab_project.p.id
  url     = "https://bot:\${var.token}@mirror.example.com/x.git"
}
resource "gitlab_project_milestone" "m" {
  project = gitlab_project.p.id
  title   = "v1"
}
`);
  expect(policies(imported)).toEqual({
    "g/p": {
      projects: ["g/p"],
      protected_branches: { main: { allowed_to_push: [{ user: "ada" }], allowed_to_merge: [{ group: "g/others" }] } },
      approval_rules: {
        Sec: { approvals_required: 1, users: ["42", "ada"], groups: ["g/others", 7], protected_branches: ["main"] },
      },
      members: { "42": { access_level: "developer" }, ada: { access_level: "developer" } },
      job_token_scope: { enabled: true },
      job_token_projects: { "12": {} },
      job_token_groups: { "g/others": {} },
      push_mirrors: { [credentials.url]: { username: "bot", password: secret } },
      milestones: { v1: {} },
    },
    "g/": { groups: ["g"], shared_groups: { "g/others": { group_access: "guest" } } },
  });
  expect(messages(imported)).toEqual([
    "description of gitlab_project.p is left out: a text with something else in it is not known from these files",
    "gitlab_group.g is left out: it declares no settings, and policies create nothing",
    "gitlab_group.others is left out: it declares no settings, and policies create nothing",
  ]);
});

test("modules of the same files are called with their values, and their outputs are known", async () => {
  const files = {
    "main.tf": `
module "repositories" {
  source   = "./repository"
  for_each = { api = ["bug"], web = ["bug", "idea"] }
  name     = each.key
  labels   = each.value
}
module "elsewhere" {
  source = "git::https://example.com/x.git"
}
module "other" {
  source    = "./repository"
  providers = { gitlab = gitlab.other }
}
resource "gitlab_project_variable" "level" {
  project = module.repositories["api"].project.id
  key     = "LOG_LEVEL"
  value   = "debug"
}`,
    "repository/main.tf": `
variable "name" {}
variable "labels" {
  default = []
}
data "gitlab_group" "g" {
  full_path = "g"
}
resource "gitlab_project" "p" {
  name         = var.name
  namespace_id = data.gitlab_group.g.id
  description  = var.lost
}
resource "gitlab_project_label" "l" {
  for_each = toset(var.labels)
  project  = gitlab_project.p.id
  name     = each.key
  color    = "red"
}
output "project" {
  value = gitlab_project.p
}`,
  };
  const imported = await importTerraform(
    Object.entries(files).map(([name, text]) => ({ name, text })),
    choice,
  );
  const red = { color: "#ff0000" };
  expect(policies(imported)).toEqual({
    "g/api": { projects: ["g/api"], labels: { bug: red }, variables: { LOG_LEVEL: { value: "debug" } } },
    "g/web": { projects: ["g/web"], labels: { bug: red, idea: red } },
  });
  expect(messages(imported)).toEqual([
    'description of module.repositories["api"].gitlab_project.p is left out: var.lost is not known from these files',
    'description of module.repositories["web"].gitlab_project.p is left out: var.lost is not known from these files',
    "module.elsewhere is not followed: name its files too, or import what terraform show -json prints",
    "module.other is left out: it has a provider of its own, which may be another server",
  ]);
});

test("dynamic blocks stand for their contents, and try takes what is missing for certain", async () => {
  const imported = await fromTerraform(`
locals {
  people = [{ id = 5 }, { id = 7, group = true }]
}
resource "gitlab_branch_protection" "main" {
  project            = "a/b"
  branch             = "main"
  merge_access_level = try(local.people[0].level, "maintainer")
  allow_force_push   = try(var.lost, false)
  dynamic "allowed_to_merge" {
    for_each = [for each in local.people : each if try(each.group, false)]
    content {
      group_id = allowed_to_merge.value.id
    }
  }
}`);
  expect(policies(imported)).toEqual({
    "a/b": {
      projects: ["a/b"],
      protected_branches: { main: { allowed_to_merge: [{ access_level: "maintainer" }, { group: 7 }] } },
    },
  });
  expect(messages(imported)).toEqual([
    "allow_force_push of gitlab_branch_protection.main is left out: var.lost is not known from these files",
  ]);
});

test("a rule that lost its approvers is left out, and so is a protection that lost its people", async () => {
  const rule = (name: string, lines: string) => `
resource "gitlab_project_approval_rule" "${name}" {
  project            = "a/b"
  name               = "${name}"
  approvals_required = 1
  ${lines}
}`;
  const imported = await fromTerraform(`
${rule("lost", "user_ids = [data.gitlab_user.gone.id]")}
${rule("some", "user_ids = [data.gitlab_user.gone.id]\n  group_ids = [7]")}
${rule("anybody", 'rule_type = "any_approver"')}
resource "gitlab_branch_protection" "main" {
  project = "a/b"
  branch  = "main"
  allowed_to_push { user_id = data.gitlab_user.gone.id }
}`);
  expect(policies(imported)).toEqual({
    "a/b": {
      projects: ["a/b"],
      approval_rules: {
        some: { approvals_required: 1, groups: [7] },
        anybody: { approvals_required: 1, rule_type: "any_approver" },
      },
    },
  });
  expect(messages(imported)).toContain(
    "gitlab_project_approval_rule.lost is left out: without its users or groups it would be open to others",
  );
});
