import { branchKinds } from "../model/branch-kinds.ts";
import { dialectNames } from "../model/dialect-names.ts";
import { findingKinds, planKinds, revisionKinds } from "../report/report-kinds.ts";
import { applyModes } from "../state/watch-memory.ts";
import type { Flag, OptionsOf } from "./verb.ts";

/** Where the workspace is. */
const folder = { flags: "-C <dir>", description: "look for evenkeel.yaml in this folder and upward" } as const;

/** For cron jobs. */
const quiet = { flags: "--quiet", description: "no progress and no notes on stderr" } as const;

/** For commands that have something to report, in these kinds. */
function reportOf(kinds: readonly string[]) {
  return {
    flags: "--report <kind[=path]>",
    description: `also write a report: ${kinds.join(", ")}; without a path, to stdout instead of the text (repeatable)`,
    takes: "list",
    suggests: kinds,
  } as const;
}

const report = reportOf(["json", "text"]);
const planReport = reportOf(planKinds);
const concurrency = {
  flags: "--concurrency <n>",
  description: "at most so many requests in flight; auto: as many as serve best, up to 128",
  takes: "concurrency",
  suggests: ["auto"],
} as const;
const timeout = {
  flags: "--timeout <duration>",
  description: "stop the whole run after this time, such as 10m",
  takes: "duration",
} as const;
const giveUpAfter = {
  flags: "--give-up-after <duration>",
  description: "end the run when the server has answered nothing for this time; default: 60s",
  takes: "duration",
} as const;
const out = { flags: "--out <file>", description: "save the plan, as JSON" } as const;
const detailedExitcode = { flags: "--detailed-exitcode", description: "exit 2 when changes are pending" } as const;
const yes = { flags: "--yes", description: "do not ask" } as const;
const storage = { flags: "--storage", description: "plan storage migrations too" } as const;
const failOnLoosening = {
  flags: "--fail-on-loosening",
  description: "exit 3 when a change loosens a license policy",
} as const;
const resend = {
  flags: "--resend <glob>",
  description: "write matching integrations even if nothing differs (repeatable)",
  takes: "list",
} as const;
const status = { flags: "--status <status>", description: "created, running, success, failed or canceled" } as const;

const asOf = {
  flags: "--as-of <date>",
  description: "what counts on another day (UTC), such as 2027-06-30",
  takes: "day",
} as const;

const dialect = {
  flags: "--dialect <name>",
  description: "whose names: those of the specification, or a platform's; default: as the workspace around says",
  choices: dialectNames,
} as const;

/** Of commands that send nothing. */
const offline = [folder, report, quiet] as const;

/** Of commands that talk to the server, whatever manifests say. */
const connected = [folder, report, concurrency, timeout, giveUpAfter, quiet] as const;

/** Of commands that compare a workspace with its server. */
const online = [
  folder,
  {
    flags: "--target <glob>",
    description: "only addresses that match, such as 'payments/*' (repeatable)",
    takes: "list",
  },
  {
    flags: "--shard <i/n>",
    description: "only the i-th of n parts of the projects; auto: from CI_NODE_INDEX and CI_NODE_TOTAL",
    takes: "shard",
  },
  { flags: "--since <rev>", description: "only projects that want something else than at this git revision" },
  planReport,
  concurrency,
  { flags: "--workers", description: "have workers of the shared state read and write (evenkeel worker)" },
  timeout,
  giveUpAfter,
  quiet,
] as const;

/** The options of each command; the types of what a command is given are derived from here. */
export const flags = {
  init: [
    { flags: "--url <url>", description: "the server's address; on a terminal, init asks for what is not given" },
    { flags: "--release <release>", description: "its release, such as 14.5" },
    { flags: "--tier <tier>", description: "its tier", choices: ["free", "premium", "ultimate"] },
    {
      flags: "--dialect <name>",
      description: "whose names it speaks: those of the specification, or a platform's own",
      choices: dialectNames,
      default: "neutral",
    },
  ],
  validate: [folder, reportOf(findingKinds), asOf, quiet],
  plan: [
    ...online,
    asOf,
    out,
    { flags: "--save", description: "save the plan in the state, for apply --plan RUN" },
    detailedExitcode,
    storage,
    resend,
    failOnLoosening,
    { flags: "--fail-on-guard", description: "exit 3 when a guard would refuse to apply the plan" },
  ],
  apply: [
    ...online,
    yes,
    storage,
    { flags: "--plan <run>", description: "apply the plan that this run saved in the state" },
    {
      flags: "--lock-timeout <duration>",
      description: "wait so long for another apply, such as 5m",
      takes: "duration",
    },
    {
      flags: "--waves <list>",
      description: "change a few projects first, such as 1,5%,100%, and go on only where all went well",
      takes: "waves",
    },
    { flags: "--dry-run", description: "print every request, send none" },
    { ...asOf, description: "with --dry-run: what counts on another day (UTC), such as 2027-06-30" },
    resend,
    failOnLoosening,
    { flags: "--allow-deletes <n>", description: "let up to n disables and deletes pass the guards", takes: "count" },
    {
      flags: "--allow-protected <address>",
      description: "let this protected integration or license be removed (repeatable)",
      takes: "list",
    },
    {
      flags: "--record-deployment <environment>",
      description: "record the apply as a deployment to this environment",
    },
    {
      flags: "--deployment-project <project>",
      description: "the project to record it in, usually that of the policies",
    },
    { flags: "--sha <sha>", description: "the commit that is deployed" },
    { flags: "--ref <ref>", description: "its branch or tag" },
    { flags: "--tag", description: "the ref is a tag" },
  ],
  drift: [...online, asOf, failOnLoosening],
  diff: [
    folder,
    { flags: "--to <rev>", description: "compare with this revision instead of the files as they are" },
    {
      flags: "--projects <file>",
      description: "the fleet's projects, a full path per line; default: as the last plan listed them",
    },
    { ...detailedExitcode, description: "exit 2 if something differs" },
    reportOf(revisionKinds),
    quiet,
  ],
  approve: [
    folder,
    { flags: "--plan <run>", description: "sign the plan that this run saved in the state" },
    { flags: "--key <file>", description: "the SSH key to sign with; default: the agent's only key, else ~/.ssh/id_*" },
    report,
    quiet,
  ],
  merge: [folder, planReport, quiet, out, detailedExitcode],
  show: [...offline, asOf],
  blame: offline,
  accept: [...connected, { flags: "--dry-run", description: "show the lines that would change, change none" }],
  import: [
    ...connected,
    { flags: "--all", description: "every project that the token can see" },
    {
      flags: "--group <glob>",
      description: "projects whose path matches, or those below a group (repeatable)",
      takes: "list",
    },
    { flags: "--factor", description: "say once, for a folder or for all, what projects share" },
    {
      flags: "--secrets <scope>",
      description: "a name for each project's secret, or one for the projects of a group",
      choices: ["by-project", "by-group"],
      default: "by-project",
    },
    {
      flags: "--from <tool>",
      description: "read that tool's files instead of the server, offline",
      choices: ["gitlabform", "terraform"],
    },
    { flags: "--out <dir>", description: "where to write; by default policies/ of the workspace" },
  ],
  "export license-policy": [
    ...offline,
    asOf,
    {
      flags: "--release <release>",
      description: "the release of the server that reads the file; default: the workspace's",
    },
    {
      flags: "--approvers <who>",
      description: "role:ROLE, user:NAME or group:PATH (repeatable); default: role:maintainer",
      takes: "list",
    },
    { flags: "--approvals <n>", description: "how many have to approve", takes: "count", default: "1" },
    { flags: "--no-allow-list", description: "licenses that no policy lists need no approval" },
    {
      flags: "--projects <file>",
      description: "the fleet's projects, a full path per line; default: as the last plan listed them",
    },
  ],
  explain: [report, dialect],
  journal: offline,
  runs: [...offline, { flags: "--project <project>", description: "only runs that concern this project" }],
  state: offline,
  "state copy": [
    folder,
    { flags: "--from <state>", description: "a URL, or a folder with a workspace" },
    { flags: "--to <state>", description: "a URL, or a folder with a workspace" },
    quiet,
  ],
  "lock release": [folder, yes, quiet],
  "deployments list": [
    ...connected,
    { flags: "--order-by <field>", description: "id, iid, created_at, updated_at or ref" },
    { flags: "--sort <direction>", description: "asc or desc" },
    { flags: "--updated-after <time>", description: "ISO 8601, such as 2021-11-21T07:30:00Z" },
    { flags: "--updated-before <time>", description: "ISO 8601" },
    { flags: "--environment <name>", description: "deployments to this environment" },
    status,
  ],
  "deployments show": connected,
  "deployments merge-requests": connected,
  "deployments create": [
    ...connected,
    { flags: "--environment <name>", description: "the environment" },
    { flags: "--sha <sha>", description: "the commit" },
    { flags: "--ref <ref>", description: "the branch or tag" },
    { flags: "--tag", description: "the ref is a tag" },
    { flags: "--no-tag", description: "the ref is a branch" },
    status,
  ],
  "deployments update": [...connected, status],
  "deployments delete": [...connected, yes],
  deprecations: [
    folder,
    { flags: "--release <release>", description: "only what is removed up to this release" },
    { flags: "--as-of <date>", description: "only what is removed by this day, such as 2022-05-22", takes: "day" },
    report,
    quiet,
  ],
  "deprecations scan": [
    folder,
    { flags: "--release <release>", description: "check uses for this release; default: the workspace's, else 14.5" },
    { flags: "--fix", description: "rewrite uses that have an exact replacement; comments and layout stay" },
    report,
    quiet,
  ],
  routes: [
    ...connected,
    { flags: "--event <kind>", description: "push, pipeline, issues, ...: a flag's name without _events" },
    { flags: "--branch <branch>", description: "on this branch, for integrations that list branches" },
    { flags: "--branch-kind <kind>", description: "on a branch of this kind", choices: branchKinds },
    { flags: "--pipeline-status <status>", description: "how the pipeline ended", choices: ["success", "failed"] },
    { flags: "--live", description: "from the server, not from manifests" },
    { flags: "--diff", description: "compare live with desired; with --event, only that event" },
  ],
  fmt: [folder, { flags: "--check", description: "list the files that would change, change none" }],
  translate: [
    folder,
    {
      flags: "--to <dialect>",
      description: "the dialect to speak from now on",
      choices: dialectNames,
    },
    { flags: "--check", description: "list the files that would change, change none" },
  ],
  completion: [],
  schema: [dialect],
  worker: [
    concurrency,
    { flags: "--once", description: "end with the run that it works for; without any, after 30s" },
    quiet,
  ],
  watch: [
    folder,
    { flags: "--every <duration>", description: "look so often, such as 30m; default: 30m", takes: "duration" },
    { flags: "--cron <expression>", description: "look at these times instead, such as '7 * * * *'" },
    { flags: "--follow", description: "fast-forward the checkout, and look at once at what a commit changed" },
    {
      flags: "--poll <duration>",
      description: "with --follow: ask the remote so often",
      takes: "duration",
      default: "15s",
    },
    {
      flags: "--apply <what>",
      description: "nothing; what the manifests ask for; or drift too, once two looks in a row saw it",
      choices: applyModes,
      default: "never",
    },
    {
      flags: "--hooks <port>",
      description: "listen for POST /hooks/push, GET /healthz and GET /metrics; 0 for a free port",
      takes: "count",
    },
    { flags: "--host <host>", description: "with --hooks: the address to bind to", default: "127.0.0.1" },
    { flags: "--looks <n>", description: "end after n looks, with the exit code of the last", takes: "count" },
    {
      flags: "--grace <n>",
      description: "tell of drift once n looks in a row saw it",
      takes: "count",
      default: "2",
    },
    concurrency,
    { flags: "--workers", description: "have workers of the shared state read and write (evenkeel worker)" },
    giveUpAfter,
    quiet,
  ],
  "storage status": connected,
  whoami: [
    ...connected,
    {
      flags: "--project <project>",
      description: "a project by ID or path: the role in it, and whether it can be read",
    },
  ],
  console: [
    folder,
    { flags: "--port <n>", description: "0: any free one", takes: "count", default: "8090" },
    {
      flags: "--host <address>",
      description: "where to listen; not on loopback only with a token or a proxy",
      default: "127.0.0.1",
    },
    {
      flags: "--trust-user-header <name>",
      description: "a proxy in front signs people in, and names them in this header",
    },
  ],
  serve: [
    { flags: "--port <n>", description: "0 for a free one", takes: "count", default: "0" },
    { flags: "--host <host>", description: "the address to bind to", default: "127.0.0.1" },
    { flags: "--seed <file>", description: "YAML with the initial content of a new server" },
    { flags: "--data <file>", description: "keep everything in this database file" },
    { flags: "--token <token>", description: "an administrator's token", default: "evenkeel-dev-token" },
    { flags: "--release <release>", description: "the release to behave like", default: "14.5" },
    {
      flags: "--tier <tier>",
      description: "free, premium or ultimate",
      choices: ["free", "premium", "ultimate"],
      default: "ultimate",
    },
    {
      flags: "--environment <name>",
      description: "development has mock-ci",
      choices: ["production", "development"],
      default: "production",
    },
    {
      flags: "--dialect <name>",
      description: "whose names to speak: those of the specification, or a platform's own",
      choices: dialectNames,
      default: "neutral",
    },
    {
      flags: "--behaviour <name>",
      description: "as the specification says, or as deployed servers behave",
      choices: ["spec", "observed"],
      default: "spec",
    },
    { flags: "--latency <ms>", description: "delay each answer", takes: "count", default: "0" },
    { flags: "--chaos <file>", description: "YAML with faults to inject" },
  ],
} as const satisfies Readonly<Record<string, readonly Flag[]>>;

/** What the command of this name is given of its options. */
export type Options<Name extends keyof typeof flags> = OptionsOf<(typeof flags)[Name]>;
