import { findingKinds, planKinds } from "../report/report-kinds.ts";
import type { Flag } from "./verbs.ts";

/** Where the workspace is. */
export const folder: Flag = { flags: "-C <dir>", description: "look for evenkeel.yaml in this folder and upward" };
/** For cron jobs. */
export const quiet: Flag = { flags: "--quiet", description: "no progress and no notes on stderr" };
/** For commands that have something to report, in these kinds. */
function reportOf(kinds: readonly string[]): Flag {
  return {
    flags: "--report <kind[=path]>",
    description: `also write a report: ${kinds.join(", ")}; without a path to stdout in place of the text (repeatable)`,
    takes: "list",
    suggests: kinds,
  };
}

export const report: Flag = reportOf(["json", "text"]);

/** Of commands that send nothing. */
export const offline: readonly Flag[] = [folder, report, quiet];
/** Of those that check manifests, and of those that have a plan to show. */
export const checking: readonly Flag[] = [folder, reportOf(findingKinds), quiet];
const planReport: Flag = reportOf(planKinds);
export const joining: readonly Flag[] = [folder, planReport, quiet];

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
  {
    flags: "--shard <i/n>",
    description: "only the i-th of n parts of the projects; auto: as CI_NODE_INDEX and CI_NODE_TOTAL say",
    takes: "shard",
  },
  planReport,
  concurrency,
  timeout,
  quiet,
];
