import { grouped } from "../base/grouped.ts";
import { printable } from "../base/printable.ts";
import { firstFew, terminalWidth, wrapped } from "../base/text-format.ts";
import { resourceName } from "../model/address.ts";
import type { Action, Call, Fields, Value } from "../model/types.ts";
import { isReference } from "../model/values.ts";
import { actionOf, type PlannedChange } from "../plan/plan.ts";
import { groupLine, type PlannedGroup, plannedGroups } from "../plan/planned-groups.ts";
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
  const { members, projects, shared } = group;
  const [{ notes = [], policy_effect }] = members;
  const [reason = "", ...sentences] = shared.sentences;
  const names = wrapped(
    printable(`in ${firstFew([...projects].sort(), mostNamed)}`),
    terminalWidth - indent.length,
    indent,
  );
  return [
    `${mark(members[0], palette)} ${palette.strong(printable(groupLine(group)))}`,
    `${indent}${palette.faint(printable(policy_effect ? reason.replace(`, ${policy_effect}`, "") : reason))}`,
    ...fieldsText(shared, palette),
    ...notesText(sentences.slice(0, notes.length), palette),
    `${indent}${palette.faint(names)}`,
  ].join("\n");
}

const indent = "      ";

function projectText(project: string, changes: readonly PlannedChange[], palette: Palette): string {
  return [palette.strong(printable(project)), ...changes.map((change) => changeText(change, palette))].join("\n");
}

function changeText(planned: PlannedChange, palette: Palette): string {
  const { source, action_reason: reason, notes = [] } = planned;
  const cause = palette.faint(printable(`${reason}, ${source.file}:${source.line}`));
  const head = `  ${mark(planned, palette)} ${printable(nameOf(planned))}  ${cause}`;
  return [head, ...fieldsText(planned.change, palette), ...notesText(notes, palette)].join("\n");
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

interface Sides {
  readonly before: Fields | null;
  readonly after: Fields | null;
}

function fieldsText({ before, after }: Sides, palette: Palette): string[] {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return names.map((name) => `${indent}${printable(name)}: ${transition(name, before, after, palette)}`);
}

function transition(name: string, before: Fields | null, after: Fields | null, palette: Palette): string {
  if (before === null) return shown(after?.[name]);
  if (after === null) return shown(before[name]);
  const was = before[name] === undefined ? "(not reported)" : shown(before[name]);
  return `${was} ${palette.faint("->")} ${shown(after[name])}`;
}

/** A value as people read it: a reference by its name, anything else as in JSON. */
export function shown(value: Value | undefined): string {
  if (value === undefined) return "(unset)";
  return printable(isReference(value) ? `(secret ${value.secret})` : JSON.stringify(value));
}

/** What a dry run prints: every request that would be sent, secrets as references. */
export function requestsText(calls: readonly Call[]): string {
  return calls.map(requestText).join("\n");
}

function requestText({ method, path, parameters }: Call): string {
  const lines = Object.entries(parameters ?? {}).map(([name, value]) => `    ${printable(name)}: ${shown(value)}`);
  return [printable(`${method} ${path}`), ...lines].join("\n");
}
