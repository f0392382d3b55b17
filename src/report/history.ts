import { printable } from "../base/printable.ts";
import { counted } from "../base/text.ts";
import type { RunSummary } from "../state/run-summary.ts";

/** One line a run: when, who, what, and how it ended. `running` holds the lease. */
export function historyText(runs: readonly RunSummary[], running: string | undefined): string {
  return runs.map((each) => printable(lineOf(each, running))).join("\n");
}

function lineOf({ run, command, who, host, started, outcome, changes, commit }: RunSummary, running?: string): string {
  const ended = outcome ?? (run === running ? "running" : "did not finish");
  const at = commit ? ` at ${commit.slice(0, 12)}` : "";
  return `${run}  ${started}  ${who}@${host}  ${command}${at}: ${counted(changes, "change")}, ${ended}`;
}

/** The fields of the contract, and no others. */
export function historyJson(runs: readonly RunSummary[]): string {
  const rows = runs.map(({ run, command, who, host, started, ended, outcome, changes, commit }) => ({
    run,
    command,
    who,
    host,
    started,
    ended,
    outcome,
    changes,
    commit,
  }));
  return JSON.stringify(rows, null, 2);
}
