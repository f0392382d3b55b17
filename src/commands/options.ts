import { dialectNames } from "../model/dialect.ts";
import { planKinds } from "../report/report.ts";
import { option } from "./command.ts";

export const folder = option("-C <dir>", "run in this folder (evenkeel.yaml is searched upward)");

export const quiet = option("--quiet", "suppress progress and notes on stderr");

export function reportOf(kinds: readonly string[]) {
  return option(
    "--report <kind[=path]>",
    `also write a report: ${kinds.join(", ")}; without a path, to stdout instead of the text (repeatable)`,
    { takes: "list", suggests: kinds },
  );
}

export const report = reportOf(["json", "text"]);
export const planReport = reportOf(planKinds);
export const concurrency = option(
  "--concurrency <n>",
  "maximum concurrent requests; auto: tuned during the run, up to 128",
  { takes: "concurrency", suggests: ["auto"] },
);
export const timeout = option("--timeout <duration>", "stop the whole run after this time, such as 10m", {
  takes: "duration",
});
export const giveUpAfter = option(
  "--give-up-after <duration>",
  "stop if the server does not respond for this time; default: 60s",
  { takes: "duration" },
);
export const out = option("--out <file>", "save the plan, as JSON; -: to stdout instead of the text");
export const detailedExitcode = option("--detailed-exitcode", "exit 2 if changes are pending");
export const yes = option("--yes", "do not ask for confirmation");
export const storage = option("--storage", "plan storage migrations too");
export const failOnLoosening = option("--fail-on-loosening", "exit 3 if a change loosens a policy");
export const resend = option("--resend <glob>", "write matching resources even if nothing differs (repeatable)", {
  takes: "list",
});
export const status = option("--status <status>", "created, running, success, failed or canceled");

export const asOf = option("--as-of <date>", "evaluate dates as of this day (UTC), such as 2027-06-30", {
  takes: "day",
});

export const dialect = option("--dialect <name>", "naming dialect; default: the workspace's", {
  choices: dialectNames,
});
export const serverDialect = option(
  "--dialect <name>",
  "naming dialect: the specification's (neutral) or a platform's",
  { choices: dialectNames, default: "neutral" },
);
export const isTag = option("--tag", "the ref is a tag");
export const tiers = ["free", "premium", "ultimate"] as const;
export const check = option("--check", "list the files that would change without changing them");
export const projects = option(
  "--projects <file>",
  "a file with the fleet's projects, one full path per line; default: the list of the last plan",
);
export const workers = option("--workers", "distribute reads and writes to workers (evenkeel worker)");

export const offline = [folder, report, quiet] as const;

export const connected = [folder, report, concurrency, timeout, giveUpAfter, quiet] as const;

export const target = option("--target <glob>", "only addresses that match, such as 'payments/*' (repeatable)", {
  takes: "list",
});

export const exclude = option("--exclude <glob>", "skip addresses that match, such as '*:variable/*' (repeatable)", {
  takes: "list",
});

export const online = [
  folder,
  target,
  exclude,
  option("--shard <i/n>", "only part i of n of the projects; auto: from CI_NODE_INDEX and CI_NODE_TOTAL", {
    takes: "shard",
  }),
  option("--since <rev>", "only projects whose desired state changed since this git revision"),
  planReport,
  concurrency,
  workers,
  timeout,
  giveUpAfter,
  quiet,
] as const;

export const sharedOptions: ReadonlySet<string> = new Set(
  [folder, report, concurrency, workers, timeout, giveUpAfter, quiet].map(({ flags }) => flags),
);
