import { branchKinds } from "../model/branch-kinds.ts";
import { dialectNames } from "../model/dialect-names.ts";
import { findingKinds, revisionKinds } from "../report/report.ts";
import { applyModes } from "../state/watch-memory.ts";
import {
  asOf,
  type CommandRow,
  check,
  concurrency,
  connected,
  detailedExitcode,
  dialect,
  exclude,
  failOnLoosening,
  folder,
  giveUpAfter,
  isTag,
  type OptionsOf,
  offline,
  online,
  option,
  out,
  planReport,
  projects,
  quiet,
  report,
  reportOf,
  resend,
  serverDialect,
  status,
  storage,
  target,
  tiers,
  timeout,
  workers,
  yes,
} from "./command.ts";

/** Every command of `evenkeel`, in the order of help: its help text, options and arguments. */
const table = {
  init: {
    arguments: "[dir]",
    summary: "write a workspace that validates, with a commented example",
    examples: [
      ["evenkeel init", "in this folder"],
      ["evenkeel init policies-repo --ci gitlab", "in a new one, with a pipeline"],
      ["evenkeel init --url https://code.example.com --release 14.5 --tier ultimate", "without questions"],
    ],
    flags: [
      option("--url <url>", "the server's URL; on a terminal, init asks for missing values"),
      option("--release <release>", "its release, such as 14.5"),
      option("--tier <tier>", "its tier", { choices: tiers }),
      option("--dialect <name>", "its naming dialect; default: the server is asked", { choices: dialectNames }),
      option("--ci <forge>", "also write a pipeline: plan, apply, drift", { choices: ["gitlab", "github"] }),
    ],
  },
  validate: {
    summary: "check every manifest; offline, no token needed",
    examples: [
      ["evenkeel validate", "the workspace of this folder"],
      ["evenkeel validate -C policies-repo --report json", "for scripts"],
    ],
    flags: [folder, reportOf(findingKinds), asOf, quiet],
  },
  test: {
    arguments: "[path...]",
    summary: "run the tests of policies and rules against the embedded server; offline, no token needed",
    examples: [
      ["evenkeel test", "every document of kind: Test in this workspace"],
      ["evenkeel test tests/rules.yaml", "those of one file or folder"],
      ["evenkeel test --report junit=tests.xml", "for a pipeline"],
    ],
    flags: [folder, reportOf(["json", "junit", "text"]), quiet],
  },
  plan: {
    summary: "compare manifests with the server; sends only GET requests",
    examples: [
      ["evenkeel plan", "what apply would change"],
      ["evenkeel plan --target 'payments/*' --detailed-exitcode", "one team; exit 2 when changes are pending"],
      ["evenkeel plan --report json=plan.json", "text for people, and a file for scripts"],
      ["evenkeel plan --report markdown=comment.md --report sarif=plan.sarif", "for a merge request"],
    ],
    flags: [
      ...online,
      asOf,
      out,
      option("--save", "save the plan in the state, for apply --plan RUN"),
      detailedExitcode,
      storage,
      resend,
      failOnLoosening,
      option("--fail-on-guard", "exit 3 if a guard blocks the plan"),
    ],
  },
  apply: {
    arguments: "[plan]",
    summary: "plan, ask, and make the changes; or apply a saved plan",
    examples: [
      ["evenkeel apply", "show the plan, ask, apply"],
      ["evenkeel apply plan.json", "exactly what was planned and reviewed"],
      ["evenkeel apply --yes", "without asking, as in CI"],
      ["evenkeel apply --yes --waves 1,5%,100%", "one project first, then 5 %, then all"],
      ["evenkeel apply --dry-run", "every request that would be sent; sends none"],
    ],
    flags: [
      ...online,
      yes,
      storage,
      option("--plan <run>", "apply the plan that this run saved in the state"),
      option("--lock-timeout <duration>", "how long to wait for another apply, such as 5m", { takes: "duration" }),
      option("--waves <list>", "change a few projects first, such as 1,5%,100%, and continue only if all succeed", {
        takes: "waves",
      }),
      option("--dry-run", "print the requests without sending them"),
      { ...asOf, description: "with --dry-run: evaluate dates as of this day (UTC)" },
      resend,
      failOnLoosening,
      option("--allow-deletes <n>", "permit up to n disables and deletes despite the guards", { takes: "count" }),
      option(
        "--allow-protected <address>",
        "permit the removal of this protected integration or license (repeatable)",
        { takes: "list" },
      ),
      option("--record-deployment <environment>", "record the apply as a deployment to this environment"),
      option("--deployment-project <project>", "the project to record it in, usually the one with the policies"),
      option("--sha <sha>", "the commit that is deployed"),
      option("--ref <ref>", "its branch or tag"),
      isTag,
    ],
  },
  drift: {
    summary: "like plan --detailed-exitcode, for scheduled jobs",
    examples: [
      ["evenkeel drift", "exit 0 in sync, 2 where live state differs"],
      ["evenkeel drift --quiet --report prometheus=/var/lib/node_exporter/evenkeel.prom", "nightly"],
    ],
    flags: [...online, asOf, failOnLoosening, option("--no-authors", "do not ask the server who made the changes")],
  },
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
      folder,
      option("--to <rev>", "compare with this revision instead of the working tree"),
      projects,
      { ...detailedExitcode, description: "exit 2 if something differs" },
      reportOf(revisionKinds),
      quiet,
    ],
  },
  unmanaged: {
    summary: "what is live and no policy declares; changes nothing",
    examples: [
      ["evenkeel unmanaged", "of the projects that policies select"],
      ["evenkeel unmanaged --target 'payments/*:webhook/*' --report json", "a part of it, for scripts"],
    ],
    flags: [folder, target, exclude, reportOf(revisionKinds), concurrency, timeout, giveUpAfter, quiet],
  },
  approve: {
    arguments: "[plan]",
    summary: "sign a saved plan with your SSH key, for an apply that needs approvals",
    examples: [
      ["evenkeel approve plan.json", "adds your signature to plan.json.sig; sends nothing"],
      [
        "evenkeel approve plan.json --key ~/.ssh/id_ed25519",
        "with this key; its .pub file if an agent holds the private key",
      ],
      ["evenkeel approve --plan 20261121T072315Z-1f2e", "a plan that plan --save kept in the state"],
    ],
    flags: [
      folder,
      option("--plan <run>", "sign the plan that this run saved in the state"),
      option("--key <file>", "the SSH key to sign with; default: the agent's only key, else ~/.ssh/id_*"),
      report,
      quiet,
    ],
  },
  merge: {
    arguments: "<plan...>",
    summary: "merge the plans of shards into one",
    examples: [
      ["evenkeel merge shard-*.json --out plan.json", "one plan to review and apply"],
      ["evenkeel merge shard-*.json --report markdown=comment.md", "and one report"],
    ],
    flags: [folder, planReport, quiet, out, detailedExitcode],
  },
  show: {
    arguments: "<project>",
    summary: "the effective desired state of one project, with the origin of each entry",
    examples: [
      ["evenkeel show payments/api", "after all layers are merged"],
      ["evenkeel show 42 --report json", "by ID, for scripts"],
    ],
    flags: [...offline, asOf],
  },
  overrides: {
    arguments: "[policy]",
    summary: "what policies with wildcards declare and other policies override, project by project; offline",
    examples: [
      ["evenkeel overrides", "of every policy with a wildcard"],
      ["evenkeel overrides company --projects projects.txt", "of one policy, in these projects"],
      ["evenkeel overrides --project payments/api --report json", "in one project, for scripts"],
    ],
    flags: [option("--project <project>", "only in this project"), projects, ...offline],
  },
  prune: {
    arguments: "[policy...]",
    summary: "remove entries that wider policies declare as well; changes no desired state",
    examples: [
      ["evenkeel prune", "entries that any policy with a wildcard declares as well"],
      ["evenkeel prune --check", "for CI: changes nothing, exit 1 if something could go"],
      ["evenkeel prune company --yield", "also entries that differ, so that the policy holds; asks first"],
    ],
    flags: [
      { ...check, description: "list what could go without changing anything; exit 1 if there is something" },
      option("--yield", "remove entries that differ from the policy, too"),
      yes,
      projects,
      ...offline,
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
      ["evenkeel import --group 'payments/**/' --kinds labels --factor", "groups, by a glob with a slash after it"],
      ["evenkeel import --from gitlabform config.yml", "what a gitlabform configuration declares of projects; offline"],
      ["evenkeel import --from terraform *.tf terraform.tfvars", "those of Terraform files, or of its state; offline"],
    ],
    flags: [
      ...connected,
      option("--all", "every project that the token can see"),
      option(
        "--group <glob>",
        "projects whose path matches, or those below a group; with a slash after a glob: groups (repeatable)",
        { takes: "list" },
      ),
      option(
        "--kinds <section>",
        "what to read, such as webhooks,labels, or all; default: integrations and licenses (repeatable)",
        { takes: "list" },
      ),
      option("--factor", "extract settings that projects share into common policies"),
      option("--secrets <scope>", "name secrets per project, or share a name within a group", {
        choices: ["by-project", "by-group"],
        default: "by-project",
      }),
      option(
        "--values <form>",
        "form of all values of variables that are not masked or hidden; default: a literal where it is plainly no credential",
        { choices: ["literal", "reference"] },
      ),
      option("--from <tool>", "read that tool's files instead of the server, offline", {
        choices: ["gitlabform", "terraform"],
        without: ["--timeout", "--concurrency", "--give-up-after"],
      }),
      option("--out <dir>", "output folder; default: policies/ of the workspace"),
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
    flags: [folder, report, dialect, option("--kinds", "kinds of resources other than integrations")],
  },
  journal: {
    arguments: "[run]",
    summary: "what an apply did, request by request",
    examples: [
      ["evenkeel journal", "all runs of this workspace"],
      ["evenkeel journal 20261121T072315Z-1f2e", "one of them"],
    ],
    flags: offline,
  },
  runs: {
    summary: "the run history: who ran what and when, and how it ended",
    examples: [
      ["evenkeel runs", "plans, drifts and applies, newest first"],
      ["evenkeel runs --project payments/api", "those that concern one project"],
      ["evenkeel runs --report json", "for scripts"],
    ],
    flags: [...offline, option("--project <project>", "only runs that concern this project")],
  },
  console: {
    summary: "web UI for the state: status of each project, history, plans to review",
    examples: [
      ["evenkeel console", "on http://127.0.0.1:8090, for this machine"],
      ["evenkeel console --host 0.0.0.0 --trust-user-header X-Forwarded-User", "behind an authenticating proxy"],
    ],
    flags: [
      folder,
      option("--port <n>", "the port; 0 for a free one", { takes: "count", default: "8090" }),
      option("--host <address>", "the address to bind to; any but loopback requires a token or a proxy", {
        default: "127.0.0.1",
      }),
      option("--trust-user-header <name>", "the header in which an authenticating proxy names the user"),
    ],
  },
  state: {
    summary: "where the state is, who holds the lease, and how much is kept",
    examples: [
      ["evenkeel state", "the workspace of this folder"],
      ["evenkeel state --report json", "for scripts"],
    ],
    flags: offline,
  },
  "lock release": {
    arguments: "<run>",
    summary: "release the lease of a run that no longer exists",
    examples: [
      ["evenkeel lock release 20261121T072315Z-1f2e", "after asking"],
      ["evenkeel lock release 20261121T072315Z-1f2e --yes", "without asking"],
    ],
    flags: [folder, yes, quiet],
  },
  worker: {
    summary: "plan and apply shards of runs that are started with --workers, in a checkout of the same manifests",
    examples: [
      ["evenkeel worker", "until it is interrupted; needs EVENKEEL_STATE and a token"],
      ["evenkeel worker -C checkout --once --concurrency 16", "for one run, with at most 16 concurrent requests"],
    ],
    flags: [folder, concurrency, option("--once", "exit after one run, or after 30s without one"), quiet],
  },
  watch: {
    summary: "detect drift continuously: check on a schedule and on new commits, notify, optionally apply",
    examples: [
      ["evenkeel watch", "every 30 minutes; writes nothing"],
      ["evenkeel watch --cron '7 * * * *' --follow --hooks 8095", "each hour, and after each push"],
      ["evenkeel watch --follow --apply pending", "apply what commits change, within guards and rules"],
      ["evenkeel watch --max-checks 1", "one check, with the exit code of drift"],
    ],
    flags: [
      folder,
      option("--every <duration>", "interval between checks, such as 30m; default: 30m", { takes: "duration" }),
      option("--cron <expression>", "run checks on this cron schedule instead, such as '7 * * * *'"),
      option("--follow", "fast-forward the checkout and check the projects changed by new commits"),
      option("--poll <duration>", "with --follow: interval between polls of the remote", {
        takes: "duration",
        default: "15s",
        with: "--follow",
      }),
      option(
        "--apply <what>",
        "what to apply: nothing, pending changes, or pending changes and drift confirmed by two checks",
        { choices: applyModes, default: "never" },
      ),
      option(
        "--merge-request",
        "propose to accept drift: a merge request for each group of equal drift, closed when it is gone",
      ),
      option("--hooks <port>", "listen for POST /hooks/push, GET /healthz and GET /metrics; 0 for a free port", {
        takes: "count",
      }),
      option("--host <host>", "with --hooks: the address to bind to", { default: "127.0.0.1", with: "--hooks" }),
      option("--max-checks <n>", "exit after n checks with the exit code of the last one", { takes: "count" }),
      option("--grace <n>", "report drift after n consecutive checks have seen it", { takes: "count", default: "2" }),
      concurrency,
      workers,
      giveUpAfter,
      quiet,
    ],
  },
  "deployments list": {
    arguments: "<project>",
    summary: "the deployments of a project",
    examples: [
      ["evenkeel deployments list payments/api --status failed", "only the failed ones"],
      ["evenkeel deployments list 42 --updated-after 2021-11-01 --report json", "from that day on, for scripts"],
    ],
    flags: [
      ...connected,
      option("--order-by <field>", "id, iid, created_at, updated_at or ref"),
      option("--sort <direction>", "asc or desc"),
      option("--updated-after <time>", "ISO 8601, such as 2021-11-21T07:30:00Z"),
      option("--updated-before <time>", "ISO 8601"),
      option("--environment <name>", "deployments to this environment"),
      status,
    ],
  },
  "deployments show": {
    arguments: "<project> <id>",
    summary: "one deployment, with its job, commit and pipeline",
    examples: [
      ["evenkeel deployments show payments/api 7", "by the ID that the list shows"],
      ["evenkeel deployments show payments/api 7 --report json", "for scripts"],
    ],
    flags: connected,
  },
  "deployments merge-requests": {
    arguments: "<project> <id>",
    summary: "the merge requests that a deployment included",
    examples: [
      ["evenkeel deployments merge-requests ops/policies 7", "the policy changes that were deployed"],
      ["evenkeel deployments merge-requests ops/policies 7 --report json", "for scripts"],
    ],
    flags: connected,
  },
  "deployments create": {
    arguments: "<project>",
    summary: "record a deployment",
    examples: [
      [
        "evenkeel deployments create payments/api --environment production --sha 1f2e3d --ref main --no-tag --status running",
        "a branch, still running",
      ],
      [
        "evenkeel deployments create 42 --environment staging --sha 1f2e3d --ref v1.2.0 --tag --status success",
        "a tag, done",
      ],
    ],
    flags: [
      ...connected,
      option("--environment <name>", "the environment"),
      option("--sha <sha>", "the commit"),
      option("--ref <ref>", "the branch or tag"),
      isTag,
      option("--no-tag", "the ref is a branch"),
      status,
    ],
  },
  "deployments update": {
    arguments: "<project> <id>",
    summary: "set the status of a deployment",
    examples: [
      ["evenkeel deployments update payments/api 7 --status success", "it succeeded"],
      ["evenkeel deployments update payments/api 7 --status failed", "it failed"],
    ],
    flags: [...connected, status],
  },
  "deployments delete": {
    arguments: "<project> <id>",
    summary: "delete the record of a deployment, after asking; from release 15.3 on",
    examples: [
      ["evenkeel deployments delete payments/api 7", "shows it, and asks"],
      ["evenkeel deployments delete payments/api 7 --yes", "without asking"],
    ],
    flags: [...connected, yes],
  },
  deprecations: {
    summary: "the schedule of removals; deprecations scan finds uses in your files",
    examples: [
      ["evenkeel deprecations", "the whole schedule; due changes are marked"],
      ["evenkeel deprecations --as-of 2022-05-22 --report json", "removals by that day, for scripts"],
      ["evenkeel deprecations scan .", "uses of removed features below this folder"],
    ],
    flags: [
      folder,
      option("--release <release>", "only what is removed up to this release"),
      option("--as-of <date>", "only what is removed by this day, such as 2022-05-22", { takes: "day" }),
      report,
      quiet,
    ],
  },
  "deprecations scan": {
    arguments: "<path...>",
    summary: "find uses of removed features, and rewrite them",
    examples: [
      ["evenkeel deprecations scan .", "files below this folder, checked for the workspace's release"],
      ["evenkeel deprecations scan --release 15.0 ci scripts", "exit 1 if that release removes something in use"],
      ["evenkeel deprecations scan . --fix", "rewrite what has an exact replacement"],
    ],
    flags: [
      folder,
      option("--release <release>", "check uses for this release; default: the workspace's, else 14.5"),
      option("--fix", "rewrite uses that have an exact replacement; comments and layout are kept"),
      report,
      quiet,
    ],
  },
  routes: {
    arguments: "<project>",
    summary: "who is notified of an event, and in which channel",
    examples: [
      ["evenkeel routes payments/api --event pipeline --pipeline-status failed", "from the manifests"],
      ["evenkeel routes payments/api --event push --branch-kind protected --live", "from the server"],
      ["evenkeel routes payments/api --diff", "who will receive more or fewer events after an apply"],
    ],
    flags: [
      ...connected,
      option("--event <kind>", "push, pipeline, issues, ...: a flag's name without _events"),
      option("--branch <branch>", "on this branch, for integrations that list branches"),
      option("--branch-kind <kind>", "on a branch of this kind", { choices: branchKinds }),
      option("--pipeline-status <status>", "how the pipeline ended", { choices: ["success", "failed"] }),
      option("--live", "from the server instead of the manifests"),
      option("--diff", "compare live with desired; with --event, only that event"),
    ],
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
      ...connected,
      option(
        "--merge-request",
        "commit the changes to a branch on the server and open a merge request, or update the open one",
      ),
      option("--branch <name>", "its branch; default: evenkeel/accept-… by the addresses"),
      option("--dry-run", "show the lines that would change without changing them"),
    ],
  },
  blame: {
    arguments: "<address>",
    summary: "the line that sets a value, the commit that wrote it, and the run that last applied it",
    examples: [
      ["evenkeel blame payments/api:integration/irc-gateway", "every parameter and variable of an integration"],
      ["evenkeel blame payments/api:license/MIT --report json", "for scripts"],
    ],
    flags: offline,
  },
  fmt: {
    arguments: "[path...]",
    summary: "sort the keys of manifests; comments and values are kept",
    examples: [
      ["evenkeel fmt", "the workspace of this folder; lists the files that it changed"],
      ["evenkeel fmt --check", "for CI: changes nothing, exit 1 if a file would change"],
      ["evenkeel fmt policies/payments.yaml", "one file"],
    ],
    flags: [folder, check],
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
  schema: {
    arguments: "[dir]",
    summary: "write the JSON Schemas for editors",
    examples: [
      ["evenkeel schema .evenkeel/schemas", "where init writes them; run this after each upgrade"],
      ["evenkeel schema", "in this folder"],
    ],
    flags: [dialect],
  },
  "storage status": {
    arguments: "<storage>",
    summary: "count the repositories that remain on a storage",
    examples: [
      ["evenkeel storage status nfs-1", "projects; snippets and groups if the server lists their moves"],
      ["evenkeel storage status nfs-1 --report json", "for scripts"],
    ],
    flags: connected,
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
      ...connected,
      option("--project <project>", "check the role in this project (ID or path), and whether it can be read"),
    ],
  },
  mcp: {
    summary: "answer the questions of an AI assistant over the Model Context Protocol on stdio; read-only",
    examples: [
      ["evenkeel mcp", "the workspace of this folder; an assistant starts it"],
      ["evenkeel mcp -C policies-repo", "another one"],
    ],
    flags: [folder],
  },
  serve: {
    summary: "run the embedded mock server, for trials and rehearsals",
    examples: [
      ["evenkeel serve --seed seed.yaml", "on a free port, in memory"],
      ["evenkeel serve --port 8080 --data server.db", "keeps its data across restarts"],
      ["evenkeel serve --kinds .", "with the kinds of resources of this workspace, too"],
    ],
    flags: [
      option("--port <n>", "the port; 0 for a free one", { takes: "count", default: "0" }),
      option("--host <host>", "the address to bind to", { default: "127.0.0.1" }),
      option("--seed <file>", "YAML with the initial content"),
      option("--data <file>", "keep everything in this database file"),
      option("--kinds <dir>", "serve the kinds of resources in this folder, beside the bundled ones"),
      option("--token <token>", "an administrator's token", { default: "evenkeel-dev-token" }),
      option("--release <release>", "the release to behave like", { default: "14.5" }),
      option("--tier <tier>", "the tier to behave like", { choices: tiers, default: "ultimate" }),
      option("--environment <name>", "development also has mock-ci", {
        choices: ["production", "development"],
        default: "production",
      }),
      serverDialect,
      option("--behaviour <name>", "follow the specification, or behave like deployed servers", {
        choices: ["spec", "observed"],
        default: "spec",
      }),
      option("--latency <ms>", "delay of each response, in milliseconds", { takes: "count", default: "0" }),
      option("--chaos <file>", "YAML with faults to inject"),
    ],
  },
  __complete: {
    arguments: "[word...]",
    summary: "for completion scripts: the words that can replace the last one",
    examples: [["evenkeel __complete -- explain irc-", "one candidate per line"]],
    flags: [],
    hidden: true,
  },
} as const satisfies Readonly<Record<string, CommandRow>>;

export type CommandName = keyof typeof table;

/** The parsed options of the command of this name. */
export type Options<Name extends CommandName> = OptionsOf<(typeof table)[Name]["flags"]>;

/** A command with its name: one word, or two (`deployments list` is listed below `deployments`). */
export interface CliCommand extends CommandRow {
  readonly name: CommandName;
}

export const commands: readonly CliCommand[] = Object.entries(table).map(([name, row]) => ({
  name: name as CommandName,
  ...row,
}));

/** First words that are not commands themselves: alone, they list their subcommands. */
export const groups: Readonly<Record<string, string>> = {
  deployments: "the deployment records of a project",
  storage: "repositories that remain on a storage",
  lock: "the lease that prevents concurrent applies",
};

/** The purposes of commands, in the order of help. */
const purposes: Readonly<Record<string, readonly string[]>> = {
  "Get started": ["init", "import", "whoami", "explain", "schema", "completion"],
  "Write manifests": ["validate", "fmt", "show", "overrides", "prune", "test"],
  "Change the server": ["plan", "apply", "drift", "merge", "approve"],
  Review: ["diff", "unmanaged", "blame", "accept", "routes", "mcp"],
  Operate: ["watch", "worker", "console", "runs", "journal", "state", "lock"],
  "The rest of the API": ["deployments", "storage", "deprecations"],
  Rehearse: ["serve"],
};

/** The heading below which help lists a command. */
export function groupOf(name: string): string {
  const [first = ""] = name.split(" ");
  const purpose = Object.entries(purposes).find(([, names]) => names.includes(first));
  return purpose?.[0] ?? "Other commands";
}
