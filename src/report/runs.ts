import { printable } from "../base/printable.ts";
import { counted, thousands } from "../base/text-format.ts";
import type { JournalLine } from "../state/journal.ts";
import type { LiveRuns, RunProgress, RunSummary, Stage } from "../state/run-summary.ts";
import type { Palette } from "./terminal.ts";

export function historyText(runs: readonly RunSummary[], live: LiveRuns): string {
  return runs.map((each) => printable(formatRun(each, live))).join("\n");
}

function formatRun(summary: RunSummary, live: LiveRuns): string {
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

export function runsText(runs: readonly { readonly run: string; readonly entries: readonly JournalLine[] }[]): string {
  return runs
    .map(({ run, entries }) => printable(`${run}  ${formatStart(entries)}  ${formatEnd(entries)}`))
    .reverse()
    .join("\n");
}

export function runText(run: string, entries: readonly JournalLine[], palette: Palette): string {
  const steps = entries.flatMap((entry) => stepText(entry, palette) ?? []);
  const [head = "", start, end] = [`Run ${run}`, formatStart(entries), formatEnd(entries)].map(printable);
  return [palette.strong(head), start, ...steps, end].join("\n");
}

/** The outcome of a run without a journal: it sent no write. */
export function runWithoutJournalText(summary: RunSummary, palette: Palette): string {
  const { run, started, who, host, command, outcome, changes, commit, reasons = [] } = summary;
  const at = commit ? ` at ${commit.slice(0, 12)}` : "";
  const end = outcome === null ? "did not finish" : `ended: ${outcome}, ${counted(changes, "change")}`;
  const lines = [`${started} ${who}@${host}, ${command}${at}`, ...reasons.map((reason) => `  ${reason}`), end];
  return [palette.strong(printable(`Run ${run}`)), ...lines.map(printable), "It sent no request that writes."].join(
    "\n",
  );
}

function formatStart(entries: readonly JournalLine[]): string {
  const start = entries.find((entry) => entry.event === "start");
  if (start?.event !== "start") return "its first line is missing";
  const commit = start.commit ? ` at ${start.commit.slice(0, 12)}` : "";
  return `${start.at} ${start.who}, ${counted(start.changes, "change")} for ${start.server}${commit}`;
}

function formatEnd(entries: readonly JournalLine[]): string {
  const end = entries.find((entry) => entry.event === "end");
  if (end?.event !== "end") return "did not finish";
  const counts = Object.entries(end.outcomes).filter(([, count]) => count > 0);
  return `ended: ${counts.map(([status, count]) => `${count} ${status}`).join(", ") || "nothing to do"}`;
}

function stepText(entry: JournalLine, palette: Palette): string | undefined {
  const at = `  ${palette.faint(printable(entry.at))}`;
  if (entry.event === "wave") {
    const { wave, of, projects, reason } = entry;
    const what = reason === undefined ? counted(projects, "project") : `stopped: ${reason}`;
    return `${at} ${printable(`wave ${wave} of ${of}, ${what}`)}`;
  }
  if (entry.event === "intent") return `${at} ${printable(`${entry.method} ${entry.path}`)}`;
  if (entry.event === "scheduled") return `${at} ${printable(`scheduled ${entry.address} to ${entry.to}`)}`;
  if (entry.event === "deleted") return `${at} ${printable(`deleted ${entry.address}, to be created again`)}`;
  if (entry.event !== "result") return undefined;
  const details = [entry.http && `HTTP ${entry.http}`, entry.request_id && `request ${entry.request_id}`, entry.error];
  const more = details.filter(Boolean).join(", ");
  return `${at} ${printable(`${entry.status} ${entry.address}${more ? ` (${more})` : ""}`)}`;
}

/** Details of a progress bar: `3 workers, about 4 min left`. */
export function fleetText(progress: RunProgress): string {
  const { workers, waiting, remaining_seconds: left = 0 } = progress;
  const parts = [
    waiting ? `${waiting.why}, waiting ${thousands(waiting.seconds)} s` : "",
    workers === undefined ? "" : counted(workers, "worker"),
    remainingText(left * 1000),
  ];
  return parts.filter(Boolean).join(", ");
}

/** Progress of a run: `reading, 1,200 of 3,000 projects, 3 workers, about 4 min left`. */
export function progressText(progress: RunProgress): string {
  const { stage, done, total } = progress;
  return [`${stage}, ${thousands(done)} of ${thousands(total)} projects`, fleetText(progress)]
    .filter(Boolean)
    .join(", ");
}

function lastSeenText({ stage, done, total, at }: RunProgress): string {
  const what: Readonly<Record<Stage, string>> = { reading: "read", writing: "written" };
  return `${thousands(done)} of ${thousands(total)} projects were ${what[stage]} at ${at}`;
}

/** `about 3 min left`; empty if unknown or zero. */
export function remainingText(milliseconds: number | undefined): string {
  if (!milliseconds) return "";
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 90) return `about ${seconds} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 90 ? `about ${minutes} min left` : `about ${Math.round(minutes / 60)} h left`;
}
