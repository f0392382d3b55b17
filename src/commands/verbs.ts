import type { ExitCode } from "../base/exit.ts";
import { deploymentVerbs } from "./deployment-verbs.ts";
import { deprecationVerbs } from "./deprecation-verbs.ts";
import { editingVerbs } from "./editing-verbs.ts";
import { checking, connected, joining, offline, online, report } from "./flags.ts";
import { routesVerb } from "./routes-verb.ts";
import type { Terminal } from "./terminal.ts";

/** What a command's `run` is given: the parsed options, and the arguments in order. */
export type Run<Options> = (
  terminal: Terminal,
  options: Options,
  args: readonly string[],
) => Promise<ExitCode> | ExitCode;

/** A row of the command line: what help shows, what is parsed, and where the code is, loaded when it is called. */
export interface Verb {
  /** One word, or two: `deployments list` is listed below `deployments` (see {@link groups}). */
  readonly name: string;
  /** In commander's notation; `[path...]` takes any number, which arrive one after another. */
  readonly arguments?: string;
  readonly summary: string;
  /** Shown first by `-h`: a command line, and what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  readonly options: readonly Flag[];
  readonly load: () => Promise<Run<never>>;
  /** Known to shells, and not listed by help. */
  readonly hidden?: true;
}

/** `flags` in commander's notation. */
export interface Flag {
  readonly flags: string;
  readonly description: string;
  readonly takes?: keyof Parsed;
  readonly default?: string;
  readonly choices?: readonly string[];
  /** What shells offer for it, among other things that it takes. */
  readonly suggests?: readonly string[];
}

/** Kinds of option values, and what each is parsed to; `list` gathers repeated options. */
export interface Parsed {
  readonly text: string;
  readonly list: readonly string[];
  readonly count: number;
  readonly positive: number;
  readonly duration: number;
  /** `auto`: as the pipeline's environment says. */
  readonly shard: { readonly index: number; readonly total: number } | "auto";
}

/** First words that are no commands of their own: alone they show what is below them. */
export const groups: Readonly<Record<string, string>> = {
  deployments: "the deployment records of a project",
  storage: "what is left on a storage",
};

const storage: Flag = { flags: "--storage", description: "storage migrations too" };

/** Every command of `evenkeel`, in the order in which help lists them. */
export const verbs: readonly Verb[] = [
  {
    name: "init",
    arguments: "[dir]",
    summary: "write a workspace that validates, with a commented example",
    examples: [
      ["evenkeel init", "in this folder"],
      ["evenkeel init policies-repo", "in a new one"],
      ["evenkeel init --url https://code.example.com --release 14.5 --tier ultimate", "asking nothing"],
    ],
    options: [
      { flags: "--url <url>", description: "the server's address; on a terminal, what no option says is asked for" },
      { flags: "--release <release>", description: "its release, such as 14.5" },
      { flags: "--tier <tier>", description: "its tier", choices: ["free", "premium", "ultimate"] },
    ],
    load: async () => (await import("./init.ts")).run,
  },
  {
    name: "validate",
    summary: "check every manifest; offline, no token needed",
    examples: [
      ["evenkeel validate", "the workspace of this folder"],
      ["evenkeel validate -C policies-repo --report json", "for scripts"],
    ],
    options: checking,
    load: async () => (await import("./validate.ts")).run,
  },
  {
    name: "plan",
    summary: "compare manifests with the server; GET requests only",
    examples: [
      ["evenkeel plan", "what apply would change"],
      ["evenkeel plan --target 'payments/*' --detailed-exitcode", "one team; exit 2 when changes are pending"],
      ["evenkeel plan --report json=plan.json", "text for people, and a file for scripts"],
      ["evenkeel plan --report markdown=comment.md --report sarif=plan.sarif", "for a merge request"],
    ],
    options: [
      ...online,
      { flags: "--out <file>", description: "save the plan, as JSON" },
      { flags: "--detailed-exitcode", description: "exit 2 when changes are pending" },
      storage,
      { flags: "--fail-on-loosening", description: "exit 3 when a change loosens a license policy" },
    ],
    load: async () => (await import("./plan.ts")).run,
  },
  {
    name: "apply",
    arguments: "[plan]",
    summary: "plan, ask, and make the changes; or carry out a saved plan",
    examples: [
      ["evenkeel apply", "show the plan, ask, apply"],
      ["evenkeel apply plan.json", "what was planned and reviewed, and nothing else"],
      ["evenkeel apply --yes", "without asking, as in CI"],
      ["evenkeel apply --dry-run", "every request that would be sent; none is"],
      [
        "evenkeel apply --yes --record-deployment production --deployment-project ops/policies --sha 1f2e3d --ref main",
        "the same, as a deployment of the policies",
      ],
    ],
    options: [
      ...online,
      { flags: "--yes", description: "do not ask" },
      storage,
      { flags: "--dry-run", description: "print every request and send none" },
      {
        flags: "--resend <glob>",
        description: "write matching integrations whatever the comparison says (repeatable)",
        takes: "list",
      },
      { flags: "--allow-deletes <n>", description: "let up to n disables and deletes pass the guards", takes: "count" },
      {
        flags: "--allow-protected <address>",
        description: "let this protected one be removed (repeatable)",
        takes: "list",
      },
      {
        flags: "--record-deployment <environment>",
        description: "record the apply as a deployment to this environment",
      },
      { flags: "--deployment-project <project>", description: "whose deployment it is: the project of the policies" },
      { flags: "--sha <sha>", description: "the commit that is deployed" },
      { flags: "--ref <ref>", description: "its branch or tag" },
      { flags: "--tag", description: "the ref is a tag" },
    ],
    load: async () => (await import("./apply.ts")).run,
  },
  {
    name: "drift",
    summary: "like plan --detailed-exitcode, for a schedule",
    examples: [
      ["evenkeel drift", "exit 0 in sync, 2 where live state differs"],
      ["evenkeel drift --quiet --report prometheus=/var/lib/node_exporter/evenkeel.prom", "nightly"],
    ],
    options: online,
    load: async () => (await import("./drift.ts")).run,
  },
  {
    name: "merge",
    arguments: "<plan...>",
    summary: "join the plans of shards into one",
    examples: [
      ["evenkeel merge shard-*.json --out plan.json", "one plan to review and apply"],
      ["evenkeel merge shard-*.json --report markdown=comment.md", "and one report"],
    ],
    options: [
      ...joining,
      { flags: "--out <file>", description: "save the plan, as JSON" },
      { flags: "--detailed-exitcode", description: "exit 2 when changes are pending" },
    ],
    load: async () => (await import("./merge.ts")).run,
  },
  {
    name: "show",
    arguments: "<project>",
    summary: "the effective desired state of one project, with the origin of each entry",
    examples: [
      ["evenkeel show payments/api", "what the layers come to"],
      ["evenkeel show 42 --report json", "by ID, for scripts"],
    ],
    options: offline,
    load: async () => (await import("./show.ts")).run,
  },
  {
    name: "import",
    arguments: "[project...]",
    summary: "write policies from live state; secrets become references to fill in",
    examples: [
      ["evenkeel import payments/api", "one project, into policies/"],
      ["evenkeel import --group 'payments/**'", "a group"],
      ["evenkeel import --all --factor", "everything that the token can see, with what most share in one policy"],
    ],
    options: [
      ...connected,
      { flags: "--all", description: "every project that the token can see" },
      {
        flags: "--group <glob>",
        description: "projects whose path matches, or those below a group (repeatable)",
        takes: "list",
      },
      { flags: "--factor", description: "what most of the projects share goes into one policy" },
      { flags: "--out <dir>", description: "where to write; by default policies/ of the workspace" },
    ],
    load: async () => (await import("./import.ts")).run,
  },
  {
    name: "explain",
    arguments: "[slug]",
    summary: "the catalogue: integrations and their parameters",
    examples: [
      ["evenkeel explain", "all integrations"],
      ["evenkeel explain irc-gateway", "one, with an example to copy"],
      ["evenkeel explain irc-gateway.server_port", "one parameter"],
    ],
    options: [report],
    load: async () => (await import("./explain.ts")).run,
  },
  {
    name: "journal",
    arguments: "[run]",
    summary: "what an apply did, request by request",
    examples: [
      ["evenkeel journal", "all runs of this workspace"],
      ["evenkeel journal 20261121T072315Z-1f2e", "one of them"],
    ],
    options: offline,
    load: async () => (await import("./journal.ts")).run,
  },
  ...deploymentVerbs,
  ...deprecationVerbs,
  routesVerb,
  ...editingVerbs,
  {
    name: "schema",
    arguments: "[dir]",
    summary: "write the JSON Schemas for editors",
    examples: [
      ["evenkeel schema .evenkeel/schemas", "where init puts them, and after each upgrade"],
      ["evenkeel schema", "in this folder"],
    ],
    options: [],
    load: async () => (await import("./schema.ts")).run,
  },
  {
    name: "storage status",
    arguments: "<storage>",
    summary: "count the repositories that are left on a storage",
    examples: [
      ["evenkeel storage status nfs-1", "projects; snippets and groups as far as the server tells"],
      ["evenkeel storage status nfs-1 --report json", "for scripts"],
    ],
    options: connected,
    load: async () => (await import("./storage-status.ts")).run,
  },
  {
    name: "serve",
    summary: "an embedded server of the whole API, to try and rehearse with",
    examples: [
      ["evenkeel serve --seed seed.yaml", "on a free port, in memory"],
      ["evenkeel serve --port 8080 --data server.db", "kept over restarts"],
    ],
    options: [
      { flags: "--port <n>", description: "0 for a free one", takes: "count", default: "0" },
      { flags: "--host <host>", description: "the address to bind to", default: "127.0.0.1" },
      { flags: "--seed <file>", description: "YAML with what a new server holds" },
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
        flags: "--behaviour <name>",
        description: "as the spec says, or as deployed servers were seen to do",
        choices: ["spec", "observed"],
        default: "spec",
      },
      { flags: "--latency <ms>", description: "answer this much later", takes: "count", default: "0" },
      { flags: "--chaos <file>", description: "YAML with faults to inject" },
    ],
    load: async () => (await import("./serve.ts")).run,
  },
];
