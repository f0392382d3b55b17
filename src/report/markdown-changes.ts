import { grouped } from "../base/grouped.ts";
import { counted } from "../base/text.ts";
import { turnsOff } from "../model/turns-off.ts";
import type { Action } from "../model/types.ts";
import { type PlannedChange, visibleOf } from "../plan/plan.ts";
import { code, fittingOr, heading, htmlCode, row } from "./markdown-text.ts";
import { shown } from "./text.ts";

const order: readonly Action[] = ["disable", "delete", "create", "update"];

function rankOf(planned: PlannedChange): number {
  const [action] = planned.change.actions;
  const isOff = action === "update" && turnsOff(visibleOf(planned));
  return order.indexOf(isOff ? "disable" : action);
}

/** Sorts what is turned off before everything else; the plan's own order decides between equals. */
export function isRemovalFirst(a: PlannedChange, b: PlannedChange): number {
  return rankOf(a) - rankOf(b);
}

/** A row a change, in at most `room` characters: what no longer fits is counted below. */
export function changeTable(changes: readonly PlannedChange[], room: number): string {
  const applied = changes.some(({ outcome }) => outcome);
  const titles = ["", "Address", "Why", "Source", ...(applied ? ["Outcome"] : [])];
  const [first = "", rule = ""] = heading(titles);
  const rest = (omitted: number) => `… and ${counted(omitted, "more change")}.`;
  const rows = changes.map((planned) => row([...changeCells(planned), ...(applied ? [outcomeCell(planned)] : [])]));
  return [first, rule, ...fittingOr(rows, room - first.length - rule.length, rest)].join("\n");
}

function changeCells({ address, change, action_reason: reason, source }: PlannedChange): readonly string[] {
  return [actionCell(change.actions[0]), code(address), code(reason), code(`${source.file}:${source.line}`)];
}

const removals: readonly Action[] = ["disable", "delete"];

function actionCell(action: Action): string {
  return removals.includes(action) ? `**${action}**` : action;
}

function outcomeCell({ outcome }: PlannedChange): string {
  if (!outcome) return "";
  return outcome.error === undefined ? outcome.status : `**${outcome.status}** ${code(outcome.error)}`;
}

/** A folded section for each project, those that lose something first. */
export function detailsOf(changes: readonly PlannedChange[]): readonly string[] {
  const groups = grouped(changes, ({ project }) => project);
  return [...groups].map(([project, group]) => projectDetails(project, group));
}

function projectDetails(project: string, changes: readonly PlannedChange[]): string {
  const summary = `<details><summary>${htmlCode(project)}: ${counted(changes.length, "change")}</summary>`;
  const rows = changes.flatMap(fieldRows);
  const table = [...heading(["", "What", "Field", "Before", "After"]), ...rows].join("\n");
  const notes = changes.flatMap(({ address, notes = [] }) => notes.map((note) => `- ${code(address)}: ${code(note)}`));
  return [summary, table, ...(notes.length > 0 ? [notes.join("\n")] : []), "</details>"].join("\n\n");
}

function fieldRows({ change, kind, key }: PlannedChange): readonly string[] {
  const { before, after, actions } = change;
  const what = [actionCell(actions[0]), code(`${kind}/${key}`)];
  const names = Object.keys({ ...before, ...after });
  if (names.length === 0) return [row([...what, "", "", ""])];
  return names.map((name, index) => {
    const values = [before, after].map((fields) => (fields ? code(shown(fields[name])) : ""));
    return row([...(index === 0 ? what : ["", ""]), code(name), ...values]);
  });
}
