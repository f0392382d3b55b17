import { dialectNames } from "../model/dialect.ts";
import { branchKinds } from "../model/events.ts";
import { findingKinds, revisionKinds } from "../report/report.ts";
import { type Commands, option } from "./command.ts";
import * as common from "./options.ts";

export const startCommands = {
  init: {
    arguments: "[dir]",
    summary: "write a workspace that validates, with a commented example",
    examples: [
      ["evenkeel init", "in this folder"],
      ["evenkeel init policies-repo --ci gitlab", "in the new folder policies-repo, with a pipeline"],
      ["evenkeel init --url https://code.example.com --release 14.5 --tier ultimate", "with the server's settings"],
    ],
    flags: [
      option("--url <url>", "the server's URL; default: EVENKEEL_URL, else an example to change"),
      option("--release <release>", "the server's release, such as 14.5"),
      option("--tier <tier>", "the server's tier", { choices: common.tiers }),
      option("--dialect <name>", "the server's naming dialect; default: detected from the server", {
        choices: dialectNames,
      }),
      option("--ci <forge>", "also write a pipeline: plan, apply, drift", { choices: ["gitlab", "github"] }),
    ],
  },
  import: {
    arguments: "[project...]",
    summary: "write policies from live state; secrets become references to set",
    examples: [
      ["evenkeel import payments/api", "one project, into policies/"],
      ["evenkeel import --group 'payments/**'", "the projects of a group"],
      ["evenkeel import --all --factor", "everything that the token can see; shared settings become common policies"],
      ["evenkeel import payments/api --kinds webhooks,labels", "other kinds of resources; all: every kind"],
      ["evenkeel import --group 'payments/**/' --kinds labels --factor", "groups, by a glob with a trailing slash"],
      ["evenkeel import --instance", "settings, variables, topics and system hooks of the whole server"],
      ["evenkeel import --from gitlabform config.yml", "policies from a gitlabform configuration; offline"],
      ["evenkeel import --from terraform *.tf terraform.tfvars", "policies from Terraform files or a state; offline"],
    ],
    flags: [
      ...common.connected,
      option("--all", "every project that the token can see"),
      option(
        "--group <glob>",
        "projects whose path matches or that are below a group; a trailing slash selects groups (repeatable)",
        { takes: "list" },
      ),
      option("--instance", "the instance: its settings, variables, topics and system hooks"),
      option(
        "--kinds <section>",
        "the kinds to read, such as webhooks,labels, or all; default: integrations and licenses, with --instance all (repeatable)",
        { takes: "list" },
      ),
      option("--factor", "extract settings that projects share into common policies"),
      option("--secrets <scope>", "name secrets per project, or share a name within a group", {
        choices: ["by-project", "by-group"],
        default: "by-project",
      }),
      option(
        "--values <form>",
        "how to write values of variables that are not masked or hidden; default: as literals if clearly no credentials",
        { choices: ["literal", "reference"] },
      ),
      option("--from <tool>", "read that tool's files instead of the server, offline", {
        choices: ["gitlabform", "terraform"],
        without: ["--timeout", "--concurrency", "--give-up-after"],
      }),
      option("--out <dir>", "output folder; default: policies/ of the workspace"),
    ],
  },
  whoami: {
    summary: "who owns the token, what each command requires, and what is missing",
    examples: [
      [
        "evenkeel whoami",
        "in a workspace, also the role in a project that policies name; elsewhere, EVENKEEL_URL is enough",
      ],
      ["evenkeel whoami --project payments/api --report json", "its role in this project, for scripts"],
    ],
    flags: [
      ...common.connected,
      option("--project <project>", "check the role in this project (ID or path), and whether it can be read"),
    ],
  },
  explain: {
    arguments: "[slug]",
    summary: "the catalogue: integrations, kinds of resources and their fields",
    examples: [
      ["evenkeel explain", "all integrations"],
      ["evenkeel explain irc-gateway", "one integration, with an example to copy"],
      ["evenkeel explain irc-gateway.server_port", "one parameter"],
      ["evenkeel explain --kinds", "all other kinds of resources"],
      ["evenkeel explain webhooks", "one of them; webhooks.token is one of its fields"],
    ],
    flags: [
      common.folder,
      common.report,
      common.dialect,
      option("--kinds", "list the kinds of resources other than integrations"),
    ],
  },
  schema: {
    arguments: "[dir]",
    summary: "write the JSON Schemas for editors",
    examples: [
      ["evenkeel schema .evenkeel/schemas", "where init writes them; run this after each upgrade"],
      ["evenkeel schema", "in this folder"],
    ],
    flags: [common.dialect],
  },
  completion: {
    arguments: "<shell>",
    summary: "print a shell completion script for commands, options, slugs, projects and addresses",
    examples: [
      ["evenkeel completion bash > ~/.local/share/bash-completion/completions/evenkeel", "once"],
      ["evenkeel completion zsh > ~/.zsh/_evenkeel", "in a folder of $fpath"],
      ["evenkeel completion fish > ~/.config/fish/completions/evenkeel.fish", "once"],
    ],
    flags: [],
  },
} as const satisfies Commands;

export const manifestCommands = {
  validate: {
    summary: "check every manifest; offline, no token needed",
    examples: [
      ["evenkeel validate", "the workspace of this folder"],
      ["evenkeel validate -C policies-repo --report json", "for scripts"],
    ],
    flags: [common.folder, common.reportOf(findingKinds), common.asOf, common.quiet],
  },
  fmt: {
    arguments: "[path...]",
    summary: "sort the keys of manifests; comments and values are kept",
    examples: [
      ["evenkeel fmt", "the workspace of this folder; lists the files that it changed"],
      ["evenkeel fmt --check", "for CI: changes nothing, exit 1 if a file would change"],
      ["evenkeel fmt policies/payments.yaml", "one file"],
    ],
    flags: [common.folder, common.check],
  },
  show: {
    arguments: "<project>",
    summary: "the effective desired state of one project, with the origin of each entry",
    examples: [
      ["evenkeel show payments/api", "after all layers are merged"],
      ["evenkeel show 42 --report json", "by ID, for scripts"],
    ],
    flags: [...common.offline, common.asOf],
  },
  overrides: {
    arguments: "[policy]",
    summary: "list entries of policies with a wildcard that other policies override, by project; offline",
    examples: [
      ["evenkeel overrides", "of every policy with a wildcard"],
      ["evenkeel overrides company --projects projects.txt", "of one policy, in these projects"],
      ["evenkeel overrides --project payments/api --report json", "in one project, for scripts"],
    ],
    flags: [option("--project <project>", "only in this project"), common.projects, ...common.offline],
  },
  prune: {
    arguments: "[policy...]",
    summary:
      "remove entries that a wider policy also declares; the desired state stays the same unless --yield is given",
    examples: [
      ["evenkeel prune", "entries that any policy with a wildcard also declares"],
      ["evenkeel prune --check", "for CI: changes nothing, exit 1 if something can be removed"],
      ["evenkeel prune company --yield", "also entries that differ, so that the policy takes effect; asks first"],
    ],
    flags: [
      {
        ...common.check,
        description: "list what can be removed without changing anything; exit 1 if there is anything",
      },
      option("--yield", "remove entries that differ from the policy, too"),
      common.yes,
      common.projects,
      ...common.offline,
    ],
  },
  test: {
    arguments: "[path...]",
    summary: "run the tests of policies and rules against the embedded server; offline, no token needed",
    examples: [
      ["evenkeel test", "every document of kind: Test in this workspace"],
      ["evenkeel test tests/rules.yaml", "those of one file or folder"],
      ["evenkeel test --report junit=tests.xml", "for a pipeline"],
    ],
    flags: [common.folder, common.reportOf(["json", "junit", "text"]), common.quiet],
  },
} as const satisfies Commands;

export const reviewCommands = {
  diff: {
    arguments: "[rev]",
    summary: "how the desired state differs from a git revision; offline, no token needed",
    examples: [
      ["evenkeel diff", "since the branch left the remote's default branch"],
      ["evenkeel diff HEAD~1 --to HEAD", "what the last commit changed"],
      [
        "evenkeel diff --report markdown=diff.md --detailed-exitcode",
        "for a merge request; exit 2 if something differs",
      ],
    ],
    flags: [
      common.folder,
      option("--to <rev>", "compare with this revision instead of the working tree"),
      common.projects,
      { ...common.detailedExitcode, description: "exit 2 if something differs" },
      common.reportOf(revisionKinds),
      common.quiet,
    ],
  },
  unmanaged: {
    summary: "list live resources that no policy declares; changes nothing",
    examples: [
      ["evenkeel unmanaged", "of the projects that policies select"],
      ["evenkeel unmanaged --target 'payments/*:webhook/*' --report json", "a part of it, for scripts"],
    ],
    flags: [
      common.folder,
      common.target,
      common.exclude,
      common.report,
      common.concurrency,
      common.timeout,
      common.giveUpAfter,
      common.quiet,
    ],
  },
  blame: {
    arguments: "<address>",
    summary: "the line that sets a value, the commit that wrote it, and the run that last applied it",
    examples: [
      ["evenkeel blame payments/api:integration/irc-gateway", "every parameter and variable of an integration"],
      ["evenkeel blame payments/api:license/MIT --report json", "for scripts"],
    ],
    flags: common.offline,
  },
  accept: {
    arguments: "<address...>",
    summary: "write live values back into the lines of the manifests that set them",
    examples: [
      ["evenkeel accept payments/api:integration/irc-gateway", "one resource; shows each line that it changes"],
      ["evenkeel accept --dry-run 'payments/*:license/*'", "every license that differs; changes no file"],
      ["evenkeel accept 'payments/*' --merge-request", "as a merge request; changes no file here"],
    ],
    flags: [
      ...common.connected,
      option(
        "--merge-request",
        "commit the changes to a branch on the server and open a merge request, or update the open one",
      ),
      option("--branch <name>", "the branch; default: evenkeel/accept-… derived from the addresses"),
      option("--dry-run", "show the lines that would change without changing them"),
    ],
  },
  routes: {
    arguments: "<project>",
    summary: "who is notified of an event, and in which channel",
    examples: [
      ["evenkeel routes payments/api --event pipeline --pipeline-status failed", "from the manifests"],
      ["evenkeel routes payments/api --event push --branch-kind protected --live", "from the server"],
    ],
    flags: [
      ...common.connected,
      option("--event <kind>", "push, pipeline, issues, ...: a flag's name without _events"),
      option("--branch <branch>", "on this branch, for integrations that list branches"),
      option("--branch-kind <kind>", "on a branch of this kind", { choices: branchKinds }),
      option("--pipeline-status <status>", "how the pipeline ended", { choices: ["success", "failed"] }),
      option("--live", "from the server instead of the manifests"),
    ],
  },
  mcp: {
    summary: "serve an AI assistant over the Model Context Protocol (stdio); read-only",
    examples: [
      ["evenkeel mcp", "the workspace of this folder; the assistant starts it"],
      ["evenkeel mcp -C policies-repo", "another one"],
    ],
    flags: [common.folder],
  },
} as const satisfies Commands;
