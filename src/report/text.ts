import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { counted, firstFew, paragraphs, terminalWidth, thousands, wrapped } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import { type Catalogue, catalogueOf } from "../model/catalogue.ts";
import { isMove } from "../model/repository-kinds.ts";
import type { Action, Call } from "../model/types.ts";
import { lineText } from "../plan/groups.ts";
import { blockingText } from "../plan/guards.ts";
import { actionCountWords, archivedText, commitText, minuteText, ownersCounted, scopeText } from "../plan/heading.ts";
import type { Plan, PlannedChange } from "../plan/plan.ts";
import { type Palette, problemLines } from "./terminal.ts";
import { type Line, placeWords, planView, type Row, shown, type View } from "./view.ts";

export function planText(
  plan: Plan,
  catalogue: Catalogue,
  palette: Palette,
  command: "plan" | "drift" = "plan",
): string {
  const isPlan = command === "plan";
  const title = isPlan ? "Plan" : "Drift";
  const view = planView(plan, catalogue, command, true);
  return paragraphs([
    headText(plan, palette, title),
    sectionText(view, "first", palette),
    ...rowsText(view.rows, palette),
    isPlan ? movingNotes(plan, palette) : "",
    ...objectionsText(view, palette),
    isPlan ? ruleWarningsText(plan, palette) : "",
    sectionText(view, "overridden", palette),
    headline(plan, palette, title),
    countsText(plan),
    problemsText(plan, palette),
  ]);
}

/** Omits the number of approvals recorded when the plan was saved. */
export function signedPlanText(plan: Plan, catalogue: Catalogue, palette: Palette): string {
  const objections = plan.objections.filter(({ guard }) => guard !== "approvals");
  const view = planView(plan, catalogue);
  const head = headText({ ...plan, objections }, palette);
  return paragraphs([head, sectionText(view, "first", palette), headline(plan, palette)]);
}

/**
 * A plan below its warnings and problems, which the program itself prints on stderr. A workspace with its own kinds
 * must pass its catalogue.
 */
export function planWithProblemsText(plan: Plan, palette: Palette, catalogue: Catalogue = catalogueOf()): string {
  return [...problemLines(plan), planText(plan, catalogue, palette)].join("\n");
}

type Title = "Plan" | "Drift";

export function headText(plan: Plan, palette: Palette, title: Title = "Plan"): string {
  const scope = scopeText(plan.scope);
  const blocking = blockingText(plan);
  const commit = commitText(plan.manifests);
  const lines = [
    `${title} of ${minuteText(plan.created_at)}${commit && `, commit ${commit}`}${plan.server.url && `, for ${plan.server.url}`}`,
    ...plan.warnings.flatMap(({ rule, message }) => (rule === "as-of" ? [`Note: ${message}`] : [])),
    ...(scope ? [`Only ${scope}${unreadText(plan)}`] : []),
  ];
  return [
    ...(blocking ? [palette.warn(printable(`${blocking}.`))] : []),
    ...(plan.problems.length > 0 ? [palette.warn(`Incomplete: ${counted(plan.problems.length, "problem")}.`)] : []),
    ...lines.map((line) => palette.faint(printable(line))),
  ].join("\n");
}

function unreadText({ scope: { since, projects = 0, of } = {} }: Plan): string {
  if (since === undefined || of === projects) return "";
  if (of === undefined || projects === 0) return `; no ${projects === 0 ? "" : "other "}project was checked`;
  const others = of - projects;
  return others === 1 ? "; the other one was not checked" : `; the other ${thousands(others)} were not checked`;
}

/** A section under its title; empty without lines. */
export function sectionText({ sections }: View, id: string, palette: Palette, sign = palette.warn("!")): string {
  const section = sections.find((each) => each.id === id);
  if (!section || section.lines.length === 0) return "";
  return [palette.strong(section.title), ...section.lines.flatMap((line) => lineTexts(line, sign))].join("\n");
}

/** One line if it fits into a terminal's width. */
function lineTexts({ lead, words }: Line, sign: string): readonly string[] {
  const line = printable(`${lead === undefined ? "" : `${lead}: `}${words.join("; ")}`);
  if (lead === undefined || line.length + 4 <= terminalWidth) return [`  ${sign} ${line}`];
  return [`  ${sign} ${lead}`, ...words.map((each) => `      ${printable(each)}`)];
}

export function objectionsText(view: View, palette: Palette): readonly string[] {
  return ["objections", "waived"].map((id) => sectionText(view, id, palette));
}

const mostNamed = 10;

function rowsText(rows: readonly Row[], palette: Palette): readonly string[] {
  const single = rows.flatMap((row) => (row.projects.length === 1 ? row : []));
  const inOrder = [...single].sort((a, b) => a.position - b.position);
  const own = grouped(inOrder, ({ projects: [project] }) => project);
  return [
    ...rows.filter(({ projects }) => projects.length > 1).map((row) => rowText(row, palette)),
    ...[...own].map(([project = "", ofProject]) =>
      [palette.strong(printable(project)), ...ofProject.map((row) => singleText(row, palette))].join("\n"),
    ),
  ];
}

export function rowText({ line, effect, ...row }: Row, palette: Palette): string {
  const { reason, values, notes, projects, places } = row;
  const why = effect ? reason.replace(`, ${effect}`, "") : reason;
  const names = projects.length > 1 ? [`in ${firstFew([...projects].sort(), mostNamed)}`] : [];
  const origins = places.length > 2 ? [`at ${firstFew(places.map(lineText), mostNamed)}`] : [];
  return [
    `${signText(row, palette)} ${palette.strong(printable(line))}`,
    ...faintLines(why ? [why] : [], palette),
    ...belowText(values.below),
    ...notesText(notes, palette),
    ...faintLines([...names, ...origins], palette),
  ].join("\n");
}

function faintLines(texts: readonly string[], palette: Palette): string[] {
  return texts.map(
    (text) => `${indent}${palette.faint(wrapped(printable(text), terminalWidth - indent.length, indent))}`,
  );
}

function belowText(lines: readonly string[]): string[] {
  return lines.map((line) => `${indent}${printable(line)}`);
}

const indent = "      ";

function singleText(row: Row, palette: Palette): string {
  const { values, reason, notes, members } = row;
  const cause = palette.faint(printable([reason, ...members.flatMap(placeWords)].join(", ")));
  const head = `  ${signText(row, palette)} ${printable(members.map(formatName).join())}  `;
  return [
    ...(values.row === undefined ? [`${head}${cause}`] : [`${head}${printable(values.row)}`, `${indent}${cause}`]),
    ...belowText(values.below),
    ...notesText(notes, palette),
  ].join("\n");
}

/** The address without the project, whose name stands above; the full address if it has none. */
function formatName({ address, project, kind, key }: PlannedChange): string {
  const rest = resourceName(kind, key);
  return address === `${project}:${rest}` ? rest : address;
}

const signs: Readonly<Record<Action, readonly [sign: string, paint: keyof Palette]>> = {
  create: ["+", "add"],
  update: ["~", "change"],
  replace: ["-/+", "remove"],
  disable: ["x", "remove"],
  delete: ["-", "remove"],
};

export function signText({ sign }: Pick<Row, "sign">, palette: Palette): string {
  const [text, paint] = signs[sign];
  return palette[paint](text);
}

function notesText(notes: readonly string[], palette: Palette): string[] {
  return notes.map((note) => `${indent}${palette.warn("note:")} ${printable(note)}`);
}

/** Rules for moving repositories that no program can check (docs/storage-moves.md); empty if none moves. */
function movingNotes({ resource_changes }: Plan, palette: Palette): string {
  const moves = resource_changes.filter(isMove).map(({ change }) => change);
  if (moves.length === 0) return "";
  const joinNames = (storages: readonly unknown[]) => printable([...new Set(storages.map(String))].join(", "));
  const sources = joinNames(moves.map(({ before }) => before?.repository_storage));
  const destinations = joinNames(moves.map(({ after }) => after?.repository_storage));
  const notes = [
    "Every repository is read-only while its own move runs.",
    `The server must reach ${sources} and ${destinations} throughout.`,
    `New projects are still created on ${sources} unless storage weights send them to ${destinations}: set those first.`,
    "Moves stay within this server. To another one: back up and restore; copying repository files can lose some.",
  ];
  return [palette.strong("Before repositories move"), ...notes.map((note) => `  - ${note}`)].join("\n");
}

/** Warnings of rules concern the changes, so reviewers see them; other warnings do not. */
function ruleWarningsText({ warnings }: Plan, palette: Palette): string {
  const ruleWarnings = warnings.filter(({ from_rule }) => from_rule);
  if (ruleWarnings.length === 0) return "";
  const lines = ruleWarnings
    .slice(0, mostRuleWarnings)
    .map(({ message }) => `  ${palette.warn("!")} ${printable(message)}`);
  const more = ruleWarnings.length - lines.length;
  const rest = more > 0 ? [`  and ${thousands(more)} more`] : [];
  return [palette.strong("Warnings of rules"), ...lines, ...rest].join("\n");
}

const mostRuleWarnings = 20;

const states = { Plan: "to change", Drift: "out of sync" } as const;

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
  const text = isWhole ? "No changes" : "No changes among what could be compared";
  const since = scope?.projects === 0 ? scope.since?.slice(0, 12) : undefined;
  if (since !== undefined) return `${text}: no project's desired state differs from ${since}.`;
  return isWhole ? `${text}: ${ownersCounted(summary)} in sync.` : `${text} in ${ownersCounted(summary)}.`;
}

function countsText({ summary, unverified: entries, inherited = [] }: Plan): string {
  const { unmanaged, unverified, reads, writes } = summary;
  const hidden = entries.filter(({ reason }) => reason === undefined);
  const missing = entries.filter(({ reason }) => reason !== undefined);
  const withheld = missing.reduce((sum, { fields }) => sum + fields.length, 0);
  const unreported = unverified - withheld;
  const named = unreported > 0 ? `: ${unverifiedText(hidden)}` : "";
  const archived = archivedText(summary);
  return [
    ...(archived ? [`${archived}.`] : []),
    `${thousands(unmanaged)} unmanaged (live, listed by no policy).`,
    `${thousands(unverified)} unverified (declared${whyUnverified(unreported, withheld)})${named}.`,
    ...notComparedTexts(missing).map((text) => `${text}.`),
    ...(inherited.length > 0
      ? [`${thousands(inherited.length)} inherited from a group, as declared: ${firstFew(inherited)}.`]
      : []),
    `Requests: ${counted(reads, "read")} made, ${counted(writes, "write")} planned.`,
  ].join("\n");
}

function whyUnverified(unreported: number, withheld: number): string {
  if (withheld === 0) return ", not reported by the server";
  if (unreported === 0) return ", not compared";
  return `; ${thousands(unreported)} not reported by the server, ${thousands(withheld)} not compared`;
}

/** Reminds of errors that were printed long before the end of a large plan. */
export function problemsText({ problems }: Plan, palette: Palette): string {
  if (problems.length === 0) return "";
  const count = counted(problems.length, "problem");
  return palette.warn(
    `${count} (errors on stderr); what ${problems.length === 1 ? "it concerns" : "they concern"} was not compared.`,
  );
}

const mostUnverified = 8;

function unverifiedText(entries: Plan["unverified"]): string {
  const counts = new Map<string, number>();
  for (const { address, fields } of entries) {
    const resource = address.slice(address.indexOf(":") + 1).replace(/^integration\//, "");
    for (const field of fields) counts.set(`${resource} ${field}`, (counts.get(`${resource} ${field}`) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => printable(count > 1 ? `${name} (${count})` : name)).sort();
  const more = names.length - mostUnverified;
  return [...names.slice(0, mostUnverified), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}

/** `not compared: NAME is not set`, each reason once, with the number of resources. Several names are one sentence. */
function notComparedTexts(entries: Plan["unverified"]): readonly string[] {
  const prefix = "not compared: ";
  const unset = " is not set";
  const reasons = entries.flatMap(({ reason = "" }) => reason.slice(prefix.length).split(/, (?=\S+ (?:is|cannot) )/));
  const counts = new Map([...grouped(reasons, (reason) => reason)].map(([reason, { length }]) => [reason, length]));
  const distinct = [...counts.keys()].sort();
  const names = distinct.filter((reason) => reason.endsWith(unset));
  const others = names.length > 1 ? distinct.filter((reason) => !reason.endsWith(unset)) : distinct;
  const list = (all: readonly string[], omitted = 0) => {
    const words = all.map((each) => {
      const count = counts.get(each) ?? 0;
      return `${each.slice(0, each.length - omitted)}${count > 1 ? ` (${thousands(count)})` : ""}`;
    });
    return printable(firstFew(words, mostUnverified));
  };
  const several = `${thousands(names.length)} secrets are not set here, so their values were not compared: `;
  return [
    ...(names.length > 1 ? [`${several}${list(names, unset.length)}`] : []),
    ...(others.length > 0 ? [`${prefix}${list(others)}`] : []),
  ];
}

export function requestsText(calls: readonly Call[]): string {
  const lines = calls.flatMap(({ method, path, parameters = {} }) => [
    printable(`${method} ${path}`),
    ...Object.entries(parameters).map(([name, value]) => `    ${printable(name)}: ${shown(value)}`),
  ]);
  return lines.join("\n");
}
