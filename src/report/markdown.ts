import { counted } from "../base/text.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Action } from "../model/types.ts";
import type { Plan, PlannedChange } from "../plan/plan.ts";
import type { Actionable } from "./findings.ts";
import { changeTable, detailsOf, isRemovalFirst } from "./markdown-changes.ts";
import { code, fitting, fittingOr } from "./markdown-text.ts";
import type { FindingSurface, Report, Surface } from "./report.ts";

/** Most characters of a comment that every forge takes, with room for what a pipeline adds. */
export const longestMarkdown = 60_000;

/** Shares of it that lists of sentences may take; the table and details share the rest. */
const longestList = 8_000;

/** Room for the sentence that says what was left out. */
const reserve = 200;

/**
 * A plan for a merge request comment: counts, what is disabled or deleted first, a table, and details by project,
 * folded. At most {@link longestMarkdown} characters: the largest details go first, then the end of the table.
 */
export const planMarkdown: Surface = (report) => {
  const { plan } = report;
  const changes = [...plan.resource_changes].sort(isRemovalFirst);
  const head = [marker(report), title(report), ...(report.surveyed ? [counts(plan)] : []), ...sentences(plan)];
  const room = longestMarkdown - joined(head).length - reserve;
  const table = changes.length > 0 ? changeTable(changes, room) : "";
  return joined([...head, table, ...foldedDetails(changes, room - table.length)]);
};

/** The same for mistakes alone. */
export const findingsMarkdown: FindingSurface = (report) => {
  const { problems } = report.plan;
  const verdict =
    problems.length === 0 ? "### Evenkeel: valid" : `### Evenkeel: ${counted(problems.length, "problem")}`;
  return joined([marker(report), verdict, ...sentences(report.plan)]);
};

/** The first line, by which a pipeline finds its comment again. */
function marker({ command }: Report<unknown>): string {
  return `<!-- evenkeel:${command} -->`;
}

const inOrder: readonly Action[] = ["disable", "delete", "create", "update"];

function title({ plan, surveyed }: Report): string {
  const { summary, problems } = plan;
  if (!surveyed) return `### Evenkeel: nothing was compared, ${counted(problems.length, "problem")}`;
  const parts = inOrder.filter((action) => summary[action] > 0).map((action) => `${summary[action]} to ${action}`);
  const trouble = problems.length > 0 ? [counted(problems.length, "problem")] : [];
  return `### Evenkeel: ${[...(parts.length > 0 ? parts : ["no changes"]), ...trouble].join(", ")}`;
}

function counts({ summary, server }: Plan): string {
  const { changed_projects: changed, projects, unmanaged, unverified, outcomes } = summary;
  const line = [
    `${changed} of ${counted(projects, "project")} changed on ${code(server.url)}`,
    `${unmanaged} unmanaged`,
    `${unverified} unverified`,
  ].join(" · ");
  const done = Object.entries(outcomes ?? {}).filter(([, count]) => count > 0);
  const applied = done.map(([status, count]) => `${count} ${status}`).join(", ");
  return outcomes ? `${line}\n\n**Apply:** ${applied || "nothing to do"}` : line;
}

function sentences({ objections, problems, warnings }: Actionable): string[] {
  const said = objections.map(({ message }) => `- ${code(message)}`);
  return [
    list("**A guard would refuse this plan**", said, "objection"),
    list("**Problems**", problems.map(problemLine), "problem"),
    list("**Warnings**", warnings.map(problemLine), "warning"),
  ];
}

function list(heading: string, lines: readonly string[], what: string): string {
  if (lines.length === 0) return "";
  const rest = (omitted: number) => `… and ${counted(omitted, `more ${what}`)}.`;
  return [heading, "", ...fittingOr(lines, longestList, rest)].join("\n");
}

function problemLine({ file, line, project, path, message, rule }: ReportedProblem): string {
  const where = file === undefined ? project : `${file}:${line}`;
  return `- ${[where, path, message, rule].flatMap((part) => (part === undefined ? [] : code(part))).join(" ")}`;
}

/** Details in the table's order, without the largest where not all of them fit; then a sentence says so. */
function foldedDetails(changes: readonly PlannedChange[], room: number): readonly string[] {
  const all = detailsOf(changes);
  const bySize = [...all].sort((a, b) => a.length - b.length);
  const kept = new Set(fitting(bySize, room));
  const omitted = all.length - kept.size;
  const largest = omitted < all.length ? ", the largest," : "";
  const sentence = `Details of ${counted(omitted, "project")}${largest} are left out to keep this short; other reports have them.`;
  return [...all.filter((details) => kept.has(details)), ...(omitted > 0 ? [sentence] : [])];
}

function joined(parts: readonly string[]): string {
  return parts.filter(Boolean).join("\n\n");
}
