import { exitCode, Refusal } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import { findingsText } from "../report/deprecations.ts";
import { counted } from "../report/text.ts";
import { type Finding, scanText } from "../scan/scan.ts";
import { filesBelow, type TextFile, textIn, type Unreadable } from "../workspace/texts.ts";
import { releaseOf } from "./deprecations.ts";
import { reporter, save } from "./emit.ts";
import type { Options } from "./flags.ts";
import type { Terminal } from "./terminal.ts";
import type { Run } from "./verb.ts";

/** `evenkeel deprecations scan`: uses in files; with `--fix`, those that are left when mechanical ones are rewritten. */
export const run: Run<Options<"deprecations scan">> = (terminal, options, paths) => {
  const report = reporter(terminal, options.report);
  const release = releaseOf(terminal, options);
  const files = distinct(paths.flatMap((path) => filesBelow(terminal.cwd, path)));
  const scanned = files.map((file) => ("unreadable" in file ? file : scanFile(terminal, file, release, options.fix)));
  const unreadable = scanned.flatMap((each) => ("unreadable" in each ? [each.unreadable] : []));
  const findings = scanned.flatMap((each) => ("findings" in each ? each.findings : []));
  for (const message of unreadable) terminal.warn(message);
  tellFixed(terminal, scanned);
  const hasNoAnswer = findings.length === 0 && unreadable.length > 0;
  report({
    text: () => (hasNoAnswer ? "" : findingsText(findings, terminal.palette)),
    json: () => JSON.stringify(findings, null, 2),
  });
  const isDue = findings.some(({ severity }) => severity === "error");
  return exitCode({ problem: isDue || unreadable.length > 0 });
};

interface ScannedFile {
  readonly findings: readonly Finding[];
  /** How many findings were rewritten. */
  readonly fixed: number;
}

const nothing: ScannedFile = { findings: [], fixed: 0 };

function scanFile(terminal: Terminal, file: TextFile, release: string, fix = false): ScannedFile | Unreadable {
  const text = textIn(file);
  if (typeof text !== "string") return text ?? nothing;
  const mark = text.startsWith("\uFEFF") ? "\uFEFF" : "";
  const source = { file: file.name, text: text.slice(mark.length), release };
  const before = scanText(source);
  if (before.unread)
    terminal.note(
      `warning: ${printable(file.name)} is not ${before.unread} that can be read; not all of it was scanned`,
    );
  if (!fix || before.fixed === source.text) return { findings: before.findings, fixed: 0 };
  const written = write(terminal, file, mark + before.fixed);
  if (written) return written;
  const after = scanText({ ...source, text: before.fixed });
  return { findings: after.findings, fixed: before.findings.length - after.findings.length };
}

function write(terminal: Terminal, { path }: TextFile, text: string): Unreadable | undefined {
  try {
    save(terminal, path, text);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return { unreadable: error.message };
    throw error;
  }
}

/** A file that several paths lead to is scanned once. */
function distinct(files: readonly (TextFile | Unreadable)[]): readonly (TextFile | Unreadable)[] {
  return [...new Map(files.map((file) => ["path" in file ? file.path : file.unreadable, file])).values()];
}

function tellFixed(terminal: Terminal, scanned: readonly (ScannedFile | Unreadable)[]): void {
  const fixed = scanned.flatMap((each) => ("fixed" in each && each.fixed > 0 ? [each.fixed] : []));
  const total = fixed.reduce((sum, count) => sum + count, 0);
  if (total > 0) terminal.note(`Rewrote ${counted(total, "use")} in ${counted(fixed.length, "file")}.`);
}
