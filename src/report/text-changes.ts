import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { firstFew, terminalWidth, wrapped } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import { isRemoval } from "../model/removal-changes.ts";
import type { Action, Call } from "../model/types.ts";
import { lineText } from "../plan/groups.ts";
import { actionOf, type PlannedChange } from "../plan/plan.ts";
import { groupLine, type PlannedGroup, plannedGroups } from "../plan/planned-groups.ts";
import { type FieldTexts, fieldLines, fieldTexts, shown } from "./field-text.ts";
import type { Palette } from "./palette.ts";

const symbols: Readonly<Record<Action, string>> = {
  create: "+",
  update: "~",
  replace: "-/+",
  disable: "x",
  delete: "-",
};

const paints: Readonly<Record<Action, keyof Palette>> = {
  create: "add",
  update: "change",
  replace: "remove",
  disable: "remove",
  delete: "remove",
};

/** How many projects of a group are named. */
const mostNamed = 10;

/** Changes that several projects share, each listed once, then the others by project; a text for each. */
export function changesText(changes: readonly PlannedChange[], palette: Palette): readonly string[] {
  const groups = plannedGroups(changes);
  const shared = groups.filter(({ projects }) => projects.length > 1);
  const single = new Set(groups.flatMap(({ members }) => (members.length === 1 ? members : [])));
  const own = grouped(changes, (change) => (single.has(change) ? change.project : undefined));
  return [
    ...shared.map((group) => groupText(group, palette)),
    ...[...own].map(([project, group]) => projectText(project, group, palette)),
  ];
}

function groupText(group: PlannedGroup, palette: Palette): string {
  const { members, projects, shared, lines } = group;
  const [{ notes = [], policy_effect }] = members;
  const [reason = "", ...sentences] = shared.sentences;
  const isGone = isRemoval({ action: actionOf(members[0]) });
  const { row, below }: FieldTexts = isGone ? { below: fieldLines(shared) } : fieldTexts(shared);
  const why = policy_effect ? reason.replace(`, ${policy_effect}`, "") : reason;
  const names = `in ${firstFew([...projects].sort(), mostNamed)}`;
  const origins = lines.length > 2 ? [`at ${firstFew(lines.map(lineText), mostNamed)}`] : [];
  return [
    `${mark(members[0], palette)} ${palette.strong(printable(groupLine(group, row)))}`,
    ...faintLines([why], palette),
    ...belowText(below),
    ...notesText(sentences.slice(0, notes.length), palette),
    ...faintLines([names, ...origins], palette),
  ].join("\n");
}

/** Lines below a change that fill a terminal. */
function faintLines(texts: readonly string[], palette: Palette): string[] {
  return texts.map(
    (text) => `${indent}${palette.faint(wrapped(printable(text), terminalWidth - indent.length, indent))}`,
  );
}

function belowText(lines: readonly string[]): string[] {
  return lines.map((line) => `${indent}${printable(line)}`);
}

const indent = "      ";

function projectText(project: string, changes: readonly PlannedChange[], palette: Palette): string {
  return [palette.strong(printable(project)), ...changes.map((change) => changeText(change, palette))].join("\n");
}

function changeText(planned: PlannedChange, palette: Palette): string {
  const { source, set_at: setAt, action_reason: reason, notes = [], change } = planned;
  const { row, below } = fieldTexts(change);
  const cause = [reason, lineText(source), ...(setAt ? [`set in ${lineText(setAt)}`] : [])].join(", ");
  const head = `  ${mark(planned, palette)} ${printable(nameOf(planned))}  `;
  return [
    row === undefined ? `${head}${palette.faint(printable(cause))}` : `${head}${printable(row)}`,
    ...(row === undefined ? [] : [`${indent}${palette.faint(printable(cause))}`]),
    ...belowText(below),
    ...notesText(notes, palette),
  ].join("\n");
}

/** What below its project's name tells it from others: the rest of its address, or all of one that is of no project. */
function nameOf({ address, project, kind, key }: PlannedChange): string {
  const rest = resourceName(kind, key);
  return address === `${project}:${rest}` ? rest : address;
}

/** The sign of what a change does. */
export function mark(planned: PlannedChange, palette: Palette): string {
  const action = actionOf(planned);
  return palette[paints[action]](symbols[action]);
}

function notesText(notes: readonly string[], palette: Palette): string[] {
  return notes.map((note) => `${indent}${palette.warn("note:")} ${printable(note)}`);
}

/** What a dry run prints: every request that would be sent, secrets as references. */
export function requestsText(calls: readonly Call[]): string {
  return calls.map(requestText).join("\n");
}

function requestText({ method, path, parameters }: Call): string {
  const lines = Object.entries(parameters ?? {}).map(([name, value]) => `    ${printable(name)}: ${shown(value)}`);
  return [printable(`${method} ${path}`), ...lines].join("\n");
}
