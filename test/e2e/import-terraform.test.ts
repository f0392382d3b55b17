import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { importTerraform } from "../../src/author/import/from/terraform/import.ts";
import { catalogueOf } from "../../src/model/catalogue.ts";
import { seededAs } from "../import/seeded.ts";

const canary = "CANARY-of-a-hook-0123456789";
const hook = `https://chat.example.com/${canary}`;

/** As fleets write it: a table of teams, groups and projects as resources, values from variables. */
const main = `
terraform {
  required_providers { gitlab = { source = "gitlabhq/gitlab" } }
}
variable "slack_webhook" {
  type      = string
  sensitive = true
}
variable "environment" { default = "prod" }
locals {
  site  = "https://tracker.\${local.domain}"
  domain = "example.com"
  teams = { api = "#api", web = "#web" }
}
resource "gitlab_group" "payments" {
  name = "Payments"
  path = "payments"
}
resource "gitlab_project" "team" {
  for_each     = local.teams
  name         = each.key
  namespace_id = gitlab_group.payments.id
}
data "gitlab_project" "legal" {
  path_with_namespace = "legal/contracts"
}
# one room a team
resource "gitlab_integration_slack" "chat" {
  for_each        = local.teams
  project         = gitlab_project.team[each.key].id
  webhook         = var.slack_webhook
  issue_channel   = each.value
  pipeline_events = true
  push_channel    = "#\${var.environment}"
}
resource "gitlab_project_integration_jenkins" "ci" {
  project              = gitlab_project.team["api"].id
  jenkins_url          = "https://jenkins.example.com"
  project_name         = "api"
  merge_request_events = true
  password             = "${canary}"
}
resource "gitlab_service_jira" "tracker" {
  project  = data.gitlab_project.legal.id
  url      = local.site
  username = "bot"
  password = "${canary}"
  project_keys = ["LEG"]
  lifecycle { ignore_changes = [username] }
}
resource "gitlab_integration_pipelines_email" "mail" {
  for_each   = toset(["legal/contracts", "17"])
  project    = each.value
  recipients = ["ops@example.com", "legal@example.com"]
}
resource "gitlab_integration_external_wiki" "lost" {
  project           = gitlab_project.elsewhere.id
  external_wiki_url = "https://wiki.example.com"
}
resource "gitlab_integration_harbor" "registry" {
  count   = var.lost == "prod" ? 1 : 0
  project = "legal/contracts"
}
resource "gitlab_group_integration_mattermost" "g" { group = 1 }
module "more" { source = "./more" }
`;

const mails = { recipients: "legal@example.com,ops@example.com" };
const chat = (room: string) => ({ webhook: hook, issue_channel: room, pipeline_events: true, push_channel: "#prod" });
const jenkins = {
  jenkins_url: "https://jenkins.example.com",
  project_name: "api",
  merge_requests_events: true,
  password: canary,
};
const made = {
  "payments/api": { slack: chat("#api"), jenkins },
  "payments/web": { slack: chat("#web") },
  "legal/contracts": {
    jira: { url: "https://tracker.example.com", username: "changed", password: canary, active: true },
    "pipelines-email": { recipients: "ops@example.com,legal@example.com" },
  },
};

describe.each(["gitlab", "neutral"])("dialect %s", (dialect) => {
  test("what Terraform made is what the policies say: the first plan is empty", async () => {
    const { evenkeel, files, write } = await seededAs(dialect, made, [
      { id: 17, path: "old/ops", integrations: { "pipelines-email": mails } },
    ]);
    write("tf/main.tf", main);
    write("tf/prod.tfvars", 'environment = "prod"\n');
    const ran = await evenkeel("import", "--from", "terraform", "tf/main.tf", "tf/prod.tfvars");
    expect(ran).toMatchObject({ code: 0, stderr: "", reads: 0, writes: 0 });
    const told = ran.stdout
      .split("\n")
      .flatMap((line) => /^ {2}tf\/main\.tf:(\S+) {2}(.*) {2}\(not-imported\)$/.exec(line)?.slice(1).join(" ") ?? []);
    expect(told).toEqual([
      "15:1 gitlab_group.payments is left out: it declares no settings, and policies create nothing",
      "19:1 gitlab_project.team is left out: it declares no settings, and policies create nothing",
      "46:3 username of gitlab_service_jira.tracker is left out: its changes are ignored",
      expect.stringMatching(
        /^48:3 project_keys (?:of jira exists from release 17\.0 on|is left out: jira has no such parameter)/,
      ),
      "57:3 gitlab_integration_external_wiki.lost is left out: its project, gitlab_project.elsewhere.id, is not known from these files; a plan has it",
      "60:1 gitlab_integration_harbor.registry is left out: its count, var.lost, is not known from these files; a plan has it",
      expect.stringMatching(
        /^64:1 (?:mattermost is left out: integrations of groups exist from release 17\.9 on|gitlab_group_integration_mattermost)/,
      ),
      "65:1 module.more is not followed: name its files too, or import what terraform show -json prints",
    ]);
    expect(ran.stdout).toContain("Imported: 6. Not imported: 8.");
    expect(await evenkeel("validate")).toMatchObject({ code: 0, stderr: "" });
    const { "tf/main.tf": _, ...written } = files();
    expect(JSON.stringify([ran, written])).not.toContain(canary);
    expect(Object.values(written).join("\n")).toContain("# set this: a secret, was var.slack_webhook");
    const planned = await evenkeel("plan", "--report", "json", "--detailed-exitcode");
    expect(planned.plan()).toMatchObject({ resource_changes: [], summary: { unmanaged: 0 } });
    expect(planned).toMatchObject({ code: 0, stderr: "" });
  });

  test.each(["tfstate", "show"])(
    "a state as %s says what Terraform made, and the first plan is empty",
    async (form) => {
      const { evenkeel, files, write } = await seededAs(dialect, made);
      write("state.data", JSON.stringify(form === "show" ? shown : stored, null, 2));
      const ran = await evenkeel("import", "--from", "terraform", "state.data", "--report", "json");
      expect(ran).toMatchObject({ code: 0, stderr: "", reads: 0, writes: 0 });
      const { not_imported: left } = JSON.parse(ran.stdout) as { not_imported: { message: string }[] };
      expect(left.map(({ message }) => message)).toEqual([expect.stringContaining("it declares no settings")]);
      expect(JSON.parse(ran.stdout).policies.map(({ name }: { name: string }) => name)).toEqual(["payments/api", "3"]);
      const { "state.data": _, ...written } = files();
      expect(JSON.stringify([ran, written])).not.toContain(canary);
      const planned = await evenkeel("plan", "--report", "json", "--detailed-exitcode");
      expect(planned).toMatchObject({ code: 0, stderr: "" });
      expect(planned.plan().resource_changes).toEqual([]);
    },
  );
});

const common = {
  id: "1",
  active: true,
  created_at: "2026-01-01T00:00:00Z",
  updated_at: null,
  slug: "jenkins",
  title: "Jenkins",
};
const ofJenkins = {
  ...common,
  project: "1",
  jenkins_url: jenkins.jenkins_url,
  project_name: "api",
  merge_request_events: true,
  password: canary,
  username: "",
};
const ofJira = {
  ...common,
  project: "3",
  url: made["legal/contracts"].jira.url,
  username: "changed",
  password: canary,
  api_url: null,
};
const ofProject = { id: "1", path_with_namespace: "payments/api" };
const resources = [
  { mode: "managed", type: "gitlab_project", name: "api", values: ofProject },
  {
    mode: "managed",
    type: "gitlab_project_integration_jenkins",
    name: "ci",
    values: ofJenkins,
    sensitive_values: { password: true },
  },
  { mode: "data", type: "gitlab_integration_jira", name: "not", values: ofJira },
];
const tracker = {
  mode: "managed",
  type: "gitlab_integration_jira",
  name: "tracker",
  values: ofJira,
  sensitive_values: {},
};
const shown = {
  format_version: "1.0",
  values: {
    root_module: {
      resources,
      child_modules: [{ address: "module.m", resources: [{ ...tracker, address: "module.m.x" }] }],
    },
  },
};
const stored = {
  version: 4,
  resources: [...resources, { ...tracker, module: "module.m" }].map(({ values, ...rest }) => ({
    ...rest,
    instances: [{ attributes: values, sensitive_attributes: [[{ type: "get_attr", value: "password" }]] }],
  })),
};

test("what cannot be used is said, without a value of it, and nothing is written", async () => {
  const { evenkeel, files, write } = await seededAs("gitlab", {});
  const before = Object.keys(files()).length;
  const cases = [
    ['resource "gitlab_integration_slack" "x" {\n  webhook = "CANARY', /^bad\.tf:\d+:\d+ .*cannot be parsed/],
    ['{ "CANARY', /expected a state of Terraform in JSON/],
    ['{ "version": 3, "modules": [] }', /expected a state of version 4/],
    [`a = ${"(".repeat(2000)}1${")".repeat(2000)}\n`, /nested more than 100 levels deep/],
  ] as const;
  for (const [text, words] of cases) {
    write("bad.tf", text);
    const ran = await evenkeel("import", "--from", "terraform", "bad.tf");
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(words) });
    expect(ran.stdout + ran.stderr).not.toContain("CANARY");
  }
  expect(await evenkeel("import", "--from", "terraform")).toMatchObject({
    code: 64,
    stderr: expect.stringContaining("name the files of terraform"),
  });
  expect(await evenkeel("import", "--from", "terraform", "--all", "bad.tf")).toMatchObject({ code: 64 });
  expect(await evenkeel("import", "--from", "terraform", "none.tf")).toMatchObject({ code: 1 });
  expect(Object.keys(files())).toHaveLength(before + 1);
});

const choice = (release: string) => ({
  catalogue: catalogueOf("gitlab"),
  platform: { release, dialect: "gitlab" },
  secrets: "by-project" as const,
});

async function imported(text: string, values = "", release = "14.5") {
  const files = [{ name: "main.tf", text }, ...(values ? [{ name: "x.tfvars", text: values }] : [])];
  const { drafts, problems } = await importTerraform(files, choice(release));
  const entries = drafts.flatMap(({ entries: own, name }) =>
    own.map(({ kind, key, fields }) => [
      name,
      kind,
      key,
      ...[...fields.values()].map((each) => "value" in each && each.value),
    ]),
  );
  return { entries, told: problems.map(({ rule, message }) => `${rule}: ${message}`) };
}

const managed = (name: string, status: string) =>
  `resource "gitlab_managed_license" "l" {\n  project = "a/b"\n  name = ${name}\n  approval_status = ${status}\n}\n`;

test.each([
  ['variable "s" { default = "denied" }', "", "denied", 1],
  ['variable "s" { default = "denied" }', 's = "allowed"\n', "allowed", 0],
  ['variable "s" { default = local.s }\nlocals { s = "denied" }', "", "denied", 1],
])("a default counts where nothing else is said, and is told: %s %s", async (declared, values, wanted, count) => {
  const { entries, told } = await imported(
    `${declared}\nvariable "idle" { default = 1 }\n${managed('"MIT"', "var.s")}`,
    values,
  );
  expect(entries).toEqual([["a/b", "license", "MIT", wanted]]);
  expect(told).toEqual(
    ["assumed: var.s is assumed to have its default: no file of variables that was named sets it"].slice(0, count),
  );
});

test("the default of a secret variable is never read", async () => {
  const text = 'variable "s" {\n  sensitive = true\n  default = "CANARY"\n}\n';
  const { entries, told } = await imported(text + managed("var.s", '"denied"'));
  expect(entries).toEqual([]);
  expect(told.join()).not.toContain("CANARY");
});

const canaries = `
variable "s" { sensitive = true }
variable "open" { sensitive = false }
resource "gitlab_project_label" "secret" {
  project     = "a/b"
  name        = "secret"
  color       = "#111111"
  description = "see \${var.s}"
}
resource "gitlab_project_label" "direct" {
  project     = "a/b"
  name        = "direct"
  color       = "#111111"
  description = sensitive("CANARY")
}
resource "gitlab_project_hook" "hook" {
  project = "a/b"
  url     = "https://hooks.example.com/\${var.s}"
}
resource "gitlab_project_label" "open" {
  project     = "a/b"
  name        = "open"
  color       = "#111111"
  description = var.open
}
`;

test("a sensitive variable is never read, from a file of variables neither", async () => {
  const { entries, told } = await imported(canaries, 's = "CANARY"\nopen = "told"\n');
  expect(JSON.stringify([entries, told])).not.toContain("CANARY");
  expect(entries.filter(([, kind]) => kind === "label").map(([, , key, , text]) => [key, text])).toEqual([
    ["secret", undefined],
    ["direct", undefined],
    ["open", "told"],
  ]);
  expect(told).toEqual(
    expect.arrayContaining([
      "not-imported: description of gitlab_project_label.secret is left out: var.s is not known from these files",
      "not-imported: description of gitlab_project_label.direct is left out: sensitive(…) is not known from these files",
    ]),
  );
});

test("what a state marks as sensitive is in no policy, and what it marks as not is", async () => {
  const state = (type: string, values: object, sensitive_values: object) => ({
    ...{ address: `${type}.x`, mode: "managed", type, name: "x", sensitive_values },
    values,
  });
  const own = [
    state(
      "gitlab_integration_pipelines_email",
      { project: "a/b", recipients: ["a@example.com"] },
      { recipients: [false] },
    ),
    state(
      "gitlab_project_label",
      { project: "a/b", name: "l", color: "#111111", description: "CANARY" },
      { description: true },
    ),
    state(
      "gitlab_project",
      { path_with_namespace: "a/b", id: "1", tags: ["CANARY"], visibility_level: "private" },
      { tags: [true] },
    ),
  ];
  const text = JSON.stringify({ format_version: "1.0", values: { root_module: { resources: own } } });
  const { drafts, problems } = await importTerraform([{ name: "state.json", text }], choice("14.5"));
  expect(JSON.stringify([drafts, problems])).not.toContain("CANARY");
  const fields = drafts
    .flatMap(({ entries }) => entries)
    .flatMap(({ kind, fields }) => [[kind, Object.fromEntries(fields)]]);
  expect(fields).toEqual(
    expect.arrayContaining([
      ["integration", { recipients: { form: "value", value: "a@example.com" } }],
      ["label", { color: { form: "value", value: "#111111" } }],
    ]),
  );
  expect(problems.map(({ message }) => message)).toEqual([
    "description of gitlab_project_label.x is left out: it holds a secret",
    "topics of gitlab_project.x is left out: it holds a secret",
  ]);
});

const plan = {
  format_version: "1.2",
  prior_state: {
    format_version: "1.0",
    values: {
      root_module: {
        resources: [
          {
            address: "data.gitlab_project.api",
            mode: "data",
            type: "gitlab_project",
            name: "api",
            values: { id: "17", path_with_namespace: "payments/api" },
          },
          { address: "gitlab_project_label.gone", mode: "managed", type: "gitlab_project_label", values: {} },
        ],
      },
    },
  },
  planned_values: {
    root_module: {
      resources: [
        {
          address: "gitlab_project_label.bug",
          mode: "managed",
          type: "gitlab_project_label",
          name: "bug",
          values: { project: "17", name: "bug", color: "#ff0000", description: null },
          sensitive_values: {},
        },
        {
          address: "gitlab_project_label.new",
          mode: "managed",
          type: "gitlab_project_label",
          name: "new",
          values: { name: "new", color: "#00ff00" },
          sensitive_values: {},
        },
      ],
    },
  },
};

test("a plan of Terraform has the values that it plans, and paths that it read before", async () => {
  const files = [{ name: "plan.json", text: JSON.stringify(plan) }];
  const { drafts, problems } = await importTerraform(files, choice("17.0"));
  expect(drafts.map(({ name, entries }) => [name, entries.map(({ key }) => key)])).toEqual([["payments/api", ["bug"]]]);
  expect(problems.map(({ message }) => message)).toEqual(["gitlab_project_label.new is left out: it has no project"]);
});

test("files of variables that Terraform reads itself are read, and files that file() reads if they are named", async () => {
  const { evenkeel, files, write } = await seededAs("gitlab", {});
  write(
    ".tf/main.tf",
    `variable "color" {}
variable "text" {}
locals { labels = yamldecode(file("\${path.module}/labels.yaml")) }
resource "gitlab_project_label" "each" {
  for_each    = local.labels
  project     = "payments/api"
  name        = each.key
  color       = var.color
  description = "\${var.text} \${each.value}"
}
`,
  );
  write(".tf/terraform.tfvars", 'color = "#000000"\ntext = "lost"\n');
  write(".tf/site.auto.tfvars.json", '{ "color": "#ff0000", "text": "For" }');
  write(".tf/labels.yaml", "bug: bugs\n");
  write(".tf/other.yaml", "a: b\n");
  const missing = await evenkeel("import", "--from", "terraform", ".tf/main.tf");
  expect(missing.stdout).toContain(
    '.tf/main.tf:4:1  gitlab_project_label.each is left out: its for_each, file("./labels.yaml"), is not',
  );
  const ran = await evenkeel("import", "--from", "terraform", ".tf/main.tf", ".tf/labels.yaml", ".tf/other.yaml");
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  expect(ran.stdout).toContain(
    ".tf/other.yaml:1:1  .tf/other.yaml is left out: no file() of the configurations reads it",
  );
  const written = Object.entries(files()).find(([name]) => name.startsWith("policies/"))?.[1];
  expect(written).toContain('color: "#ff0000"');
  expect(written).toContain("description: For bugs");
});

const label = `resource "gitlab_project_label" "y" {
  project = "g/a"
  name    = "y"
  color   = "#cc0000"
`;

test("a linked file of variables is not read: it may lead out of the folder", async () => {
  const { evenkeel, files, write, root } = await seededAs("gitlab", {});
  write(".env", `TOKEN = "${canary}"\n`);
  write(".tf/main.tf", `variable "TOKEN" {}\n${label}  description = var.TOKEN\n}\n`);
  symlinkSync("../.env", join(root, ".tf/b.auto.tfvars"));
  const ran = await evenkeel("import", "--from", "terraform", ".tf/main.tf");
  expect(ran.stdout).toContain("var.TOKEN is not known from these files");
  const written = Object.entries(files()).filter(([name]) => name.startsWith("policies/"));
  expect(JSON.stringify(written)).not.toContain(canary);
});

const doubled = Array.from({ length: 30 }, (_, index) => `a${index + 1}: &a${index + 1} [*a${index}, *a${index}]`);
const bomb = ["a0: &a0 [x]", ...doubled].join("\n");

test.each<[what: string, files: Record<string, string>, message: string]>([
  [
    "aliases that expand without end",
    { "a.tf": `${label}  for_each = yamldecode(file("b.yaml"))\n}\n`, "b.yaml": bomb },
    "a.tf:1:1 gitlab_project_label.y is left out: its for_each, yamldecode(…), is not known from these files; a plan has it",
  ],
  [
    "a module that calls itself",
    { "a.tf": 'module "m" {\n  source = "./"\n}\n' },
    "a.tf:1:1 these modules call one another in a circle",
  ],
  [
    "a project that is a glob",
    { "a.tf": label.replace("g/a", "g/*").concat("}\n") },
    "a.tf:1:1 gitlab_project_label.y is left out: g/* is no path",
  ],
])("reports %s", async (_, texts, message) => {
  const files = Object.entries(texts).map(([name, text]) => ({ name, text }));
  const { drafts, problems } = await importTerraform(files, choice("17.0"));
  expect(drafts).toEqual([]);
  expect(problems.map(({ place, message }) => `${place?.file}:${place?.line}:${place?.column} ${message}`)).toEqual([
    message,
  ]);
});
