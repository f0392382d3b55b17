import type { Plan } from "../plan.ts";
import { reportedLine } from "../report/problems.ts";
import type { Terminal } from "../terminal.ts";

/** Problems and warnings of a plan, on stderr: each on a line of its own. */
export function tellProblems(terminal: Terminal, { warnings, problems }: Pick<Plan, "warnings" | "problems">): void {
  for (const warning of warnings) terminal.note(`warning: ${reportedLine(warning)}`);
  for (const problem of problems) terminal.warn(reportedLine(problem));
}
