import { exit } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { historyJson, historyText } from "../report/runs.ts";
import { liveRuns } from "../state/live-runs.ts";
import { concerns } from "../state/run-summary.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import type { Options } from "./table.ts";
import { stateAround } from "./workspace-state.ts";

/** `evenkeel runs`: summaries of the runs of this workspace, newest first. */
export const run: Run<Options<"runs">> = async (terminal, options) => {
  const report = openReports(terminal, options.report);
  await using state = await stateAround(terminal, options);
  const { project } = options;
  const all = await state.runs.list();
  const runs = project === undefined ? all : all.filter((summary) => concerns(summary, project));
  const live = await liveRuns(state);
  report({
    text: () => historyText(runs, live) || noneText(project),
    json: () => historyJson(runs, live),
  });
  return exit.done;
};

function noneText(project: string | undefined): string {
  return project === undefined ? "No runs recorded." : printable(`No run recorded that concerns ${project}.`);
}
