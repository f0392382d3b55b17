import { exit, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { runsText, runText, runWithoutJournalText } from "../report/runs.ts";
import type { Journals, WorkspaceState } from "../state/state.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import type { Options } from "./table.ts";
import { stateAround } from "./workspace-state.ts";

/** `evenkeel journal [RUN]`: the applies of this workspace, or the entries of a run and, if it wrote nothing, how it ended. */
export const run: Run<Options<"journal">> = async (terminal, options, [wanted]) => {
  const report = openReports(terminal, options.report);
  await using state = await stateAround(terminal, options);
  if (wanted === undefined) {
    const runs = await allRuns(state.journals);
    report({
      text: () => runsText(runs) || "No runs recorded.",
      json: () => JSON.stringify(runs, null, 2),
    });
    return exit.done;
  }
  const entries = await state.journals.read(wanted);
  if (!entries) {
    const summary = await summaryOf(state, wanted);
    report({ text: () => runWithoutJournalText(summary, terminal.palette), json: () => "[]" });
    return exit.done;
  }
  report({ text: () => runText(wanted, entries, terminal.palette), json: () => JSON.stringify(entries, null, 2) });
  return exit.done;
};

/** The summary of a run that has no journal. @throws UserError if there is no such run. */
async function summaryOf({ runs, journals }: Pick<WorkspaceState, "runs" | "journals">, wanted: string) {
  const all = await runs.list();
  const summary = all.find(({ run }) => run === wanted);
  if (summary) return summary;
  const names = new Set([...(await journals.list()), ...all.map(({ run }) => run)]);
  throw new UserError(`there is no run ${wanted}${suggestion(wanted, [...names]) || "; evenkeel runs lists them"}`);
}

async function allRuns(journals: Journals) {
  const runs: Parameters<typeof runsText>[0][number][] = [];
  for (const run of await journals.list()) runs.push({ run, entries: (await journals.read(run)) ?? [] });
  return runs;
}

function suggestion(wanted: string, names: readonly string[]): string {
  const longer = names.find((name) => name.startsWith(wanted));
  return longer === undefined ? didYouMean(wanted, names) : didYouMean(longer, [longer]);
}
