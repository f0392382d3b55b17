import { printable } from "../base/printable.ts";
import { withoutRepeats } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import type { Planned } from "../reconcile/request.ts";
import { errorLine, warningLine } from "../report/problem-lines.ts";
import type { Terminal } from "./terminal.ts";

/** Prints problems and warnings of a plan on stderr, one per line. */
export function printProblems(terminal: Terminal, { warnings, problems }: Pick<Plan, "warnings" | "problems">): void {
  for (const warning of withoutRepeats(warnings)) terminal.note(warningLine(warning));
  for (const problem of withoutRepeats(problems)) terminal.warn(errorLine(problem));
}

/** Prints the missing secrets that an apply will need. */
export function printMissingSecrets(terminal: Terminal, missing: readonly string[]): void {
  if (missing.length > 0)
    terminal.note(printable(`note: apply will need secrets that are missing here: ${missing.join(", ")}`));
}

/** Notes that a run could not be saved in the history. */
export function noteUnrecorded(terminal: Terminal, { recorded }: Pick<Planned, "recorded">): void {
  if (!recorded) return;
  if ("error" in recorded) terminal.note(printable(`This run was not recorded in the history: ${recorded.error}.`));
  else if (recorded.unseen) terminal.note(printable(`The fleet status of this run was not saved: ${recorded.unseen}.`));
}
