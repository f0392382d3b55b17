import { type Group, grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { commonForm, firstFew, foldedAlike } from "../base/text-format.ts";
import type { Place, Problem, Severity } from "./types.ts";

export interface ReportedProblem extends Partial<Place> {
  readonly rule: string;
  readonly message: string;
  readonly path?: string;
  readonly project?: string;
  readonly excerpt?: string;
  /** True for a violation of a rule of kind `Rule`. */
  readonly from_rule?: true;
}

export function reportedProblem({ rule, message, path, project, place, excerpt, fromRule }: Problem): ReportedProblem {
  const rest = { ...(path !== undefined && { path }), ...(project !== undefined && { project }), ...place };
  return { rule, message, ...rest, ...(excerpt !== undefined && { excerpt }), ...(fromRule && { from_rule: true }) };
}

export function bySeverity(all: readonly Problem[]): Readonly<Record<"problems" | "warnings", ReportedProblem[]>> {
  const of = (severity: Severity) => all.filter((each) => each.severity === severity).map(reportedProblem);
  return { problems: of("error"), warnings: of("warning") };
}

/** `file:line:column  path  message  (rule)` (docs/manifests.md), always on one line, whatever keys a manifest contains. */
export function problemLine({ place, ...problem }: Problem): string {
  return reportedLine({ ...problem, ...place });
}

/** The line of a problem in a plan. Without a position, it starts with the project. */
export function reportedLine({ file, line, column, project, path, message, rule }: ReportedProblem): string {
  const where = file === undefined ? project : `${file}:${line}:${column}`;
  const parts = [where, path, message, `(${rule})`].filter((part) => part !== undefined);
  return printable(parts.join("  "));
}

/** Labels each line of errors except those that begin with a position. */
export function labelledErrors(text: string): string {
  return text.replace(/^(?!(?:(?! {2}).)*:\d+:\d+ {2})(?=\S)/gm, "error: ");
}

/** Joins equal problems of several projects into one with the projects. */
export function withoutRepeats(problems: readonly ReportedProblem[]): readonly ReportedProblem[] {
  const lineOf = (problem: ReportedProblem) => (problem.file === undefined ? problem : reportedLine(problem));
  const distinct = [...grouped(problems, lineOf).values()].map(joinProjects);
  const formOf = (problem: ReportedProblem) => commonForm(reportedLine(problem), problem.project);
  return joinLines(foldedAlike(distinct, formOf).map(joinAlike));
}

/** More equal problems than this are joined into one, with some of their positions. */
const mostLines = 5;

/** Joins many problems that differ only in their positions. */
function joinLines(problems: readonly ReportedProblem[]): readonly ReportedProblem[] {
  const sameText = ({ file, path = "", message, rule }: ReportedProblem) =>
    file === undefined ? undefined : JSON.stringify([path, message, rule]);
  return foldedAlike(problems, sameText, mostLines).map(([first, ...others]) => {
    const lines = others.map(({ file, line, column }) => `${file}:${line}:${column}`);
    return lines.length === 0 ? first : { ...first, message: `${first.message}; also at ${firstFew(lines)}` };
  });
}

/** Joins problems whose messages differ only in the project that they name. */
function joinAlike([first, ...others]: Group<ReportedProblem>): ReportedProblem {
  const projects = [...new Set(others.flatMap(({ project }) => (project === first.project ? [] : (project ?? []))))];
  return projects.length === 0 ? first : { ...first, message: `${first.message}; also in ${firstFew(projects)}` };
}

/** Adds projects: a position in a policy does not identify one. */
function joinProjects([problem, ...others]: Group<ReportedProblem>): ReportedProblem {
  const projects = [...new Set([problem, ...others].flatMap(({ project }) => project ?? []))];
  const isNamed = projects.every((project) => problem.message.includes(project));
  if (isNamed || problem.file === undefined) return problem;
  const { project, message, ...rest } = problem;
  const extended = `${message}; concerns ${firstFew(projects)}`;
  return { ...rest, message: extended, ...(projects.length === 1 && { project }) };
}
