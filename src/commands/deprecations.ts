import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { exit } from "../base/exit.ts";
import { parseManifest } from "../manifest/document.ts";
import { readWorkspace, workspaceFile } from "../manifest/workspace.ts";
import { schedule } from "../model/deprecations.ts";
import { type ScheduleFilter, scheduleRows, scheduleText } from "../report/deprecations.ts";
import { textIn } from "../workspace/text-files.ts";
import type { Run } from "./command.ts";
import { openReports } from "./outputs.ts";
import { checkedRelease, folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel deprecations`: the schedule, or the removals that are due by a release or a day. */
export const run: Run<Options<"deprecations">> = (terminal, options) => {
  const report = openReports(terminal, options.report);
  const reached = releaseOf(terminal, options);
  const asked: ScheduleFilter = { release: options.release, asOf: options.asOf, reached };
  const rows = scheduleRows(schedule, asked);
  report({
    text: () => scheduleText(rows, asked, terminal.palette),
    json: () => JSON.stringify(rows, null, 2),
  });
  return exit.done;
};

/**
 * The requested release, or else that of the surrounding workspace, or else 14.5.
 * @throws UserError if it is not a release.
 */
export function releaseOf(terminal: Terminal, options: Pick<Options<"deprecations">, "C" | "release">): string {
  const { release } = options;
  return release === undefined ? workspaceRelease(folderOf(terminal, options)) : checkedRelease(release);
}

function workspaceRelease(folder: string): string {
  const path = join(folder, workspaceFile);
  if (!existsSync(path) && dirname(folder) !== folder) return workspaceRelease(dirname(folder));
  const text = existsSync(path) ? textIn({ path, name: workspaceFile }) : "";
  const { workspace } = readWorkspace(parseManifest(workspaceFile, typeof text === "string" ? text : ""));
  return workspace.server.release;
}
