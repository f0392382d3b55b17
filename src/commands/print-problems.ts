import { printable } from "../base/printable.ts";
import { type ReportedProblem, reportedLine } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import type { Planned } from "../reconcile/request.ts";
import type { Terminal } from "./terminal.ts";

type Troubles = Pick<Plan, "warnings" | "problems">;

/** Prints problems and warnings of a plan on stderr, one per line. */
export function printProblems(terminal: Terminal, { warnings, problems }: Troubles): void {
  for (const warning of warnings) terminal.note(warningLine(warning));
  for (const problem of problems) terminal.warn(errorLine(problem));
}

/** The same lines, for a text without stderr. */
export function problemLines({ warnings, problems }: Troubles): readonly string[] {
  return [...warnings.map(warningLine), ...problems.map(errorLine)];
}

function warningLine(warning: ReportedProblem): string {
  return `warning: ${lineOf(warning)}`;
}

/** `error: ` and the line of the problem, as on stderr. */
function errorLine(problem: ReportedProblem): string {
  return `error: ${lineOf(problem)}`;
}

function lineOf(problem: ReportedProblem): string {
  return [reportedLine(problem), ...excerptOf(problem)].join("\n");
}

function excerptOf({ excerpt = "" }: ReportedProblem): readonly string[] {
  return excerpt === "" ? [] : excerpt.split("\n").map((line) => `    ${printable(line)}`);
}

/** Prints the missing secrets that an apply will need. */
export function printMissingSecrets(terminal: Terminal, missing: readonly string[]): void {
  if (missing.length > 0)
    terminal.note(printable(`note: apply will need secrets that are not set here: ${missing.join(", ")}`));
}

/** Notes that a run could not be saved in the history. */
export function noteUnrecorded(terminal: Terminal, { recorded }: Pick<Planned, "recorded">): void {
  if (!recorded) return;
  if ("trouble" in recorded) terminal.note(printable(`This run was not recorded in the history: ${recorded.trouble}.`));
  else if (recorded.unseen) terminal.note(printable(`The fleet status of this run was not saved: ${recorded.unseen}.`));
}
