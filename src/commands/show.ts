import { exitCode } from "../base/exit.ts";
import { showJson, showText } from "../report/show.ts";
import type { Run } from "./command.ts";
import { effectiveProject } from "./effective-state.ts";
import { openReports } from "./outputs.ts";
import { requestOf } from "./run-request.ts";
import type { Options } from "./table.ts";

/** `evenkeel show PROJECT`: offline, unless the ID or path of the project has to be looked up, or only globs match it. */
export const run: Run<Options<"show">> = async (terminal, options, [name = ""]) => {
  const report = openReports(terminal, options.report);
  const found = await effectiveProject(terminal, requestOf(terminal, options), name);
  if (!found) return exitCode({ problem: true });
  const { desired, context } = found;
  const { catalogue } = context.loaded.workspace;
  report({ text: () => showText(desired, catalogue).trimEnd(), json: () => showJson(desired) });
  return exitCode({});
};
