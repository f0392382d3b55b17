import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
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
