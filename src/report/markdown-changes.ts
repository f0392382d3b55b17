import { grouped } from "../base/grouped.ts";
import { counted, paragraphs } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import type { Action, Place } from "../model/types.ts";
import { linesText, lineText } from "../plan/groups.ts";
import { actionOf, type PlannedChange } from "../plan/plan.ts";
import { groupLine, type PlannedGroup } from "../plan/planned-groups.ts";
import { fieldNamesOf } from "../plan/sides.ts";
import { fieldTexts, shown } from "./field-text.ts";
import { code, fittingOr, heading, htmlCode, htmlLinked, linked, row } from "./markdown-text.ts";

/** Pages of what a report names; undefined where there is none. */
export interface Urls {
  readonly line: (place: Place) => string | undefined;
  readonly project: (name: string) => string | undefined;
}

/** A row a group of equal changes, in at most `room` characters: what no longer fits is counted below. */
export function changeTable(groups: readonly PlannedGroup[], room: number, urls: Urls): string {
  const applied = groups.some(({ members: [{ outcome }] }) => outcome);
  const titles = ["", "Change", "Before and after", "Why", "Source", ...(applied ? ["Outcome"] : [])];
  const [first = "", rule = ""] = heading(titles);
  const rows = groups.map((group) =>
    row([...cellsOf(group, urls), ...(applied ? [outcomeCell(group.members[0])] : [])]),
  );
  const rest = (omitted: number) => {
    const left = groups.slice(rows.length - omitted).reduce((sum, { members }) => sum + members.length, 0);
    return `… and ${counted(left, "more change")}.`;
  };
  return [first, rule, ...fittingOr(rows, room - first.length - rule.length, rest)].join("\n");
}

function cellsOf(group: PlannedGroup, urls: Urls): readonly string[] {
  const { members, shared, lines } = group;
  const [planned, ...others] = members;
  const what = code(others.length > 0 ? groupLine(group) : planned.address);
  const [reason = ""] = shared.sentences;
  const { row: values = fieldNamesOf(shared).join(", ") } = fieldTexts(shared);
  return [
    actionCell(planned),
    what,
    values && code(values),
    code(reason),
    linked(linesText(lines), urls.line(lines[0])),
  ];
}

const removals: readonly Action[] = ["disable", "delete", "replace"];

function actionCell(planned: PlannedChange): string {
  const action = actionOf(planned);
  if (planned.policy_effect === "loosened") return `**${action}**, **loosened**`;
  return removals.includes(action) ? `**${action}**` : action;
}

function outcomeCell({ outcome }: PlannedChange): string {
  if (!outcome) return "";
  return outcome.error === undefined ? outcome.status : `**${outcome.status}** ${code(outcome.error)}`;
}

/** Folded sections: one for each change that several projects have, then one for each project with the rest of its own. */
export function detailsOf(groups: readonly PlannedGroup[], urls: Urls): readonly string[] {
  const own = groups.filter(({ members }) => members.length === 1);
  const projects = grouped(own, ({ members: [{ project }] }) => project);
  return [
    ...groups.filter(({ members }) => members.length > 1).map((group) => groupDetails(group, urls)),
    ...[...projects].map(([project, single]) => projectDetails(project, single, urls)),
  ];
}

const longestNames = 4_000;

/** How many lines of a group are listed. */
const mostLines = 40;

function groupDetails(group: PlannedGroup, urls: Urls): string {
  const { projects, lines } = group;
  const origins =
    lines.length > 2
      ? [
          "",
          `Lines: ${lines
            .slice(0, mostLines)
            .map((line) => linked(lineText(line), urls.line(line)))
            .join(", ")}${lines.length > mostLines ? `, and ${lines.length - mostLines} more` : ""}`,
        ]
      : [];
  const names = fittingOr(
    [...projects].sort().map((project) => `- ${linked(project, urls.project(project))}`),
    longestNames,
    (omitted) => `… and ${counted(omitted, "more project")}.`,
  );
  return folded(htmlCode(groupLine(group)), [group], ["Projects:", "", ...names, ...origins]);
}

function projectDetails(project: string, groups: readonly PlannedGroup[], urls: Urls): string {
  return folded(`${htmlLinked(project, urls.project(project))}: ${counted(groups.length, "change")}`, groups, []);
}

function folded(title: string, groups: readonly PlannedGroup[], names: readonly string[]): string {
  const table = [...heading(["", "What", "Field", "Before", "After"]), ...groups.flatMap(fieldRows)].join("\n");
  const notes = groups.flatMap(notesOf).join("\n");
  const parts = [`<details><summary>${title}</summary>`, table, notes, names.join("\n"), "</details>"];
  return paragraphs(parts);
}

function notesOf({ members: [{ address, notes = [] }], projects, shared }: PlannedGroup): readonly string[] {
  const subject = projects.length > 1 ? shared.subject : address;
  return shared.sentences.slice(1, 1 + notes.length).map((note) => `- ${code(subject)}: ${code(note)}`);
}

function fieldRows({ members: [planned], shared }: PlannedGroup): readonly string[] {
  const { before, after } = shared;
  const what = [actionCell(planned), code(resourceName(planned.kind, planned.key))];
  const names = fieldNamesOf(shared);
  if (names.length === 0) return [row([...what, "", "", ""])];
  return names.map((name, index) => {
    const values = [before, after].map((fields) => (fields ? code(shown(fields[name])) : ""));
    return row([...(index === 0 ? what : ["", ""]), code(name), ...values]);
  });
}
