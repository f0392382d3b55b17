import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { counted, paragraphs, thousands } from "../base/text-format.ts";
import type { Action, Place } from "../model/types.ts";
import { fieldNamesOf, linesText, lineText } from "../plan/groups.ts";
import { blockingText } from "../plan/guards.ts";
import { archivedText, commitText, minuteText, ownersCounted, scopeText } from "../plan/heading.ts";
import type { Summary } from "../plan/plan.ts";
import { type FindingRenderer, lineUrl, type Renderer, type Report } from "./report.ts";
import { fieldTexts, type Line, planView, problemSections, type Row, type Section, shown } from "./view.ts";

/** Characters of a comment that every forge accepts, with room for additions by a pipeline. */
export const longestMarkdown = 60_000;

/** Share of it for lists of sentences; the table and details share the rest. */
const longestList = 8_000;

/** Room for the sentence that counts omissions. */
const reserve = 200;

/** The page of a source line; undefined if there is none. */
type LineUrl = (place: Place) => string | undefined;

export const planMarkdown: Renderer = (report) => {
  const { plan, catalogue, command, compared } = report;
  const url = lineUrls(report);
  const { sections, rows } = planView(plan, catalogue, command);
  const find = (id: string) => sections.find((section) => section.id === id);
  const list = (id: string) => sectionMarkdown(find(id), url);
  const about = compared ? [counts(report), list("waves"), list("first")] : [];
  const rest = ["objections", "waived", "overridden", "problems", "warnings"].map(list);
  return withRows([marker(command), title(report), facts(report), ...about, ...rest], rows, url);
};

export const findingsMarkdown: FindingRenderer = (report) => {
  const { problems } = report.plan;
  const headline =
    problems.length === 0 ? "### Evenkeel: valid" : `### Evenkeel: ${counted(problems.length, "problem")}`;
  const url = lineUrls(report);
  return paragraphs([
    marker(report.command),
    headline,
    ...problemSections(report.plan).map((section) => sectionMarkdown(section, url)),
  ]);
};

/**
 * Paragraphs, a table with a row for all projects that share a change, and folded details. At most {@link
 * longestMarkdown} characters: the largest details go first, then the end of the table.
 */
export function withRows(head: readonly string[], rows: readonly Row[], url = noUrl): string {
  const room = longestMarkdown - paragraphs(head).length - reserve;
  const table = rows.length > 0 ? changeTable(rows, room, url) : "";
  return paragraphs([...head, table, ...foldedDetails(rows, room - table.length, url)]);
}

const noUrl: LineUrl = () => undefined;

function lineUrls({ links, folder }: Pick<Report<unknown>, "links" | "folder">): LineUrl {
  return (place) => lineUrl(links, folder, place);
}

/** The first line, by which a pipeline finds its earlier comment. */
export function marker(command: string): string {
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

function resultParts(summary: Summary): readonly string[] {
  const outcomes = Object.entries(summary.outcomes ?? {}).flatMap(([status, count]) =>
    count > 0 ? [`${thousands(count)} ${status}`] : [],
  );
  if (outcomes.length > 0) return outcomes;
  return inOrder.flatMap((action) => (summary[action] ? [`${thousands(summary[action] ?? 0)} to ${action}`] : []));
}

/** Time, scope and commit of the plan, so that readers recognize a stale comment. */
function facts({ plan: { created_at, manifests, scope }, links }: Report): string {
  const commit = commitText(manifests);
  const only = scopeText(scope);
  return [
    `Made ${code(minuteText(created_at))}`,
    ...(manifests.commit === null ? [] : [`commit ${code(commit)}`]),
    ...(only ? [`only ${code(only)}`] : []),
    ...(links?.page === undefined ? [] : [`[HTML report](${links.page})`]),
  ].join(" · ");
}

const states: Readonly<Record<string, string>> = { drift: "out of sync", apply: "changed" };

function counts({ plan: { summary, server, inherited = [] }, command }: Report): string {
  const { changed_projects: changed, unmanaged, unverified } = summary;
  return [
    `${changed} of ${ownersCounted(summary)} ${states[command] ?? "to change"} on ${code(server.url)}`,
    `${unmanaged} unmanaged`,
    `${unverified} unverified`,
    ...(inherited.length > 0 ? [`${inherited.length} inherited from a group`] : []),
    ...(summary.archived ? [archivedText(summary)] : []),
  ].join(" · ");
}

export function sectionMarkdown(section: Pick<Section, "title" | "one" | "lines"> | undefined, url = noUrl): string {
  if (!section || section.lines.length === 0) return "";
  const { title, one, lines } = section;
  const rest = (omitted: number) => `… and ${counted(omitted, `more ${one}`)}.`;
  const items = lines.map((line) => `- ${lineMarkdown(line, url)}`);
  return [`**${title}**`, "", ...fitLines(items, longestList, rest)].join("\n");
}

function lineMarkdown({ lead, words, place, project, path, rule }: Line, url: LineUrl): string {
  if (lead !== undefined) return `**${lead}**: ${words.map(code).join("; ")}`;
  const { file, line = 1, column = 1 } = place ?? {};
  const where = file === undefined ? project : `${file}:${line}`;
  const page = file === undefined ? undefined : url({ file, line, column });
  const rest = [path, ...words, rule].flatMap((part) => (part === undefined ? [] : code(part)));
  return [...(where === undefined ? [] : [linked(where, page)]), ...rest].join(" ");
}

function changeTable(rows: readonly Row[], room: number, url: LineUrl): string {
  const isApplied = rows.some(({ outcome }) => outcome);
  const hasReasons = rows.some(({ reason }) => reason);
  const titles = ["", "Change", "Before and after", ...(hasReasons ? ["Why"] : []), "Source"];
  const [first = "", rule = ""] = heading([...titles, ...(isApplied ? ["Outcome"] : [])]);
  const lines = rows.map((row) => {
    const { row: values = fieldNamesOf(row.sides).join(", ") } = fieldTexts(row.sides);
    const why = hasReasons ? [code(row.reason)] : [];
    const source = linked(linesText(row.places), url(row.places[0]));
    const cells = [actionCell(row), code(row.title), values && code(values), ...why, source];
    return tableRow([...cells, ...(isApplied ? [outcomeCell(row)] : [])]);
  });
  const rest = (omitted: number) => {
    const left = rows.slice(lines.length - omitted).reduce((sum, { projects }) => sum + projects.length, 0);
    return `… and ${counted(left, "more change")}.`;
  };
  return [first, rule, ...fitLines(lines, room - first.length - rule.length, rest)].join("\n");
}

const bold: readonly Row["action"][] = ["disable", "delete", "replace", "withdraw"];

function actionCell({ action, effect }: Row): string {
  if (effect === "loosened") return `**${action}**, **loosened**`;
  return bold.includes(action) ? `**${action}**` : action;
}

function outcomeCell({ outcome }: Row): string {
  if (!outcome) return "";
  return outcome.error === undefined ? outcome.status : `**${outcome.status}** ${code(outcome.error)}`;
}

/** Details in the table's order. If not all fit, omits the largest and adds a sentence. */
function foldedDetails(rows: readonly Row[], room: number, url: LineUrl): readonly string[] {
  const all = listDetails(rows, url);
  const bySize = [...all].sort((a, b) => a.length - b.length);
  const fitting = new Set(takeFitting(bySize, room));
  const omitted = all.length - fitting.size;
  const largest = omitted < all.length ? ", the largest," : "";
  const sentence = `${counted(omitted, "section")} of details${largest} ${omitted === 1 ? "is" : "are"} left out to keep this short; other reports have them.`;
  return [...all.filter((details) => fitting.has(details)), ...(omitted > 0 ? [sentence] : [])];
}

function listDetails(rows: readonly Row[], url: LineUrl): readonly string[] {
  const own = rows.filter(({ projects }) => projects.length === 1);
  return [
    ...rows.filter(({ projects }) => projects.length > 1).map((row) => groupDetails(row, url)),
    ...[...grouped(own, ({ projects: [project] }) => project)].map(([project = "", single]) => {
      return foldDetails(`${htmlCode(project)}: ${counted(single.length, "change")}`, single, []);
    }),
  ];
}

const longestNames = 4_000;

const mostLines = 40;

function groupDetails(row: Row, url: LineUrl): string {
  const { projects, places } = row;
  const lines = places.slice(0, mostLines).map((place) => linked(lineText(place), url(place)));
  const more = places.length > mostLines ? `, and ${places.length - mostLines} more` : "";
  const names = fitLines(
    [...projects].sort().map((project) => `- ${code(project)}`),
    longestNames,
    (omitted) => `… and ${counted(omitted, "more project")}.`,
  );
  const origins = places.length > 2 ? ["", `Lines: ${lines.join(", ")}${more}`] : [];
  return foldDetails(htmlCode(row.title), [row], ["Projects:", "", ...names, ...origins]);
}

function foldDetails(title: string, rows: readonly Row[], names: readonly string[]): string {
  const table = [...heading(["", "What", "Field", "Before", "After"]), ...rows.flatMap(fieldRows)].join("\n");
  const notes = rows.flatMap(({ subject, notes }) => notes.map((note) => `- ${code(subject)}: ${code(note)}`));
  return paragraphs([`<details><summary>${title}</summary>`, table, notes.join("\n"), names.join("\n"), "</details>"]);
}

function fieldRows(row: Row): readonly string[] {
  const { before, after } = row.sides;
  const what = [actionCell(row), code(row.name)];
  const names = fieldNamesOf(row.sides);
  if (names.length === 0) return [tableRow([...what, "", "", ""])];
  return names.map((name, index) => {
    const values = [before, after].map((fields) => (fields ? code(shown(fields[name])) : ""));
    return tableRow([...(index === 0 ? what : ["", ""]), code(name), ...values]);
  });
}

/** Longer texts are truncated, with a count of the rest. */
const longest = 300;

/**
 * Untrusted text in a markdown cell, line or list: always as code, where no forge interprets markup, HTML, mentions,
 * references or quick actions. A code span where possible, else entities inside `<code>`.
 */
function code(text: string): string {
  const shown = truncate(text);
  return /^(?! )[^`|\\]*[^`|\\ ]$/.test(shown) ? `\`${shown}\`` : encodeEntities(shown);
}

function linked(text: string, url: string | undefined): string {
  return url === undefined ? code(text) : `[${code(text)}](${url})`;
}

/** Code inside HTML such as a `<summary>`, where markdown is not interpreted. */
function htmlCode(text: string): string {
  return encodeEntities(truncate(text));
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function heading(titles: readonly string[]): readonly string[] {
  return [tableRow(titles), `|${" --- |".repeat(titles.length)}`];
}

/** Returns the leading parts that fit into `limit` characters, each followed by an empty line. */
function takeFitting(parts: readonly string[], limit: number): readonly string[] {
  let length = 0;
  const tooMany = parts.findIndex((part) => {
    length += part.length + 2;
    return length > limit;
  });
  return tooMany < 0 ? parts : parts.slice(0, tooMany);
}

/** Returns the leading lines that fit into `limit` characters, and a sentence that counts the others. */
function fitLines(lines: readonly string[], limit: number, rest: (omitted: number) => string): readonly string[] {
  const fit = takeFitting(lines, limit);
  return fit.length === lines.length ? lines : [...fit, "", rest(lines.length - fit.length)];
}

function truncate(text: string): string {
  const shown = printable(text.toWellFormed());
  if (shown.length <= longest) return shown;
  return `${shown.slice(0, longest).toWellFormed()}… (${shown.length - longest} more characters)`;
}

function encodeEntities(text: string): string {
  const inert = text.replace(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${inert.trim() === "" ? "&#32;" : inert}</code>`;
}
