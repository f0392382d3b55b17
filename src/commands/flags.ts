import { dialectNames } from "../model/dialect-names.ts";
import { planKinds } from "../report/report.ts";

/** Where the workspace is. */
export const folder = {
  flags: "-C <dir>",
  description: "run in this folder (evenkeel.yaml is searched upward)",
} as const;

/** For cron jobs. */
export const quiet = { flags: "--quiet", description: "suppress progress and notes on stderr" } as const;

/** For commands with reports of these kinds. */
export function reportOf(kinds: readonly string[]) {
  return {
    flags: "--report <kind[=path]>",
    description: `also write a report: ${kinds.join(", ")}; without a path, to stdout instead of the text (repeatable)`,
    takes: "list",
    suggests: kinds,
  } as const;
}

export const report = reportOf(["json", "text"]);
export const planReport = reportOf(planKinds);
export const concurrency = {
  flags: "--concurrency <n>",
  description: "maximum concurrent requests; auto: tuned during the run, up to 128",
  takes: "concurrency",
  suggests: ["auto"],
} as const;
export const timeout = {
  flags: "--timeout <duration>",
  description: "stop the whole run after this time, such as 10m",
  takes: "duration",
} as const;
export const giveUpAfter = {
  flags: "--give-up-after <duration>",
  description: "stop when the server has not responded for this time; default: 60s",
  takes: "duration",
} as const;
export const out = {
  flags: "--out <file>",
  description: "save the plan, as JSON; -: to stdout instead of the text",
} as const;
export const detailedExitcode = {
  flags: "--detailed-exitcode",
  description: "exit 2 if changes are pending",
} as const;
export const yes = { flags: "--yes", description: "do not ask for confirmation" } as const;
export const storage = { flags: "--storage", description: "plan storage migrations too" } as const;
export const failOnLoosening = {
  flags: "--fail-on-loosening",
  description: "exit 3 if a change loosens a policy",
} as const;
export const resend = {
  flags: "--resend <glob>",
  description: "write matching resources even if nothing differs (repeatable)",
  takes: "list",
} as const;
export const status = {
  flags: "--status <status>",
  description: "created, running, success, failed or canceled",
} as const;

export const asOf = {
  flags: "--as-of <date>",
  description: "evaluate dates as of this day (UTC), such as 2027-06-30",
  takes: "day",
} as const;

export const dialect = {
  flags: "--dialect <name>",
  description: "naming dialect; default: that of the workspace",
  choices: dialectNames,
} as const;
export const serverDialect = {
  flags: "--dialect <name>",
  description: "naming dialect: that of the specification (neutral), or that of a platform",
  choices: dialectNames,
  default: "neutral",
} as const;
export const isTag = { flags: "--tag", description: "the ref is a tag" } as const;
export const tiers = ["free", "premium", "ultimate"] as const;
export const check = {
  flags: "--check",
  description: "list the files that would change without changing them",
} as const;
export const projects = {
  flags: "--projects <file>",
  description: "a file with the fleet's projects, one full path per line; default: the list of the last plan",
} as const;
export const workers = {
  flags: "--workers",
  description: "distribute reads and writes to workers (evenkeel worker)",
} as const;

/** For commands that send nothing. */
export const offline = [folder, report, quiet] as const;

/** For commands that send requests to the server. */
export const connected = [folder, report, concurrency, timeout, giveUpAfter, quiet] as const;

export const target = {
  flags: "--target <glob>",
  description: "only addresses that match, such as 'payments/*' (repeatable)",
  takes: "list",
} as const;

/** For commands that compare a workspace with its server. */
export const online = [
  folder,
  target,
  {
    flags: "--shard <i/n>",
    description: "only the i-th of n parts of the projects; auto: from CI_NODE_INDEX and CI_NODE_TOTAL",
    takes: "shard",
  },
  { flags: "--since <rev>", description: "only projects whose desired state changed since this git revision" },
  planReport,
  concurrency,
  workers,
  timeout,
  giveUpAfter,
  quiet,
] as const;

/** Options that most commands have, and that help lists after those of a command's own. */
export const sharedOptions: ReadonlySet<string> = new Set(
  [folder, report, concurrency, workers, timeout, giveUpAfter, quiet].map(({ flags }) => flags),
);
