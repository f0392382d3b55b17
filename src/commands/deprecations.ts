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
  const reached = releaseOf(terminal, options);
  const filter: ScheduleFilter = { release: options.release, asOf: options.asOf, reached };
  const rows = scheduleRows(schedule, filter);
  return { text: (palette) => scheduleText(rows, filter, palette), json: () => rows };
});

/** That of the workspace, else 14.5, unless requested. @throws UserError if it is not a release. */
export function releaseOf(terminal: Terminal, options: Pick<Options<"deprecations">, "C" | "release">): string {
  const { release } = options;
  return release === undefined ? workspaceRelease(terminal.folder) : checkedRelease(release);
}

function workspaceRelease(folder: string): string {
  const path = workspaceAbove(folder);
  const text = path === undefined ? "" : textIn({ path, name: workspaceFile });
  const { workspace } = readWorkspace(parseManifest(workspaceFile, typeof text === "string" ? text : ""));
  return workspace.server.release;
}

export const scan = showing<Options<"deprecations scan">>((terminal, options, paths) => {
  const release = releaseOf(terminal, options);
  const found = paths.flatMap((path) => filesBelow(terminal.cwd, path));
  const files = [...new Map(found.map((file) => ["path" in file ? file.path : file.unreadable, file])).values()];
  const settings = { terminal, release, fix: options.fix ?? false, included: includedAmong(files) };
  const scanned = files.map((file) => ("unreadable" in file ? file : scanFile(settings, file)));
  const unreadable = scanned.flatMap((each) => ("unreadable" in each ? [each.unreadable] : []));
  const findings = scanned.flatMap((each) => ("findings" in each ? each.findings : []));
  for (const message of unreadable) terminal.warn(`error: ${message}`);
  printFixed(terminal, scanned);
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

const nothing: ScannedFile = { findings: [], fixed: 0 };

interface Scan {
  readonly terminal: Terminal;
  readonly release: string;
  readonly fix: boolean;
  /** Files that others include. */
  readonly included: ReadonlySet<string>;
}

function includedAmong(files: readonly (TextFile | Unreadable)[]): ReadonlySet<string> {
  const byName = new Map(files.flatMap((file) => ("name" in file ? [[file.name, file] as const] : [])));
  return includedFiles([...byName.keys()], (name) => {
    const file = byName.get(name);
    const text = file && textIn(file);
    return typeof text === "string" ? text : undefined;
  });
}

function scanFile({ terminal, release, fix, included }: Scan, file: TextFile): ScannedFile | Unreadable {
  const text = textIn(file);
  if (typeof text !== "string") return text ?? nothing;
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const source = { file: file.name, text: text.slice(mark.length), release };
  const before = scanText(source, included);
  if (before.unread) {
    const name = printable(file.name);
    terminal.note(`warning: ${name} is not ${before.unread} that can be read; not all of it was scanned`);
  }
  if (!fix || before.fixed === source.text) return { findings: before.findings, fixed: 0 };
  const written = write(terminal, file, mark + before.fixed);
  if (written) return written;
  const after = scanText({ ...source, text: before.fixed }, included);
  return { findings: after.findings, fixed: before.rewritten };
}

function write(terminal: Terminal, { path }: TextFile, text: string): Unreadable | undefined {
  try {
    save(terminal, path, text);
    return undefined;
  } catch (error) {
    if (error instanceof UserError) return { unreadable: error.message };
    throw error;
  }
}

function printFixed(terminal: Terminal, scanned: readonly (ScannedFile | Unreadable)[]): void {
  const fixed = scanned.flatMap((each) => ("fixed" in each && each.fixed > 0 ? [each.fixed] : []));
  const total = fixed.reduce((sum, count) => sum + count, 0);
  if (total > 0) terminal.note(`Rewrote ${counted(total, "use")} in ${counted(fixed.length, "file")}.`);
}
