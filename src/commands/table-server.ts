import { applyModes } from "../state/watch-memory.ts";
import { type Commands, option } from "./command.ts";
import * as common from "./options.ts";

export const serverCommands = {
  plan: {
    summary: "compare manifests with the server; sends only GET requests",
    examples: [
      ["evenkeel plan", "what apply would change"],
      ["evenkeel plan --target 'payments/*' --detailed-exitcode", "one team; exit 2 when changes are pending"],
      ["evenkeel plan --report json=plan.json", "text for people, and a file for scripts"],
      ["evenkeel plan --report markdown=comment.md --report sarif=plan.sarif", "for a merge request"],
    ],
    flags: [
      ...common.online,
      common.asOf,
      common.out,
      option("--save", "save the plan in the state, for apply --plan RUN"),
      common.detailedExitcode,
      common.storage,
      common.resend,
      common.failOnLoosening,
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
      ...common.online,
      common.yes,
      common.storage,
      option("--plan <run>", "apply the plan that this run saved in the state"),
      option("--lock-timeout <duration>", "how long to wait for another apply, such as 5m", { takes: "duration" }),
      option("--waves <list>", "change a few projects first, such as 1,5%,100%, and continue only if all succeed", {
        takes: "waves",
      }),
      option("--dry-run", "print the requests without sending them"),
      { ...common.asOf, description: "with --dry-run: evaluate dates as of this day (UTC)" },
      common.resend,
      common.failOnLoosening,
      option("--allow-deletes <n>", "permit up to n disables and deletes despite the guards", { takes: "count" }),
      option("--allow-protected <address>", "permit the removal of this protected resource (repeatable)", {
        takes: "list",
      }),
      option("--record-deployment <environment>", "record the apply as a deployment to this environment"),
      option("--deployment-project <project>", "the project to record it in, usually the one with the policies"),
      option("--sha <sha>", "the commit that is deployed"),
      option("--ref <ref>", "its branch or tag"),
      common.isTag,
    ],
  },
  drift: {
    summary: "like plan --detailed-exitcode, for scheduled jobs",
    examples: [
      ["evenkeel drift", "exit 0 if in sync, 2 if live state differs"],
      ["evenkeel drift --quiet --report prometheus=/var/lib/node_exporter/evenkeel.prom", "nightly"],
    ],
    flags: [
      ...common.online,
      common.asOf,
      common.failOnLoosening,
      option("--no-authors", "do not ask the server who made the changes"),
    ],
  },
  merge: {
    arguments: "<plan...>",
    summary: "merge the plans of shards into one",
    examples: [
      ["evenkeel merge shard-*.json --out plan.json", "one plan to review and apply"],
      ["evenkeel merge shard-*.json --report markdown=comment.md", "and one report"],
    ],
    flags: [common.folder, common.planReport, common.quiet, common.out, common.detailedExitcode],
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
      common.folder,
      option("--plan <run>", "sign the plan that this run saved in the state"),
      option("--key <file>", "the SSH key to sign with; default: the agent's only key, else ~/.ssh/id_*"),
      common.report,
      common.quiet,
    ],
  },
} as const satisfies Commands;

export const operateCommands = {
  watch: {
    summary: "detect drift continuously: check on a schedule and on new commits, notify, optionally apply",
    examples: [
      ["evenkeel watch", "every 30 minutes; writes nothing"],
      ["evenkeel watch --cron '7 * * * *' --follow --hooks 8095", "each hour, and after each push"],
      ["evenkeel watch --follow --apply pending", "apply what commits change, within guards and rules"],
      ["evenkeel watch --max-checks 1", "one check, with the exit code of drift"],
    ],
    flags: [
      common.folder,
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
        "open a merge request that accepts drift, one for each group of equal drift; closed when the drift is gone",
      ),
      option("--hooks <port>", "listen for POST /hooks/push, GET /healthz and GET /metrics; 0 for a free port", {
        takes: "count",
      }),
      option("--host <host>", "with --hooks: the address to bind to", { default: "127.0.0.1", with: "--hooks" }),
      option("--max-checks <n>", "exit after n checks with the exit code of the last one", { takes: "count" }),
      option("--grace <n>", "report drift after n consecutive checks have seen it", { takes: "count", default: "2" }),
      common.concurrency,
      common.workers,
      common.giveUpAfter,
      common.quiet,
    ],
  },
  worker: {
    summary: "plan and apply shards of runs that are started with --workers, in a checkout of the same manifests",
    examples: [
      ["evenkeel worker", "until it is interrupted; needs EVENKEEL_STATE and a token"],
      ["evenkeel worker -C checkout --once --concurrency 16", "for one run, with at most 16 concurrent requests"],
    ],
    flags: [
      common.folder,
      common.concurrency,
      option("--once", "exit after one run, or after 30s without one"),
      common.quiet,
    ],
  },
  console: {
    summary: "web UI for the state: status of each project, history, plans to review",
    examples: [
      ["evenkeel console", "on http://127.0.0.1:8090, for this machine"],
      ["evenkeel console --host 0.0.0.0 --trust-user-header X-Forwarded-User", "behind an authenticating proxy"],
    ],
    flags: [
      common.folder,
      option("--port <n>", "the port; 0 for a free one", { takes: "count", default: "8090" }),
      option("--host <address>", "the address to bind to; any but loopback requires a token or a proxy", {
        default: "127.0.0.1",
      }),
      option("--trust-user-header <name>", "the header in which an authenticating proxy names the user"),
    ],
  },
  runs: {
    summary: "the run history: who ran what and when, and how it ended",
    examples: [
      ["evenkeel runs", "plans, drifts and applies, newest first"],
      ["evenkeel runs --project payments/api", "those that concern one project"],
      ["evenkeel runs --report json", "for scripts"],
    ],
    flags: [...common.offline, option("--project <project>", "only runs that concern this project")],
  },
  journal: {
    arguments: "[run]",
    summary: "what an apply did, request by request",
    examples: [
      ["evenkeel journal", "all runs of this workspace"],
      ["evenkeel journal 20261121T072315Z-1f2e", "one of them"],
    ],
    flags: common.offline,
  },
  state: {
    summary: "where the state is, who holds the lease, and how much it contains",
    examples: [
      ["evenkeel state", "the workspace of this folder"],
      ["evenkeel state --report json", "for scripts"],
    ],
    flags: common.offline,
  },
  "lock release": {
    arguments: "<run>",
    summary: "release the lease of a run that no longer exists",
    examples: [
      ["evenkeel lock release 20261121T072315Z-1f2e", "after asking"],
      ["evenkeel lock release 20261121T072315Z-1f2e --yes", "without asking"],
    ],
    flags: [common.folder, common.yes, common.quiet],
  },
} as const satisfies Commands;

export const apiCommands = {
  "deployments list": {
    arguments: "<project>",
    summary: "the deployments of a project",
    examples: [
      ["evenkeel deployments list payments/api --status failed", "only the failed ones"],
      ["evenkeel deployments list 42 --updated-after 2021-11-01 --report json", "from that day on, for scripts"],
    ],
    flags: [
      ...common.connected,
      option("--order-by <field>", "id, iid, created_at, updated_at or ref"),
      option("--sort <direction>", "asc or desc"),
      option("--updated-after <time>", "ISO 8601, such as 2021-11-21T07:30:00Z"),
      option("--updated-before <time>", "ISO 8601"),
      option("--environment <name>", "deployments to this environment"),
      common.status,
    ],
  },
  "deployments show": {
    arguments: "<project> <id>",
    summary: "one deployment, with its job, commit and pipeline",
    examples: [
      ["evenkeel deployments show payments/api 7", "by the ID that the list shows"],
      ["evenkeel deployments show payments/api 7 --report json", "for scripts"],
    ],
    flags: common.connected,
  },
  "deployments merge-requests": {
    arguments: "<project> <id>",
    summary: "the merge requests that a deployment included",
    examples: [
      ["evenkeel deployments merge-requests ops/policies 7", "the policy changes that were deployed"],
      ["evenkeel deployments merge-requests ops/policies 7 --report json", "for scripts"],
    ],
    flags: common.connected,
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
      ...common.connected,
      option("--environment <name>", "the environment"),
      option("--sha <sha>", "the commit"),
      option("--ref <ref>", "the branch or tag"),
      common.isTag,
      option("--no-tag", "the ref is a branch"),
      common.status,
    ],
  },
  "deployments update": {
    arguments: "<project> <id>",
    summary: "set the status of a deployment",
    examples: [
      ["evenkeel deployments update payments/api 7 --status success", "it succeeded"],
      ["evenkeel deployments update payments/api 7 --status failed", "it failed"],
    ],
    flags: [...common.connected, common.status],
  },
  "storage status": {
    arguments: "<storage>",
    summary: "count the repositories that remain on a storage",
    examples: [
      ["evenkeel storage status nfs-1", "projects; snippets and groups if the server lists their moves"],
      ["evenkeel storage status nfs-1 --report json", "for scripts"],
    ],
    flags: common.connected,
  },
  deprecations: {
    summary: "the schedule of removals; deprecations scan finds uses in your files",
    examples: [
      ["evenkeel deprecations", "the whole schedule; due changes are marked"],
      ["evenkeel deprecations --as-of 2022-05-22 --report json", "removals by that day, for scripts"],
      ["evenkeel deprecations scan .", "uses of removed features below this folder"],
    ],
    flags: [
      common.folder,
      option("--release <release>", "only what is removed up to this release"),
      option("--as-of <date>", "only what is removed by this day, such as 2022-05-22", { takes: "day" }),
      common.report,
      common.quiet,
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
      common.folder,
      option("--release <release>", "check uses for this release; default: the workspace's, else 14.5"),
      option("--fix", "rewrite uses that have an exact replacement; comments and layout are kept"),
      common.report,
      common.quiet,
    ],
  },
} as const satisfies Commands;

export const rehearsalCommands = {
  serve: {
    summary: "run the embedded mock server, for trials and rehearsals",
    examples: [
      ["evenkeel serve --seed seed.yaml", "on a free port, in memory"],
      ["evenkeel serve --port 8080 --data server.db", "keeps its data across restarts"],
      ["evenkeel serve --kinds .", "including this workspace's own kinds of resources"],
    ],
    flags: [
      option("--port <n>", "the port; 0 for a free one", { takes: "count", default: "0" }),
      option("--host <host>", "the address to bind to", { default: "127.0.0.1" }),
      option("--seed <file>", "YAML with the initial content"),
      option("--data <file>", "keep everything in this file"),
      option("--kinds <dir>", "also serve the kinds of resources defined in this folder"),
      option("--token <token>", "an administrator's token", { default: "evenkeel-dev-token" }),
      option("--release <release>", "the release to behave like", { default: "14.5" }),
      option("--tier <tier>", "the tier to behave like", { choices: common.tiers, default: "ultimate" }),
      option("--environment <name>", "development also has mock-ci", {
        choices: ["production", "development"],
        default: "production",
      }),
      common.serverDialect,
      option("--behaviour <name>", "follow the specification, or behave like deployed servers", {
        choices: ["spec", "observed"],
        default: "spec",
      }),
      option("--latency <ms>", "delay of each response, in milliseconds", { takes: "count", default: "0" }),
      option("--chaos <file>", "YAML with faults to inject"),
    ],
  },
} as const satisfies Commands;
