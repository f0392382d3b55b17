import type { Action } from "../../../model/types.ts";
import type { PlannedChange } from "../../../plan/plan.ts";
import { actionOf, actions, buildDetail, changeRow } from "./change-row.ts";
import { element, part } from "./dom.ts";
import { thousands } from "./words.ts";

/** How many changes are drawn at once. */
const step = 100;

/** Rows that have been drawn once stay as the reader left them. */
const rows = new Map<PlannedChange, HTMLLIElement>();

/** What was unfolded for paper only. */
const unfolded = new Set<HTMLDetailsElement>();

let matches: readonly PlannedChange[] = [];
let drawn = 0;
let areOpen = false;

/** Draws a group for each action, still empty, and listens for what unfolds rows or asks for more of them. */
export function startList(open: boolean): void {
  part("list").replaceChildren(...actions.map(groupOf));
  part("changes").hidden = false;
  openAll(open);
  part("expand").addEventListener("click", () => openAll(!areOpen));
  part("more").addEventListener("click", () => drawMore(step));
  new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && drawMore(step), {
    rootMargin: "400px",
  }).observe(part("more"));
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", restoreAfterPrint);
}

function groupOf(action: Action): HTMLElement {
  const number = Object.assign(element("span", "number"), { id: `count-${action}` });
  const list = Object.assign(element("ul", "rows"), { id: `rows-${action}` });
  const heading = Object.assign(element("h3", action, `To ${action} `, number), { id: `heading-${action}` });
  const group = Object.assign(element("section", "group", heading, list), { id: `group-${action}` });
  group.setAttribute("aria-labelledby", heading.id);
  return group;
}

/** Shows these changes in place of those before; beyond the first hundred, they are drawn as the reader scrolls. */
export function showChanges(shown: readonly PlannedChange[]): void {
  matches = shown;
  drawn = 0;
  for (const action of actions) clearGroup(action);
  drawMore(step);
}

function clearGroup(action: Action): void {
  part(`group-${action}`).hidden = true;
  part(`rows-${action}`).replaceChildren();
  part(`count-${action}`).textContent = thousands(matches.filter((change) => actionOf(change) === action).length);
}

function drawMore(size: number): void {
  for (const [action, group] of Map.groupBy(matches.slice(drawn, drawn + size), actionOf)) {
    part(`group-${action}`).hidden = false;
    part(`rows-${action}`).append(...group.map(drawnRow));
  }
  drawn = Math.min(drawn + size, matches.length);
  const left = matches.length - drawn;
  part("more").hidden = left === 0;
  part("more").textContent = `Show ${thousands(Math.min(left, step))} more of ${thousands(left)}`;
}

function drawnRow(change: PlannedChange): HTMLLIElement {
  const row = rows.get(change) ?? changeRow(change);
  rows.set(change, row);
  if (areOpen || matches.length === 1) detailsOf(row).open = true;
  return row;
}

function detailsOf(row: HTMLLIElement): HTMLDetailsElement {
  return row.firstElementChild as HTMLDetailsElement;
}

function openAll(open: boolean): void {
  areOpen = open;
  part("expand").textContent = open ? "Close all" : "Open all";
  for (const row of rows.values()) detailsOf(row).open = open;
}

/** Paper does not scroll or unfold: all that matches is printed in full. */
function preparePrint(): void {
  drawMore(matches.length);
  for (const change of matches) {
    const row = rows.get(change);
    const details = row && detailsOf(row);
    if (!details || details.open) continue;
    details.open = true;
    buildDetail(details, change);
    unfolded.add(details);
  }
}

function restoreAfterPrint(): void {
  for (const details of unfolded) details.open = false;
  unfolded.clear();
  showChanges(matches);
}
