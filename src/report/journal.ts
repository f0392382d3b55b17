import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { Palette } from "./palette.ts";

/** One line a run, newest first: when, who, and how it ended. */
export function runsText(runs: readonly { readonly run: string; readonly entries: readonly JournalLine[] }[]): string {
  return runs
    .map(({ run, entries }) => printable(`${run}  ${startOf(entries)}  ${endOf(entries)}`))
    .reverse()
    .join("\n");
}

/** What a run did, step by step. */
export function runText(run: string, entries: readonly JournalLine[], palette: Palette): string {
  const steps = entries.flatMap((entry) => stepText(entry, palette) ?? []);
  const [head = "", start, end] = [`Run ${run}`, startOf(entries), endOf(entries)].map(printable);
  return [palette.strong(head), start, ...steps, end].join("\n");
}

/** How a run ended that has no journal, because it sent no request that writes. */
export function runWithoutJournalText(summary: RunSummary, palette: Palette): string {
  const { run, started, who, host, command, outcome, changes, commit, reasons = [] } = summary;
  const at = commit ? ` at ${commit.slice(0, 12)}` : "";
  const end = outcome === null ? "did not finish" : `ended: ${outcome}, ${counted(changes, "change")}`;
  const lines = [`${started} ${who}@${host}, ${command}${at}`, ...reasons.map((reason) => `  ${reason}`), end];
  return [palette.strong(printable(`Run ${run}`)), ...lines.map(printable), "It sent no request that writes."].join(
    "\n",
  );
}

function startOf(entries: readonly JournalLine[]): string {
  const start = entries.find((entry) => entry.event === "start");
  if (start?.event !== "start") return "its first line is missing";
  const commit = start.commit ? ` at ${start.commit.slice(0, 12)}` : "";
  return `${start.at} ${start.who}, ${counted(start.changes, "change")} for ${start.server}${commit}`;
}

function endOf(entries: readonly JournalLine[]): string {
  const end = entries.find((entry) => entry.event === "end");
  if (end?.event !== "end") return "did not finish";
  const counts = Object.entries(end.outcomes).filter(([, count]) => count > 0);
  return `ended: ${counts.map(([status, count]) => `${count} ${status}`).join(", ") || "nothing to do"}`;
}

function waveText({ wave, of, projects, reason }: Extract<JournalLine, { event: "wave" }>): string {
  return `wave ${wave} of ${of}, ${reason === undefined ? counted(projects, "project") : `stopped: ${reason}`}`;
}

function stepText(entry: JournalLine, palette: Palette): string | undefined {
  const at = `  ${palette.faint(printable(entry.at))}`;
  if (entry.event === "wave") return `${at} ${printable(waveText(entry))}`;
  if (entry.event === "intent") return `${at} ${printable(`${entry.method} ${entry.path}`)}`;
  if (entry.event === "scheduled") return `${at} ${printable(`scheduled ${entry.address} to ${entry.to}`)}`;
  if (entry.event === "deleted") return `${at} ${printable(`deleted ${entry.address}, to be created again`)}`;
  if (entry.event !== "result") return undefined;
  const details = [entry.http && `HTTP ${entry.http}`, entry.request_id && `request ${entry.request_id}`, entry.error];
  const more = details.filter(Boolean).join(", ");
  return `${at} ${printable(`${entry.status} ${entry.address}${more ? ` (${more})` : ""}`)}`;
}
