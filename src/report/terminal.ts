import { printable } from "../base/printable.ts";
import { terminalWidth } from "../base/text-format.ts";
import { type ReportedProblem, reportedLine, withoutRepeats } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";

/** Colours for the parts of a text report. */
export interface Palette {
  readonly add: Paint;
  readonly change: Paint;
  readonly remove: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
  readonly warn: Paint;
}

type Paint = (text: string) => string;

const as: Paint = (text) => text;

export const plain: Palette = { add: as, change: as, remove: as, strong: as, faint: as, warn: as };

/** Rows below a faint heading; {@link widthOf} aligns the columns, and empty columns are left out. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[], palette: Palette): string {
  const used = heading.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const table = [heading, ...rows].map((row) => used.map((column) => row[column] ?? ""));
  const widths = used.map((_, column) => widthOf(table.map((row) => row[column] ?? "")));
  const lines = table.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
  return lines.map((text, index) => (index === 0 ? palette.faint(text) : text)).join("\n");
}

/** Facts, one per line after its word; facts without a value are left out. */
export function factLines(facts: readonly (readonly [word: string, value: string])[], palette: Palette): string {
  const shown = facts.filter(([, value]) => value !== "");
  const width = widthOf(shown.map(([word]) => word));
  return shown.map(([word, value]) => `  ${palette.faint(word.padEnd(width))}  ${value}`).join("\n");
}

/** Wide enough for slugs, paths and references. A longer cell shifts only the rest of its own row. */
const widest = 60;

export function widthOf(cells: readonly string[]): number {
  const lengths = cells.map(({ length }) => length).filter((length) => length <= widest);
  return lengths.reduce((most, length) => Math.max(most, length), 0);
}

export type NextStep = readonly [command: string, meaning: string];

/** Follow-up commands in two columns, or in pairs of lines if wider than a terminal; empty for none. */
export function nextStepsText(steps: readonly NextStep[], palette: Palette): string {
  if (steps.length === 0) return "";
  const width = Math.max(...steps.map(([command]) => command.length));
  const isWide = steps.some(([, meaning]) => width + meaning.length + 4 > terminalWidth);
  const lines = steps.map(([command, meaning]) =>
    isWide ? `  ${printable(command)}\n      ${meaning}` : `  ${printable(command.padEnd(width))}  ${meaning}`,
  );
  return [palette.strong("Next:"), ...lines].join("\n");
}

export function warningLine(warning: ReportedProblem): string {
  return `warning: ${formatProblem(warning)}`;
}

/** An error with its excerpt, labelled unless it begins with a position. */
export function errorLine(problem: ReportedProblem): string {
  return problem.file === undefined ? `error: ${formatProblem(problem)}` : formatProblem(problem);
}

export function problemLines({ warnings, problems }: Pick<Plan, "warnings" | "problems">): readonly string[] {
  return [...withoutRepeats(warnings).map(warningLine), ...withoutRepeats(problems).map(errorLine)];
}

function formatProblem(problem: ReportedProblem): string {
  const excerpt = problem.excerpt ? problem.excerpt.split("\n") : [];
  return [reportedLine(problem), ...excerpt.map((line) => `    ${printable(line)}`)].join("\n");
}
