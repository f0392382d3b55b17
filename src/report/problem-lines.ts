import { printable } from "../base/printable.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { type ReportedProblem, reportedLine, withoutRepeats } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import type { Palette } from "./palette.ts";
import { planText } from "./text.ts";

/** `warning: `, the line of the problem and its excerpt, as on stderr. */
export function warningLine(warning: ReportedProblem): string {
  return `warning: ${lineOf(warning)}`;
}

/** The same for an error, which needs no label if a position begins it. */
export function errorLine(problem: ReportedProblem): string {
  return problem.file === undefined ? `error: ${lineOf(problem)}` : lineOf(problem);
}

/** Warnings and errors, each with its label. */
export function problemLines({ warnings, problems }: Pick<Plan, "warnings" | "problems">): readonly string[] {
  return [...withoutRepeats(warnings).map(warningLine), ...withoutRepeats(problems).map(errorLine)];
}

/**
 * A plan for people, below its warnings and problems, which the program prints on stderr; `catalogue`: that of its
 * workspace, which a workspace with kinds of its own needs.
 */
export function planWithProblemsText(plan: Plan, palette: Palette, catalogue: Catalogue = catalogueOf()): string {
  return [...problemLines(plan), planText(plan, catalogue, palette)].join("\n");
}

function lineOf(problem: ReportedProblem): string {
  return [reportedLine(problem), ...excerptOf(problem)].join("\n");
}

function excerptOf({ excerpt = "" }: ReportedProblem): readonly string[] {
  return excerpt === "" ? [] : excerpt.split("\n").map((line) => `    ${printable(line)}`);
}
