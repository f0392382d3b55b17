import { exitCode, UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { counted } from "../base/text-format.ts";
import { parseManifest } from "../manifest/document.ts";
import { readWorkspace, workspaceFile } from "../manifest/workspace.ts";
import { schedule } from "../model/deprecations.ts";
import { findingsText, type ScheduleFilter, scheduleRows, scheduleText } from "../report/deprecations.ts";
import { includedFiles } from "../scan/pipelines.ts";
import { type Finding, scanText } from "../scan/scan.ts";
import { workspaceAbove } from "../workspace/load.ts";
import { filesBelow, type TextFile, textIn, type Unreadable } from "../workspace/walk.ts";
import type { Options } from "./command.ts";
import { save, showing } from "./outputs.ts";
import { checkedRelease } from "./run-request.ts";
import type { Terminal } from "./terminal.ts";

export const run = showing<Options<"deprecations">>((terminal, options) => {
  const reached = releaseOf(terminal, options.release);
  const filter: ScheduleFilter = { release: options.release, asOf: options.asOf, reached };
  const rows = scheduleRows(schedule, filter);
  return { text: (palette) => scheduleText(rows, filter, palette), json: () => rows };
});

/** That of the workspace, else 14.5, unless requested. @throws UserError if it is not a release. */
function releaseOf({ folder }: Terminal, release: string | undefined): string {
  if (release !== undefined) return checkedRelease(release);
  const path = workspaceAbove(folder);
  const text = path === undefined ? "" : textIn({ path, name: workspaceFile });
  const { workspace } = readWorkspace(parseManifest(workspaceFile, typeof text === "string" ? text : ""));
  return workspace.server.release;
}

export const scan = showing<Options<"deprecations scan">>((terminal, options, paths) => {
  const release = releaseOf(terminal, options.release);
  const found = paths.flatMap((path) => filesBelow(terminal.cwd, path));
  const files = [...new Map(found.map((file) => ["path" in file ? file.path : file.unreadable, file])).values()];
  const included = includedAmong(files);
  const scanned = files.map((file) => {
    if ("unreadable" in file) return file;
    return scanFile(terminal, file, (text) => scanText({ file: file.name, text, release }, included), options.fix);
  });
  const unreadable = scanned.flatMap((each) => ("unreadable" in each ? [each.unreadable] : []));
  const findings = scanned.flatMap((each) => ("findings" in each ? each.findings : []));
  for (const message of unreadable) terminal.warn(`error: ${message}`);
  const fixed = scanned.flatMap((each) => ("fixed" in each && each.fixed > 0 ? [each.fixed] : []));
  const total = fixed.reduce((sum, count) => sum + count, 0);
  if (total > 0) terminal.note(`Rewrote ${counted(total, "use")} in ${counted(fixed.length, "file")}.`);
  const hasNoAnswer = findings.length === 0 && unreadable.length > 0;
  const isDue = findings.some(({ severity }) => severity === "error");
  return {
    text: (palette) => (hasNoAnswer ? "" : findingsText(findings, palette)),
    json: () => findings,
    code: exitCode({ problem: isDue || unreadable.length > 0 }),
  };
});

interface ScannedFile {
  readonly findings: readonly Finding[];
  readonly fixed: number;
}

/** The files that others include. */
function includedAmong(files: readonly (TextFile | Unreadable)[]): ReadonlySet<string> {
  const byName = new Map(files.flatMap((file) => ("name" in file ? [[file.name, file] as const] : [])));
  return includedFiles([...byName.keys()], (name) => {
    const file = byName.get(name);
    const text = file && textIn(file);
    return typeof text === "string" ? text : undefined;
  });
}

function scanFile(
  terminal: Terminal,
  file: TextFile,
  find: (text: string) => ReturnType<typeof scanText>,
  isFixed = false,
): ScannedFile | Unreadable {
  const text = textIn(file);
  if (typeof text !== "string") return text ?? { findings: [], fixed: 0 };
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const bare = text.slice(mark.length);
  const before = find(bare);
  if (before.unread) {
    const name = printable(file.name);
    terminal.note(`warning: ${name} is not ${before.unread} that can be read; not all of it was scanned`);
  }
  if (!isFixed || before.fixed === bare) return { findings: before.findings, fixed: 0 };
  try {
    save(terminal, file.path, mark + before.fixed);
  } catch (error) {
    if (error instanceof UserError) return { unreadable: error.message };
    throw error;
  }
  return { findings: find(before.fixed).findings, fixed: before.rewritten };
}
