import type { Plan, ReportedProblem } from "../plan.ts";
import { problemLine } from "../report/problems.ts";
import type { Terminal } from "../terminal.ts";

/** Problems and warnings of a plan, on stderr: each on a line of its own. */
export function tellProblems(terminal: Terminal, { warnings, problems }: Pick<Plan, "warnings" | "problems">): void {
  for (const warning of warnings) terminal.note(`warning: ${lineOf(warning)}`);
  for (const problem of problems) terminal.warn(lineOf(problem));
}

function lineOf({ file, line, column, ...problem }: ReportedProblem): string {
  const place =
    file !== undefined && line !== undefined && column !== undefined ? { place: { file, line, column } } : {};
  return problemLine({ severity: "error", ...problem, ...place });
}

/** Secrets that an apply will ask for, so that nobody finds out by applying. */
export function tellMissing(terminal: Terminal, missing: readonly string[]): void {
  if (missing.length > 0) terminal.note(`note: apply will need secrets that are not set here: ${missing.join(", ")}`);
}
