import type { Action, Outcome, Place, Value } from "../../../model/types.ts";
import type { PlannedChange } from "../../../plan/plan.ts";
import { decoration, element } from "./dom.ts";
import { hashOf } from "./filter.ts";
import { type Side, valueNode, written } from "./value.ts";
import { momentOf, visible } from "./words.ts";

/** How an action is drawn. What turns something off comes first. */
export const symbols: Readonly<Record<Action, string>> = { delete: "−", disable: "×", create: "+", update: "~" };

/** Every action, in the order in which the page shows them. */
export const actions = Object.keys(symbols) as readonly Action[];

/** What a change does. */
export function actionOf({ change }: PlannedChange): Action {
  return change.actions[0];
}

/** A change as a line that unfolds. What is folded is built only when somebody looks. */
export function changeRow(change: PlannedChange): HTMLLIElement {
  const details = element("details", "change", summaryOf(change));
  details.addEventListener("toggle", () => buildDetail(details, change));
  return element("li", "", details);
}

/** Builds what an open row shows, once. */
export function buildDetail(details: HTMLDetailsElement, change: PlannedChange): void {
  if (!details.open || details.childElementCount > 1) return;
  details.append(detailOf(change));
  for (const mark of details.querySelectorAll("mark")) scrollTo(mark);
}

/** Where a value is longer than its box, scrolls the box to the part that differs. */
function scrollTo(mark: HTMLElement): void {
  const box = mark.closest("code");
  if (box && mark.offsetTop > box.clientHeight / 2) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
}

function summaryOf(change: PlannedChange): HTMLElement {
  const { project, kind, key, outcome, source } = change;
  const action = actionOf(change);
  const where = project ? element("span", "project", visible(project)) : "";
  const name = element("span", "name", element("span", "kind", `${kind}/`), element("b", "", visible(key)));
  const place = element("span", "place", placeOf(source));
  return element(
    "summary",
    "",
    decoration(`symbol ${action}`, symbols[action]),
    element("span", "unseen", action),
    element("span", "what", where, " ", name),
    element("span", "brief", ...briefOf(change)),
    element("span", "end", outcome ? outcomeNode(outcome.status) : "", place),
  );
}

/** What became of a change, as a coloured word. */
export function outcomeNode(status: Outcome["status"]): HTMLElement {
  return element("span", `outcome ${status}`, status);
}

function placeOf({ file, line }: Place): string {
  return visible(`${file}:${line}`);
}

/** The first field that changes, and how many more do. */
function briefOf({ change, action_reason: reason }: PlannedChange): readonly (Node | string)[] {
  const { before, after } = change;
  const names = fieldNames(change);
  const [name, ...more] = names;
  if (name === undefined || after === null) return [visible(reason)];
  if (before === null) return [names.map(visible).join(", ")];
  const rest = more.length > 0 ? [" ", element("span", "rest", `+${more.length} more`)] : [];
  return [element("span", "field-name", visible(name)), " ", ...transition(before[name], after[name]), ...rest];
}

function transition(was: Value | undefined, becomes: Value | undefined): readonly (Node | string)[] {
  const short = (value: Value | undefined, absent: string) =>
    element("code", "", value === undefined ? absent : clipped(written(value)));
  const arrow = element("span", "", decoration("arrow", "→"), element("span", "unseen", "becomes"));
  return [short(was, "not reported"), " ", arrow, " ", short(becomes, "unset")];
}

function clipped(text: string): string {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
}

function fieldNames({ before, after }: PlannedChange["change"]): readonly string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
}

function detailOf(change: PlannedChange): HTMLElement {
  const { action_reason: reason, outcome } = change;
  const detail = element("div", "detail", element("p", "reason", visible(reason)));
  if (outcome?.error) detail.append(element("p", "error", visible(outcome.error)));
  if (outcome?.not_kept?.length) detail.append(element("p", "error", notKept(outcome.not_kept)));
  if (fieldNames(change.change).length > 0) detail.append(fieldsTable(change));
  detail.append(element("p", "origin", ...originOf(change)));
  return detail;
}

function notKept(names: readonly string[]): string {
  return `Sent, but the server answered another value: ${names.map(visible).join(", ")}`;
}

function fieldsTable({ address, change }: PlannedChange): HTMLElement {
  const sides = (["before", "after"] as const).filter((side) => change[side] !== null);
  const titles = ["Field", ...sides.map((side) => (side === "before" ? "Before" : "After"))];
  const rows = fieldNames(change).map((name) => {
    return element("tr", "", heading("row", visible(name)), ...sides.map((side) => fieldCell(change, name, side)));
  });
  return element(
    "table",
    "",
    element("caption", "unseen", `Fields of ${visible(address)}`),
    element("thead", "", element("tr", "", ...titles.map((title) => heading("col", title)))),
    element("tbody", "", ...rows),
  );
}

function heading(scope: "row" | "col", text: string): HTMLElement {
  return Object.assign(element("th", "", text), { scope });
}

function fieldCell(change: PlannedChange["change"], name: string, side: Side): HTMLElement {
  const other = change[side === "before" ? "after" : "before"];
  return element("td", side, valueNode(change[side]?.[name], other?.[name], side));
}

function originOf({ address, source, call, live }: PlannedChange): readonly HTMLElement[] {
  const facts = [
    fact("Declared at", `${placeOf(source)}:${source.column}`),
    fact("Request", visible(`${call.method} ${call.path}`)),
    ...(live?.updated_at ? [fact("Live state of", visible(momentOf(live.updated_at)))] : []),
  ];
  return [...facts, linkTo(address, "Link to this change")];
}

function fact(name: string, text: string): HTMLElement {
  return element("span", "fact", `${name} `, element("code", "", text));
}

/** A link that shows one change alone. */
export function linkTo(address: string, text = visible(address)): HTMLElement {
  return Object.assign(element("a", "", text), { href: `#${hashOf({ q: address })}` });
}
