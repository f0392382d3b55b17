import { exitCode } from "../base/exit.ts";
import { showJson, showText } from "../report/show.ts";
import type { Run } from "./command.ts";
import { effectiveState } from "./effective-state.ts";
import { openReports } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";

/** `evenkeel show PROJECT`: offline, unless the ID or path of the project has to be looked up, or only globs match it. */
export const run: Run<Options<"show">> = async (terminal, options, [name = ""]) => {
  const report = openReports(terminal, options.report);
  const desired = await effectiveState(terminal, requestOf(terminal, options), name);
  if (!desired) return exitCode({ problem: true });
  report({ text: () => showText(desired).trimEnd(), json: () => showJson(desired) });
  return exitCode({});
};
