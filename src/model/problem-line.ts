import { printable } from "../base/printable.ts";
import type { Place, Problem, Severity } from "./types.ts";

/** A problem as reports hold it: its place as three fields, its severity told by the list that it stands in. */
export interface ReportedProblem extends Partial<Place> {
  readonly rule: string;
  readonly message: string;
  readonly path?: string;
  readonly project?: string;
  readonly excerpt?: string;
  /** It is what a rule of kind `Rule` has against the plan. */
  readonly from_rule?: true;
}

export function reportedProblem({ rule, message, path, project, place, excerpt, fromRule }: Problem): ReportedProblem {
  const rest = { ...(path !== undefined && { path }), ...(project !== undefined && { project }), ...place };
  return { rule, message, ...rest, ...(excerpt !== undefined && { excerpt }), ...(fromRule && { from_rule: true }) };
}

/** Errors and warnings apart, as every report tells them. */
export function bySeverity(all: readonly Problem[]): Readonly<Record<"problems" | "warnings", ReportedProblem[]>> {
  const of = (severity: Severity) => all.filter((each) => each.severity === severity).map(reportedProblem);
  return { problems: of("error"), warnings: of("warning") };
}

/** `file:line:column  path  message  (rule)` (docs/manifests.md), always one line, whatever a manifest put in its keys. */
export function problemLine({ place, ...problem }: Problem): string {
  return reportedLine({ ...problem, ...place });
}

/** The same for a problem in a plan; what has no place is told of its project. */
export function reportedLine({ file, line, column, project, path, message, rule }: ReportedProblem): string {
  const where = file === undefined ? project : `${file}:${line}:${column}`;
  const parts = [where, path, message, `(${rule})`].filter((part) => part !== undefined);
  return printable(parts.join("  "));
}

/** A line a problem, each ended. */
export function problemsText(problems: readonly Problem[]): string {
  return problems.map((problem) => `${problemLine(problem)}\n`).join("");
}
