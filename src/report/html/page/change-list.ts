import { thousands } from "../../../base/text-format.ts";
import type { PlannedChange } from "../../../plan/plan.ts";
import { actionOf, actions, buildDetail, changeRow } from "./change-row.ts";
import { element, part } from "./dom.ts";
import type { ListedChange } from "./listed.ts";

/** How many rows are drawn at once. */
const step = 100;

/** The parts of the list and their headings, in their order: what a reviewer should see first before the rest. */
const sections = ["loosened", ...actions] as const;

type Section = (typeof sections)[number];

/** The part of the list that a change stands in. */
function sectionOf(change: PlannedChange): Section {
  return change.policy_effect === "loosened" ? "loosened" : actionOf(change);
}

/** Changes in the order of the list; in each part, those that stop notifications come first. */
export function inSections(changes: readonly PlannedChange[]): readonly PlannedChange[] {
  const ordered = [
    ...changes.filter(({ lost_notifications }) => lost_notifications),
    ...changes.filter(({ lost_notifications }) => !lost_notifications),
  ];
  return sections.flatMap((section) => ordered.filter((change) => sectionOf(change) === section));
}

/** Rows that have been drawn once stay as the reader left them. */
const rows = new Map<string, { readonly row: HTMLLIElement; readonly listed: ListedChange }>();

/** What was unfolded for paper only. */
const unfolded = new Set<HTMLDetailsElement>();

let matches: readonly ListedChange[] = [];
let drawn = 0;
let areOpen = false;

/** Draws the parts of the list, still empty, and listens for what unfolds rows or asks for more of them. */
export function startList(open: boolean): void {
  part("list").replaceChildren(...sections.map(sectionNode));
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

function sectionNode(section: Section): HTMLElement {
  const title = section === "loosened" ? "Loosened " : `To ${section} `;
  const number = Object.assign(element("span", "number"), { id: `count-${section}` });
  const list = Object.assign(element("ul", "rows"), { id: `rows-${section}` });
  const heading = Object.assign(element("h3", section, title, number), { id: `heading-${section}` });
  const group = Object.assign(element("section", "group", heading, list), { id: `group-${section}` });
  group.setAttribute("aria-labelledby", heading.id);
  return group;
}

/** Shows these rows in place of those before; beyond the first hundred, they are drawn as the reader scrolls. */
export function showChanges(shown: readonly ListedChange[]): void {
  matches = shown;
  drawn = 0;
  for (const section of sections) clearSection(section);
  drawMore(step);
}

/** Brings the one row that is shown into sight, open, and returns its line; nothing where it is not the only one. */
export function revealOnly(): HTMLElement | null {
  const [only, ...others] = matches;
  if (!only || others.length > 0) return null;
  const row = drawnRow(only);
  buildDetail(detailsOf(row), only);
  row.scrollIntoView({ block: "start" });
  return row.querySelector("summary");
}

function clearSection(section: Section): void {
  const inIt = matches.filter(({ members }) => sectionOf(members[0]) === section);
  part(`group-${section}`).hidden = true;
  part(`rows-${section}`).replaceChildren();
  part(`count-${section}`).textContent = countText(inIt, elsewhere(section));
}

/** What an action's own part leaves to the part of what loosens. */
function elsewhere(section: Section): readonly ListedChange[] {
  return matches.filter(({ members: [first] }) => actionOf(first) === section && sectionOf(first) !== section);
}

/** `30 and 6 above`: together as many as the filter of the action finds. */
function countText(inIt: readonly ListedChange[], above: readonly ListedChange[]): string {
  const size = (those: readonly ListedChange[]) => those.reduce((sum, { members }) => sum + members.length, 0);
  return above.length > 0 ? `${thousands(size(inIt))} and ${thousands(size(above))} above` : thousands(size(inIt));
}

function drawMore(size: number): void {
  const next = matches.slice(drawn, drawn + size);
  for (const [section, group] of Map.groupBy(next, ({ members }) => sectionOf(members[0]))) {
    part(`group-${section}`).hidden = false;
    part(`rows-${section}`).append(...group.map(drawnRow));
  }
  drawn = Math.min(drawn + size, matches.length);
  const left = matches.length - drawn;
  part("more").hidden = left === 0;
  part("more").textContent = `Show ${thousands(Math.min(left, step))} more of ${thousands(left)}`;
}

/** A row shows the same as long as it is about the same changes. */
function keyOf({ members }: ListedChange): string {
  return `${members.length} ${members[0].address} ${members.at(-1)?.address}`;
}

function drawnRow(listed: ListedChange): HTMLLIElement {
  const key = keyOf(listed);
  const { row } = rows.get(key) ?? { row: changeRow(listed) };
  rows.set(key, { row, listed });
  if (areOpen || matches.length === 1) detailsOf(row).open = true;
  return row;
}

function detailsOf(row: HTMLLIElement): HTMLDetailsElement {
  return row.firstElementChild as HTMLDetailsElement;
}

function openAll(open: boolean): void {
  areOpen = open;
  part("expand").textContent = open ? "Close all" : "Open all";
  for (const { row } of rows.values()) detailsOf(row).open = open;
}

/** Paper does not scroll or unfold: all that matches is printed in full. */
function preparePrint(): void {
  drawMore(matches.length);
  for (const listed of matches) {
    const details = detailsOf(drawnRow(listed));
    if (!details.open) unfolded.add(details);
    details.open = true;
    buildDetail(details, listed);
    details.querySelector<HTMLButtonElement>("button.all")?.click();
  }
}

function restoreAfterPrint(): void {
  for (const details of unfolded) details.open = false;
  unfolded.clear();
  showChanges(matches);
}
