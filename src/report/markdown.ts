import { counted, paragraphs, thousands } from "../base/text-format.ts";
import { type ReportedProblem, withoutRepeats } from "../model/problem-line.ts";
import type { Action } from "../model/types.ts";
import { blockingText, objectionGroups } from "../plan/blocking-text.ts";
import { asDrift } from "../plan/drift.ts";
import { commitText, minuteText, scopeText, waveLines } from "../plan/heading.ts";
import { attention, driftHighlights, highlightsOf } from "../plan/highlights.ts";
import { ownersCounted } from "../plan/owner-counts.ts";
import type { Plan, Summary } from "../plan/plan.ts";
import { type PlannedGroup, plannedGroups } from "../plan/planned-groups.ts";
import type { Actionable } from "./findings.ts";
import { changeTable, detailsOf, type Urls } from "./markdown-changes.ts";
import { code, fitting, fittingOr, linked } from "./markdown-text.ts";
import type { FindingRenderer, Renderer, Report } from "./report.ts";
import { lineUrl, projectUrl } from "./report.ts";

/** Most characters of a comment that every forge takes, with room for what a pipeline adds. */
export const longestMarkdown = 60_000;

/** Shares of it that lists of sentences may take; the table and details share the rest. */
const longestList = 8_000;

/** Room for the sentence that says what was left out. */
const reserve = 200;

/**
 * A plan for a merge request comment: counts and what to look at first, a table with a row for all projects that have a
 * change, and details, folded. At most {@link longestMarkdown} characters: the largest details go first, then the end
 * of the table.
 */
export const planMarkdown: Renderer = (report) => {
  const { plan, command } = report;
  const urls = urlsOf(report, plan.server.url);
  const changes = plan.resource_changes;
  const groups = plannedGroups(
    command === "drift" ? changes.map((change) => asDrift(change, plan.created_at)) : changes,
  );
  const about = report.compared
    ? [counts(report), waves(plan), list(`**${attention}**`, highlightLines(report), "line")]
    : [];
  const head = [marker(report), title(report), facts(report), ...about, ...sentences(plan, urls)];
  const room = longestMarkdown - paragraphs(head).length - reserve;
  const table = groups.length > 0 ? changeTable(groups, room, urls) : "";
  return paragraphs([...head, table, ...foldedDetails(groups, room - table.length, urls)]);
};

/** The same for mistakes alone. */
export const findingsMarkdown: FindingRenderer = (report) => {
  const { problems } = report.plan;
  const headline =
    problems.length === 0 ? "### Evenkeel: valid" : `### Evenkeel: ${counted(problems.length, "problem")}`;
  return paragraphs([marker(report), headline, ...sentences(report.plan, urlsOf(report))]);
};

/** Projects are linked where files are: in pipelines. */
function urlsOf({ links, folder }: Pick<Report<unknown>, "links" | "folder">, server?: string): Urls {
  return {
    line: (place) => lineUrl(links, folder, place),
    project: (name) => (links?.files === undefined || server === undefined ? undefined : projectUrl(server, name)),
  };
}

/** The first line, by which a pipeline finds its comment again. */
function marker({ command }: Report<unknown>): string {
  return `<!-- evenkeel:${command} -->`;
}

const inOrder: readonly Action[] = ["disable", "delete", "replace", "create", "update"];

function title({ plan, compared, command }: Report): string {
  const what = command === "drift" ? "Evenkeel drift" : "Evenkeel";
  const { summary, problems } = plan;
  if (!compared) return `### ${what}: nothing was compared, ${counted(problems.length, "problem")}`;
  const isPlan = command !== "drift" && summary.outcomes === undefined;
  const loosened = isPlan ? summary.loosened : 0;
  const blocking = blockingText(plan);
  const parts = [...(loosened > 0 ? [`${thousands(loosened)} loosened`] : []), ...resultParts(summary)];
  const counts = problems.length > 0 ? [counted(problems.length, "problem")] : [];
  const comes = [...(parts.length > 0 ? parts : ["no changes"]), ...counts].join(", ");
  return `### ${what}: ${blocking ? `${blocking} · ` : ""}${comes}`;
}

/** What became of the changes of an apply, else what is planned. */
function resultParts(summary: Summary): readonly string[] {
  const outcomes = Object.entries(summary.outcomes ?? {}).flatMap(([status, count]) =>
    count > 0 ? [`${thousands(count)} ${status}`] : [],
  );
  if (outcomes.length > 0) return outcomes;
  return inOrder.flatMap((action) => (summary[action] ? [`${thousands(summary[action] ?? 0)} to ${action}`] : []));
}

/** What the plan is of: a comment that a later push has made stale is seen by it. */
function facts({ plan: { created_at, manifests, scope }, links }: Report): string {
  const commit = commitText(manifests);
  const parts = [
    `Made ${code(minuteText(created_at))}`,
    ...(manifests.commit === null ? [] : [`commit ${code(commit)}`]),
  ];
  const only = scopeText(scope);
  const page = links?.page === undefined ? [] : [`[HTML report](${links.page})`];
  return [...parts, ...(only ? [`only ${code(only)}`] : []), ...page].join(" · ");
}

function highlightLines({ plan, catalogue, command }: Report): string[] {
  const highlights =
    command === "drift" ? driftHighlights(plan, catalogue) : highlightsOf(plan.resource_changes, catalogue);
  return highlights.map(({ title, details }) => `- **${title}**: ${details.map(code).join("; ")}`);
}

/** What is said of the projects that a report lists, by command. */
const states: Readonly<Record<string, string>> = { drift: "out of sync", apply: "changed" };

function counts({ plan: { summary, server, inherited = [] }, command }: Report): string {
  const { changed_projects: changed, unmanaged, unverified } = summary;
  return [
    `${changed} of ${ownersCounted(summary)} ${states[command] ?? "to change"} on ${code(server.url)}`,
    `${unmanaged} unmanaged`,
    `${unverified} unverified`,
    ...(inherited.length > 0 ? [`${inherited.length} inherited from a group`] : []),
  ].join(" · ");
}

function waves(plan: Plan): string {
  const lines = waveLines(plan).map((line) => `- ${code(line)}`);
  return list("**Waves**", lines, "wave");
}

function sentences({ objections, problems, warnings }: Actionable, urls: Urls): string[] {
  return [
    ...objectionGroups(objections).map(([title, those]) => {
      return list(
        `**${title}**`,
        those.map(({ message }) => `- ${code(message)}`),
        "objection",
      );
    }),
    list(
      "**Problems**",
      withoutRepeats(problems).map((problem) => problemLine(problem, urls)),
      "problem",
    ),
    list(
      "**Warnings**",
      withoutRepeats(warnings).map((warning) => problemLine(warning, urls)),
      "warning",
    ),
  ];
}

function list(heading: string, lines: readonly string[], what: string): string {
  if (lines.length === 0) return "";
  const rest = (omitted: number) => `… and ${counted(omitted, `more ${what}`)}.`;
  return [heading, "", ...fittingOr(lines, longestList, rest)].join("\n");
}

function problemLine(
  { file, line = 1, column = 1, project, path, message, rule }: ReportedProblem,
  urls: Urls,
): string {
  const url = file === undefined ? project && urls.project(project) : urls.line({ file, line, column });
  const where = file === undefined ? project : `${file}:${line}`;
  const rest = [path, message, rule].flatMap((part) => (part === undefined ? [] : code(part)));
  return `- ${[...(where === undefined ? [] : [linked(where, url || undefined)]), ...rest].join(" ")}`;
}

/** Details in the table's order, without the largest where not all of them fit; then a sentence says so. */
function foldedDetails(groups: readonly PlannedGroup[], room: number, urls: Urls): readonly string[] {
  const all = detailsOf(groups, urls);
  const bySize = [...all].sort((a, b) => a.length - b.length);
  const kept = new Set(fitting(bySize, room));
  const omitted = all.length - kept.size;
  const largest = omitted < all.length ? ", the largest," : "";
  const sentence = `${counted(omitted, "section")} of details${largest} ${omitted === 1 ? "is" : "are"} left out to keep this short; other reports have them.`;
  return [...all.filter((details) => kept.has(details)), ...(omitted > 0 ? [sentence] : [])];
}
