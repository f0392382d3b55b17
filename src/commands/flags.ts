import type { Flag } from "./verbs.ts";

/** Where the workspace is. */
export const folder: Flag = { flags: "-C <dir>", description: "look for evenkeel.yaml in this folder and upward" };
/** For cron jobs. */
export const quiet: Flag = { flags: "--quiet", description: "no progress and no notes on stderr" };
/** For commands that have something to report. */
export const report: Flag = {
  flags: "--report <kind[=path]>",
  description: "also write a report: json, text; without a path to stdout in place of the text (repeatable)",
  takes: "list",
};

/** Of commands that send nothing. */
export const offline: readonly Flag[] = [folder, report, quiet];

const concurrency: Flag = { flags: "--concurrency <n>", description: "requests in flight", takes: "positive" };
const timeout: Flag = {
  flags: "--timeout <duration>",
  description: "stop the whole run after, say, 10m",
  takes: "duration",
};

/** Of commands that talk to the server, whatever manifests say. */
export const connected: readonly Flag[] = [folder, report, concurrency, timeout, quiet];

/** Of commands that compare a workspace with its server. */
export const online: readonly Flag[] = [
  folder,
  {
    flags: "--target <glob>",
    description: "only addresses that match, such as 'payments/*' (repeatable)",
    takes: "list",
  },
  { flags: "--shard <i/n>", description: "only the i-th of n parts of the projects", takes: "shard" },
  report,
  concurrency,
  timeout,
  quiet,
];
