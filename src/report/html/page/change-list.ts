import { thousands } from "../../../base/text-format.ts";
import { part } from "./dom.ts";
import type { RowMatch } from "./filter.ts";
import { narrow } from "./rows.ts";

/** How many rows are added at once. */
const step = 100;

/** The rows that printing opened. */
const opened = new Set<HTMLDetailsElement>();

let matches: readonly RowMatch[] = [];
let shown = 0;
let areOpen = false;

/** Adds rows as the reader scrolls, and opens all of them on request and for printing. */
export function startList(isOpen: boolean): void {
  setOpen(isOpen);
  part("expand").addEventListener("click", () => {
    setOpen(!areOpen);
    for (const { row } of matches.slice(0, shown)) row.details.open = areOpen;
  });
  part("more").addEventListener("click", () => showMore(step));
  part("list").addEventListener("toggle", ({ target }) => scrollToMarks(target as Element), { capture: true });
  new IntersectionObserver(([entry]) => entry?.isIntersecting && showMore(step)).observe(part("more"));
  addEventListener("beforeprint", preparePrint);
  addEventListener("afterprint", restoreAfterPrint);
}

function setOpen(open: boolean): void {
  areOpen = open;
  part("expand").textContent = open ? "Close all" : "Open all";
}

/** Shows these rows instead of those before; beyond the first hundred, they are added as the reader scrolls. */
export function showMatches(found: readonly RowMatch[]): void {
  matches = found;
  shown = 0;
  for (const section of document.querySelectorAll<HTMLElement>("[data-section]")) clearSection(section);
  showMore(step);
}

function clearSection(section: HTMLElement): void {
  const name = section.dataset.section ?? "";
  const own = matches.filter(({ row }) => row.section === name);
  const above = matches.filter(({ row }) => row.facet.action === name && row.section !== name);
  section.hidden = true;
  section.querySelector(".rows")?.replaceChildren();
  section.querySelector(".number")?.replaceChildren(countText(sizeOf(own), sizeOf(above)));
}

function sizeOf(some: readonly RowMatch[]): number {
  return some.reduce((sum, { count }) => sum + count, 0);
}

/** `30 and 6 above`: together as many as the filter of the action finds. */
function countText(own: number, above: number): string {
  return above > 0 ? `${thousands(own)} and ${thousands(above)} above` : thousands(own);
}

function showMore(size: number): void {
  for (const match of matches.slice(shown, shown + size)) showRow(match);
  shown = Math.min(shown + size, matches.length);
  const left = matches.length - shown;
  part("more").hidden = left === 0;
  part("more").textContent = `Show ${thousands(Math.min(left, step))} more of ${thousands(left)}`;
}

function showRow({ row, members }: RowMatch): void {
  const section = document.querySelector<HTMLElement>(`[data-section="${row.section}"]`);
  if (!section) return;
  narrow(row, members);
  if (areOpen || matches.length === 1) row.details.open = true;
  section.hidden = false;
  section.querySelector(".rows")?.append(row.node);
  if (row.details.open) scrollToMarks(row.details);
}

/** Scrolls to the row if it is the only one, and returns its summary; null if there are several. */
export function revealOnly(): HTMLElement | null {
  const [only, ...others] = matches;
  if (!only || others.length > 0) return null;
  only.row.node.scrollIntoView({ block: "start" });
  return only.row.node.querySelector("summary");
}

/** If a value is longer than its box, scrolls the box to the part that differs. */
function scrollToMarks(details: Element): void {
  for (const mark of details.querySelectorAll("mark")) {
    const box = mark.closest("code");
    if (box && mark.offsetTop > box.clientHeight / 2) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
  }
}

/** All matching rows are printed, opened, with all of their projects. */
function preparePrint(): void {
  showMore(matches.length);
  for (const { row } of matches) {
    if (!row.details.open) opened.add(row.details);
    row.details.open = true;
    row.node.querySelector<HTMLButtonElement>("button.all:not([hidden])")?.click();
  }
}

function restoreAfterPrint(): void {
  for (const details of opened) details.open = false;
  opened.clear();
  showMatches(matches);
}
