import { dirname } from "node:path";
import { exit, Refusal } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { runsText, runText } from "../report/journal.ts";
import { listRuns, readRun } from "../state/journal.ts";
import { findWorkspace } from "../workspace/load.ts";
import type { Options } from "./flags.ts";
import { reporter } from "./outputs.ts";
import { folderOf } from "./run.ts";
import type { Run } from "./verb.ts";

/** `evenkeel journal [RUN]`: all runs of this workspace, or what one of them did. */
export const run: Run<Options<"journal">> = (terminal, options, [wanted]) => {
  const report = reporter(terminal, options.report);
  const root = dirname(findWorkspace(folderOf(terminal, options)));
  const runs = listRuns(root).map((name) => ({ run: name, entries: readRun(root, name) ?? [] }));
  if (wanted === undefined) {
    report({
      text: () => runsText(runs) || "No runs recorded.",
      json: () => JSON.stringify(runs, null, 2),
    });
    return exit.done;
  }
  const found = runs.find(({ run }) => run === wanted);
  if (!found) throw new Refusal(`there is no run ${wanted}${suggestion(wanted, runs)}`);
  const { entries } = found;
  report({ text: () => runText(wanted, entries, terminal.palette), json: () => JSON.stringify(entries, null, 2) });
  return exit.done;
};

function suggestion(wanted: string, runs: readonly { readonly run: string }[]): string {
  const names = runs.map(({ run }) => run);
  const longer = names.find((name) => name.startsWith(wanted));
  return longer === undefined ? didYouMean(wanted, names) : didYouMean(longer, [longer]);
}
