import { printable } from "../base/printable.ts";
import { reportedLine } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import type { Terminal } from "./terminal.ts";

/** Problems and warnings of a plan, on stderr: each on a line of its own. */
export function tellProblems(terminal: Terminal, { warnings, problems }: Pick<Plan, "warnings" | "problems">): void {
  for (const warning of warnings) terminal.note(`warning: ${reportedLine(warning)}`);
  for (const problem of problems) terminal.warn(reportedLine(problem));
}

/** Secrets that an apply will ask for, so that nobody finds out by applying. */
export function tellMissing(terminal: Terminal, missing: readonly string[]): void {
  if (missing.length > 0)
    terminal.note(printable(`note: apply will need secrets that are not set here: ${missing.join(", ")}`));
}
