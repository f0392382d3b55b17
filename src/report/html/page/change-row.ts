import { quantity } from "../../../base/text-format.ts";
import type { Action, Outcome, Place, Value } from "../../../model/types.ts";
import { minuteText } from "../../../plan/heading.ts";
import type { PlannedChange } from "../../../plan/plan.ts";
import { button, decoration, element } from "./dom.ts";
import { hashOf } from "./filter.ts";
import type { ListedChange } from "./listed.ts";
import { type Side, valueNode, written } from "./value.ts";
import { visible } from "./words.ts";

/** How an action is drawn. What turns something off comes first. */
export const symbols: Readonly<Record<Action, string>> = { delete: "−", disable: "×", create: "+", update: "~" };

/** Every action, in the order in which the page shows them. */
export const actions = Object.keys(symbols) as readonly Action[];

/** What a change does. */
export function actionOf({ change }: PlannedChange): Action {
  return change.actions[0];
}

/** A change as a line that unfolds. What is folded is built only when somebody looks. */
export function changeRow(listed: ListedChange): HTMLLIElement {
  const details = element("details", "change", summaryOf(listed));
  details.addEventListener("toggle", () => buildDetail(details, listed));
  return element("li", "", details);
}

/** Builds what an open row shows, once. */
export function buildDetail(details: HTMLDetailsElement, listed: ListedChange): void {
  if (!details.open || details.childElementCount > 1) return;
  details.append(detailOf(listed));
  for (const mark of details.querySelectorAll("mark")) scrollTo(mark);
}

/** Where a value is longer than its box, scrolls the box to the part that differs. */
function scrollTo(mark: HTMLElement): void {
  const box = mark.closest("code");
  if (box && mark.offsetTop > box.clientHeight / 2) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
}

function summaryOf({ members: [change, ...others], shared }: ListedChange): HTMLElement {
  const { project, kind, key, outcome, policy_effect, source } = change;
  const action = actionOf(change);
  const where = others.length > 0 ? quantity(others.length + 1, "project") : visible(project);
  const name = element("span", "name", element("span", "kind", `${kind}/`), element("b", "", visible(key)));
  return element(
    "summary",
    "",
    decoration(`symbol ${action}`, symbols[action]),
    element("span", "unseen", action),
    element(
      "span",
      "what",
      where ? element("span", others.length > 0 ? "project many" : "project", where) : "",
      " ",
      name,
    ),
    element("span", "brief", ...briefOf(change, shared)),
    element(
      "span",
      "end",
      ...[outcome?.status, policy_effect].flatMap((word) => (word ? [outcomeNode(word)] : [])),
      placeNode(source),
    ),
  );
}

/** What became of a change, or what it does to a policy, as a coloured word. */
export function outcomeNode(word: Outcome["status"] | NonNullable<PlannedChange["policy_effect"]>): HTMLElement {
  return element("span", `outcome ${word}`, word);
}

/** The line stays in sight, however long the file's name is. */
function placeNode({ file, line }: Place): HTMLElement {
  const place = element("span", "place", element("span", "file", visible(file)), element("span", "line", `:${line}`));
  return Object.assign(place, { title: visible(`${file}:${line}`) });
}

/** Who loses events by it; else the first field that changes, and how many more do. */
function briefOf(
  { lost_notifications, action_reason: reason }: PlannedChange,
  sides: Sides,
): readonly (Node | string)[] {
  if (lost_notifications?.[0] !== undefined)
    return [element("span", "loss", visible(lost_notifications[0])), ...moreOf(lost_notifications.length - 1)];
  const { before, after } = sides;
  const names = fieldNames(sides);
  const [name, ...more] = names;
  if (name === undefined) return [visible(reason)];
  const field = element("span", "field-name", visible(name));
  const isWhole = before === null || after === null;
  if (isWhole && more.length > 0) return [before === null ? names.map(visible).join(", ") : visible(reason)];
  if (before === null) return [field, " ", short(after?.[name])];
  return [field, " ", ...transition(before[name], after, name), ...moreOf(more.length)];
}

type Sides = ListedChange["shared"];

function moreOf(count: number): readonly (Node | string)[] {
  return count > 0 ? [" ", element("span", "rest", `+${count} more`)] : [];
}

function transition(was: Value | undefined, after: Sides["after"], name: string): readonly (Node | string)[] {
  const arrow = element("span", "", decoration("arrow", "→"), element("span", "unseen", "becomes"));
  const becomes = short(after?.[name], after === null ? "gone" : "unset");
  return [short(was, "not reported"), " ", arrow, " ", becomes];
}

function short(value: Value | undefined, absent = "unset"): HTMLElement {
  return element("code", "", value === undefined ? absent : clipped(written(value)));
}

function clipped(text: string): string {
  return text.length > 48 ? `${text.slice(0, 47)}…` : text;
}

function fieldNames({ before, after }: Sides): readonly string[] {
  return [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
}

function detailOf(listed: ListedChange): HTMLElement {
  const { members, shared } = listed;
  const [{ outcome, notes = [] }, ...others] = members;
  const [reason = "", ...sentences] = shared.sentences;
  const detail = element("div", "detail", element("p", "reason", visible(reason)));
  for (const note of sentences.slice(0, notes.length)) detail.append(element("p", "note", visible(note)));
  if (outcome?.error) detail.append(element("p", "error", visible(outcome.error)));
  if (outcome?.not_kept?.length) detail.append(element("p", "error", notKept(outcome.not_kept)));
  if (fieldNames(shared).length > 0) detail.append(fieldsTable(shared));
  if (others.length > 0) detail.append(projectsNode(members));
  detail.append(element("p", "origin", ...originOf(listed)));
  return detail;
}

/** How many projects of a row are named at once. */
const mostProjects = 60;

/** Every project that has the change, each with a link to its own; all of them once somebody asks. */
function projectsNode(members: readonly PlannedChange[]): HTMLElement {
  const list = element("ul", "projects");
  const add = (some: readonly PlannedChange[]) =>
    list.append(...some.map(({ address, project }) => element("li", "", linkTo(address, visible(project)))));
  add(members.slice(0, mostProjects));
  if (members.length <= mostProjects) return list;
  const all = button("quiet all", `Show all ${quantity(members.length, "project")}`);
  all.addEventListener("click", () => {
    add(members.slice(mostProjects));
    all.remove();
  });
  return element("div", "", list, all);
}

function notKept(names: readonly string[]): string {
  return `Sent, but the server answered another value: ${names.map(visible).join(", ")}`;
}

function fieldsTable(shared: Sides): HTMLElement {
  const sides = (["before", "after"] as const).filter((side) => shared[side] !== null);
  const titles = ["Field", ...sides.map((side) => (side === "before" ? "Before" : "After"))];
  const rows = fieldNames(shared).map((name) => {
    return element("tr", "", heading("row", visible(name)), ...sides.map((side) => fieldCell(shared, name, side)));
  });
  return element(
    "table",
    "",
    element("caption", "unseen", `Fields of ${visible(shared.subject)}`),
    element("thead", "", element("tr", "", ...titles.map((title) => heading("col", title)))),
    element("tbody", "", ...rows),
  );
}

function heading(scope: "row" | "col", text: string): HTMLElement {
  return Object.assign(element("th", "", text), { scope });
}

function fieldCell(sides: Sides, name: string, side: Side): HTMLElement {
  const other = sides[side === "before" ? "after" : "before"];
  return element("td", side, valueNode(sides[side]?.[name], other?.[name], side));
}

function originOf({ members: [{ address, source, call, live }, ...others] }: ListedChange): readonly HTMLElement[] {
  const declared = fact("Declared at", visible(`${source.file}:${source.line}:${source.column}`));
  if (others.length > 0) return [declared];
  return [
    declared,
    fact("Request", visible(`${call.method} ${call.path}`)),
    ...(live?.updated_at ? [fact("Live state of", visible(minuteText(live.updated_at)))] : []),
    linkTo(address, "Link to this change"),
  ];
}

function fact(name: string, text: string): HTMLElement {
  return element("span", "fact", `${name} `, element("code", "", text));
}

/** A link that shows one change alone. */
export function linkTo(address: string, text = visible(address)): HTMLElement {
  return Object.assign(element("a", "", text), { href: `#${hashOf({ q: address })}` });
}
