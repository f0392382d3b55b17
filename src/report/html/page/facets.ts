import { thousands } from "../../../base/text-format.ts";
import type { Facet, Filter } from "../filter-link.ts";
import type { FilterResult } from "./filter.ts";

const buttons = [...document.querySelectorAll<HTMLButtonElement>("button[data-facet]")].map((button) => {
  const { facet, word } = button.dataset as { facet: Facet; word: string };
  return { button, facet, word };
});

/** Calls back when a facet's button is pressed. */
export function onFacet(toggle: (facet: Facet, word: string) => void): void {
  for (const { button, facet, word } of buttons) button.addEventListener("click", () => toggle(facet, word));
}

/** The number of changes of the largest kind, whose bar is the longest. */
let largest = 0;

/** Shows on each button whether it is pressed and how many changes it finds. */
export function showFacets({ counts, actionsOfKind }: FilterResult, filter: Filter): void {
  largest ||= Math.max(1, ...counts.kind.values());
  for (const { button, facet, word } of buttons) {
    const count = counts[facet].get(word) ?? 0;
    button.ariaPressed = String(filter[facet].has(word));
    button.querySelector(".number")?.replaceChildren(thousands(count));
    const bar = button.querySelector<HTMLElement>(".bar");
    if (bar) showBar(bar, count / largest, actionsOfKind.get(word));
  }
}

/** A bar as long as its share of the largest kind, in parts by action. */
function showBar(bar: HTMLElement, share: number, byAction: ReadonlyMap<string, number> = new Map()): void {
  bar.style.width = share > 0 ? `${Math.max(1, share * 100)}%` : "0";
  for (const piece of bar.querySelectorAll("i")) {
    piece.hidden = !byAction.has(piece.className);
    piece.style.flexGrow = String(byAction.get(piece.className) ?? 0);
  }
}
