import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import type { LiveRuns } from "../state/live-runs.ts";
import type { RunSummary } from "../state/run-summary.ts";
import { lastSeenText, progressText } from "./progress.ts";

/** One line a run: when, who, what, and how it ended and why, or how far it is. */
export function historyText(runs: readonly RunSummary[], live: LiveRuns): string {
  return runs.map((each) => printable(lineOf(each, live))).join("\n");
}

function lineOf(summary: RunSummary, live: LiveRuns): string {
  const { run, command, who, host, started, outcome, changes, commit, reasons = [] } = summary;
  const at = commit ? ` at ${commit.slice(0, 12)}` : "";
  const head = `${run}  ${started}  ${who}@${host}  ${command}${at}: `;
  if (outcome === null) return head + withoutEnd(summary, live);
  if (changes === 0 && reasons.length > 0) return `${head}${outcome}: ${reasons.join("; ")}`;
  const why = reasons.length > 0 ? `: ${reasons.join("; ")}` : "";
  return `${head}${counted(changes, "change")}, ${outcome}${why}`;
}

function withoutEnd({ run, progress }: RunSummary, { runs, holder }: LiveRuns): string {
  if (!runs.has(run)) return progress ? `did not finish; ${lastSeenText(progress)}` : "did not finish";
  const job = holder?.run === run && holder.job !== undefined ? `, ${holder.job}` : "";
  return `running${progress ? `: ${progressText(progress)}` : ""}${job}`;
}

/** The fields of `runs --report json` (docs/state.md); of one that did not succeed also why; of a run without an end also whether it goes on, how far it is, and its lease. */
export function historyJson(runs: readonly RunSummary[], live: LiveRuns): string {
  const rows = runs.map((summary) => {
    const { run, command, who, host, started, ended, outcome, changes, commit, reasons } = summary;
    const row = { run, command, who, host, started, ended, outcome, changes, commit, ...(reasons && { reasons }) };
    return ended === null ? { ...row, ...liveness(summary, live) } : row;
  });
  return JSON.stringify(rows, null, 2);
}

function liveness({ run, progress }: RunSummary, { runs, holder }: LiveRuns) {
  const { who, host, pid, job, since, deadline } = holder ?? {};
  return {
    live: runs.has(run),
    ...(progress && { progress }),
    ...(holder?.run === run && { holder: { who, host, pid, job, since, deadline } }),
  };
}
