import { printable } from "../base/printable.ts";
import { type ReportedProblem, reportedLine } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import type { Terminal } from "./terminal.ts";

/** Prints problems and warnings of a plan on stderr, one per line. */
export function printProblems(terminal: Terminal, { warnings, problems }: Pick<Plan, "warnings" | "problems">): void {
  for (const warning of warnings)
    terminal.note([`warning: ${reportedLine(warning)}`, ...excerptOf(warning)].join("\n"));
  for (const problem of problems) terminal.warn([reportedLine(problem), ...excerptOf(problem)].join("\n"));
}

function excerptOf({ excerpt = "" }: ReportedProblem): readonly string[] {
  return excerpt === "" ? [] : excerpt.split("\n").map((line) => `    ${printable(line)}`);
}

/** Prints the secrets that an apply will need, so that nobody only finds out when applying. */
export function printMissingSecrets(terminal: Terminal, missing: readonly string[]): void {
  if (missing.length > 0)
    terminal.note(printable(`note: apply will need secrets that are not set here: ${missing.join(", ")}`));
}
