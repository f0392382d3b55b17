import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type ExitCode, exit, exitCode, ifPossible, onError, UserError } from "../base/exit.ts";
import { didYouMean } from "../base/nearest.ts";
import { printable, withoutMarks } from "../base/printable.ts";
import { describeSystemError, systemCode } from "../base/system-errors.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { withoutRepeats } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import { type Before, isJsonKind } from "../report/report.ts";
import { errorLine, type Palette, warningLine } from "../report/terminal.ts";
import type { Planned } from "../run/request.ts";
import { makeFolder } from "../workspace/durable-file.ts";
import { outputAt, outputError, writeOutput } from "../workspace/output-file.ts";
import type { Run } from "./command.ts";
import type { Terminal } from "./terminal.ts";

type ReportContents = Readonly<Record<string, (before: Before) => string>>;

/** The result of a command; or a failure, for scripts too; or only an exit code, if there is nothing to show. */
export type CommandResult =
  | {
      readonly text: (palette: Palette) => string;
      readonly json: () => unknown;
      /** A function does what follows the output. Default: 0. */
      readonly code?: ExitCode | (() => ExitCode | Promise<ExitCode>);
      /** Reports of other kinds. */
      readonly more?: ReportContents;
      /** The text for a file, which includes the problems that are normally printed on stderr. */
      readonly file?: () => string;
      /** Ends the command after its output. */
      readonly refusal?: UserError;
    }
  | { readonly status: "failed" | "unknown"; readonly error: string }
  | ExitCode;

/** A command that shows its result at the end. Its outputs are checked before it starts. */
export function showing<CommandOptions extends { readonly report?: readonly string[] }>(
  work: (...args: Parameters<Run<CommandOptions>>) => Promise<CommandResult> | CommandResult,
  kinds?: readonly string[],
): Run<CommandOptions> {
  return async (terminal, options, args) => {
    const report = openReports(terminal, options.report, kinds);
    const result = await Promise.resolve(work(terminal, options, args)).catch(
      onError(CallFailed, (error): CommandResult => ({ status: "failed", error: explainCallFailure(error) })),
    );
    if (typeof result === "number") return result;
    if ("error" in result) {
      terminal.warn(printable(`error: ${result.error}`));
      report({ text: () => "", json: () => JSON.stringify(result, null, 2) });
      return exitCode({ interrupted: terminal.interrupted.aborted, problem: true });
    }
    const { text, json, code = exit.done, more, file, refusal } = result;
    report({ ...more, text: () => text(terminal.palette), json: () => jsonText(json()) }, file);
    if (refusal) throw refusal;
    return typeof code === "function" ? code() : code;
  };
}

function jsonText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

/**
 * Checks `--report` before anything else happens, and returns a function that writes the reports after the run: to their
 * files, and to stdout the text or the report that replaces it.
 */
function openReports(
  terminal: Terminal,
  requested: readonly string[] = [],
  kinds: readonly string[] = ["json", "text"],
) {
  const targets = reportTargets(terminal, requested, kinds);
  const paths = targets.flatMap(({ path }) => path ?? []);
  checkOutputs(terminal, paths);
  return (contents: ReportContents, file = contents.text): void => {
    for (const { kind, path } of targets) {
      const render = kind === "text" ? file : contents[kind];
      if (path) writeTo(terminal, path, render?.(() => readPrevious(terminal, path)) ?? "");
    }
    const inPlace = targets.filter(({ path }) => !path).map(({ kind }) => kind);
    for (const kind of inPlace.length > 0 ? inPlace : ["text"]) {
      const report = contents[kind]?.(() => undefined) ?? "";
      if (kind === "text") terminal.print(report);
      // JSON is escaped, so that a pipeline finds no commands in its log.
      else terminal.emit(isJsonKind(kind) ? withoutMarks(report) : report);
    }
  };
}

/**
 * The requested reports, each as `--report KIND[=PATH]`. Without a path it goes to stdout, in place of the text.
 * @throws UserError for a kind that the command does not have.
 */
function reportTargets(terminal: Terminal, all: readonly string[], kinds: readonly string[]) {
  const targets = all.map((each) => {
    const [kind = "", ...rest] = each.split("=");
    const path = rest.join("=");
    return { kind, path: rest.length === 0 || isStdout(terminal, path) ? undefined : path };
  });
  const inPlace = targets.flatMap(({ kind, path }) => (path === undefined ? [kind] : []));
  if (inPlace.length > 1) {
    throw new UserError(`only one report can go to stdout; give ${inPlace.slice(1).join(" and ")} a path`, exit.usage);
  }
  for (const { kind, path } of targets) {
    if (!kinds.includes(kind)) {
      const known = `--report takes ${kinds.join(", ")}, not ${JSON.stringify(kind)}`;
      throw new UserError(`${known}${didYouMean(kind, kinds)}`, exit.usage);
    }
    if (path === "") throw new UserError(`--report ${kind}= needs a path after the equals sign`, exit.usage);
  }
  return targets;
}

/** True for `-` and paths of stdout, such as /dev/stdout. */
function isStdout({ cwd }: Terminal, path: string): boolean {
  if (path === "" || path === "-") return path === "-";
  const output = ifPossible(() => outputAt(resolve(cwd, path)));
  return output !== undefined && "fd" in output && output.fd === 1;
}

/** @throws UserError if two outputs are the same file, or one cannot be written. */
function checkOutputs({ cwd }: Terminal, paths: readonly string[]): void {
  const taken = new Map<string, string>();
  for (const path of paths) {
    const place = JSON.stringify(ifPossible(() => outputAt(resolve(cwd, path))) ?? path);
    const other = taken.get(place);
    if (other !== undefined)
      throw new UserError(`${other} and ${path} are the same file; give each output its own`, exit.usage);
    taken.set(place, path);
  }
  for (const path of paths) {
    const error = outputError(resolve(cwd, path));
    if (error) throw new UserError(`cannot write ${path}: ${error}`);
  }
}

/** An output that cannot be written makes the run fail; the others are still written. */
function writeTo(terminal: Terminal, path: string, text: string): void {
  try {
    const output = outputAt(resolve(terminal.cwd, path));
    if ("fd" in output && output.fd === 1) terminal.print(text);
    else if ("fd" in output && output.fd === 2) terminal.warn(text);
    else writeOutput(output, `${text}\n`);
  } catch (error) {
    // The reader may close the pipe, as `head` does.
    if (systemCode(error) !== "EPIPE") terminal.fail(`cannot write ${path}: ${describeSystemError(error)}`);
  }
}

function readPrevious({ cwd }: Terminal, path: string): string | undefined {
  const file = resolve(cwd, path);
  return ifPossible(() => (statSync(file).isFile() ? readFileSync(file, "utf8") : undefined));
}

/** Writes a file atomically, and creates its folder. @throws UserError if it cannot be written. */
export function save(terminal: Terminal, path: string, text: string): void {
  const file = resolve(terminal.cwd, path);
  try {
    makeFolder(dirname(file));
    writeOutput(outputAt(file), text);
  } catch (error) {
    throw new UserError(`cannot write ${path}: ${describeSystemError(error)}`);
  }
}

export function printProblems(terminal: Terminal, { warnings, problems }: Pick<Plan, "warnings" | "problems">): void {
  for (const warning of withoutRepeats(warnings)) terminal.note(warningLine(warning));
  for (const problem of withoutRepeats(problems)) terminal.warn(errorLine(problem));
}

export function printMissingSecrets(terminal: Terminal, missing: readonly string[]): void {
  if (missing.length > 0)
    terminal.note(printable(`note: apply will need secrets that are missing here: ${missing.join(", ")}`));
}

export function noteUnrecorded(terminal: Terminal, { recorded }: Pick<Planned, "recorded">): void {
  if (!recorded) return;
  if ("error" in recorded) terminal.note(printable(`This run was not recorded in the history: ${recorded.error}.`));
  else if (recorded.unseen) terminal.note(printable(`The fleet status of this run was not saved: ${recorded.unseen}.`));
}
