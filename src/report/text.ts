import { printable } from "../base/printable.ts";
import { counted, firstFew, paragraphs, terminalWidth, thousands } from "../base/text-format.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { actionCountWords } from "../plan/action-counts.ts";
import { blockingText, objectionGroups } from "../plan/blocking-text.ts";
import { asDrift } from "../plan/drift.ts";
import { creationText, scopeText } from "../plan/heading.ts";
import { attention, driftHighlights, type Highlight, highlightLine, highlightsOf } from "../plan/highlights.ts";
import { ownersCounted } from "../plan/owner-counts.ts";
import type { Plan } from "../plan/plan.ts";
import { movingNotes } from "./moves.ts";
import type { Palette } from "./palette.ts";
import { changesText } from "./text-changes.ts";

/** A plan for people: what it is of, what to look at first, the changes, and counts at the end. */
export function planText(plan: Plan, catalogue: Catalogue, palette: Palette): string {
  return paragraphs([
    headText(plan, palette),
    highlightsText(highlightsOf(plan.resource_changes, catalogue), palette),
    ...changesText(plan.resource_changes, palette),
    movingNotes(plan, palette),
    ...objectionsText(plan, palette),
    ruleWarningsText(plan, palette),
    headline(plan, palette),
    countsText(plan),
    problemsText(plan, palette),
  ]);
}

/**
 * What a person should know of a plan before signing it: what it is of, what needs attention, and the counts. How many
 * approvals it had when it was saved is nothing that it says of itself.
 */
export function signedPlanText(plan: Plan, catalogue: Catalogue, palette: Palette): string {
  const objections = plan.objections.filter(({ guard }) => guard !== "approvals");
  return paragraphs([
    headText({ ...plan, objections }, palette),
    highlightsText(highlightsOf(plan.resource_changes, catalogue), palette),
    headline(plan, palette),
  ]);
}

/** The same of drift: how what the server has differs from what is declared. */
export function driftText(plan: Plan, catalogue: Catalogue, palette: Palette): string {
  return paragraphs([
    headText(plan, palette, "Drift"),
    highlightsText(driftHighlights(plan, catalogue), palette),
    ...changesText(
      plan.resource_changes.map((change) => asDrift(change, plan.created_at)),
      palette,
    ),
    ...objectionsText(plan, palette),
    headline(plan, palette, "Drift"),
    countsText(plan),
    problemsText(plan, palette),
  ]);
}

/** What is said of the projects that a report lists. */
const states = { Plan: "to change", Drift: "out of sync" } as const;

type Title = keyof typeof states;

/** What a plan is of, and what blocks it. */
export function headText(plan: Plan, palette: Palette, title: Title = "Plan"): string {
  const scope = scopeText(plan.scope);
  const blocking = blockingText(plan);
  const lines = [
    `${title} of ${creationText(plan)}${plan.server.url && `, for ${plan.server.url}`}`,
    ...plan.warnings.flatMap(({ rule, message }) => (rule === otherDay ? [`Note: ${message}`] : [])),
    ...(scope ? [`Only ${scope}${unreadText(plan)}`] : []),
  ];
  return [
    ...(blocking ? [palette.warn(printable(`${blocking}.`))] : []),
    ...(plan.problems.length > 0 ? [palette.warn(`Incomplete: ${counted(plan.problems.length, "problem")}.`)] : []),
    ...lines.map((line) => palette.faint(printable(line))),
  ].join("\n");
}

/** The rule of the warning that a report is of another day. */
const otherDay = "as-of";

/** What a plan since a revision did not look at. */
function unreadText({ scope: { since, projects = 0, of } = {} }: Plan): string {
  if (since === undefined || of === projects) return "";
  if (of === undefined || projects === 0) return `; no ${projects === 0 ? "" : "other "}project was checked`;
  const others = of - projects;
  return others === 1 ? "; the other one was not checked" : `; the other ${thousands(others)} were not checked`;
}

/** What needs attention; empty where nothing does. */
export function highlightsText(highlights: readonly Highlight[], palette: Palette): string {
  const lines = highlights.flatMap((highlight) => highlightLines(highlight, palette));
  return lines.length > 0 ? [palette.strong(attention), ...lines].join("\n") : "";
}

/** One line where a terminal has room for it. */
function highlightLines(highlight: Highlight, palette: Palette): readonly string[] {
  const line = printable(highlightLine(highlight));
  const mark = `  ${palette.warn("!")} `;
  if (line.length + 4 <= terminalWidth) return [`${mark}${line}`];
  return [`${mark}${highlight.title}`, ...highlight.details.map((detail) => `      ${printable(detail)}`)];
}

/** What guards and rules object to, a text for each group. */
export function objectionsText({ objections }: Plan, palette: Palette): readonly string[] {
  return objectionGroups(objections).map(([title, those]) => {
    const lines = those.map(({ message }) => `  ${palette.warn("!")} ${printable(message)}`);
    return [palette.strong(title), ...lines].join("\n");
  });
}

/** Warnings of rules: part of what a reviewer reads, as objections are. Other warnings are not about the changes. */
function ruleWarningsText({ warnings }: Plan, palette: Palette): string {
  const those = warnings.filter(({ from_rule }) => from_rule);
  if (those.length === 0) return "";
  const lines = those.slice(0, mostRuleWarnings).map(({ message }) => `  ${palette.warn("!")} ${printable(message)}`);
  const more = those.length - lines.length;
  return [palette.strong("Warnings of rules"), ...lines, ...(more > 0 ? [`  and ${thousands(more)} more`] : [])].join(
    "\n",
  );
}

const mostRuleWarnings = 20;

function headline(plan: Plan, palette: Palette, title: Title = "Plan"): string {
  const { summary } = plan;
  if (summary.writes === 0) return palette.strong(noChangesText(plan));
  return palette.strong(
    `${title}: ${actionCountWords(summary).join(", ")}; ${thousands(summary.changed_projects)} of ${ownersCounted(summary)} ${states[title]}.`,
  );
}

function noChangesText({ summary, problems, scope }: Plan): string {
  if (problems.length > 0 && summary.projects === 0) return "Nothing was compared.";
  if (!scope && summary.projects === 0) return "Nothing to compare: no policy selects a project.";
  const isWhole = problems.length === 0;
  const found = isWhole ? "No changes" : "No changes among what could be compared";
  const since = scope?.projects === 0 ? scope.since?.slice(0, 12) : undefined;
  if (since !== undefined) return `${found}: no project's desired state differs from ${since}.`;
  return isWhole ? `${found}: ${ownersCounted(summary)} in sync.` : `${found} in ${ownersCounted(summary)}.`;
}

function countsText({ summary, unverified: entries, inherited = [] }: Plan): string {
  const { unmanaged, unverified, reads, writes } = summary;
  const named = unverified > 0 ? `: ${unverifiedText(entries)}` : "";
  return [
    `${thousands(unmanaged)} unmanaged (live, listed by no policy).`,
    `${thousands(unverified)} unverified (declared, not reported by the server)${named}.`,
    ...(inherited.length > 0
      ? [`${thousands(inherited.length)} inherited from a group, as declared: ${firstFew(inherited)}.`]
      : []),
    `Requests: ${counted(reads, "read")} made, ${counted(writes, "write")} planned.`,
  ].join("\n");
}

/** Reminds of errors that were printed long before the end of a large plan. */
export function problemsText({ problems }: Plan, palette: Palette): string {
  if (problems.length === 0) return "";
  const count = counted(problems.length, "problem");
  return palette.warn(
    `${count} (errors on stderr); what ${problems.length === 1 ? "it concerns" : "they concern"} was not compared.`,
  );
}

const mostNamed = 8;

/** Unverified parameters, each once, with how many projects it is in: a fleet repeats itself. */
function unverifiedText(entries: Plan["unverified"]): string {
  const counts = new Map<string, number>();
  for (const { address, fields } of entries) {
    const resource = address.slice(address.indexOf(":") + 1).replace(/^integration\//, "");
    for (const field of fields) counts.set(`${resource} ${field}`, (counts.get(`${resource} ${field}`) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => printable(count > 1 ? `${name} (${count})` : name)).sort();
  const more = names.length - mostNamed;
  return [...names.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
