import { thousands } from "../../../base/text-format.ts";
import type { PlannedChange, Summary } from "../../../plan/plan.ts";
import { actions, symbols } from "./change-row.ts";
import { button, decoration, element, part } from "./dom.ts";
import { type Facet, type Filter, type FilterResult, facetOf } from "./filter.ts";

/** What a click on a facet's button calls. */
type Toggle = (facet: Facet, word: string) => void;

/** The kind with the most changes has the longest bar. */
let largestKind = 1;

/** Draws a button for each action, kind and outcome. */
export function startFacets(changes: readonly PlannedChange[], { outcomes }: Summary, toggle: Toggle): void {
  const kinds = [...Map.groupBy(changes, ({ kind }) => kind)].sort(([, a], [, b]) => b.length - a.length);
  const statuses = Object.entries(outcomes ?? {}).filter(([, count]) => count > 0);
  largestKind = kinds[0]?.[1].length ?? 1;
  part("actions").replaceChildren(...tiles.map((tile) => tileOf(tile, changes)));
  part("kinds").replaceChildren(...kinds.map(([kind]) => barOf(kind)));
  part("outcomes").replaceChildren(...statuses.map(([status]) => chipOf(status)));
  part("outcomes-set").hidden = statuses.length === 0;
  part("overview").hidden = false;
  for (const { made, facet, word } of facetButtons()) made.addEventListener("click", () => toggle(facet, word));
}

interface Tile {
  readonly facet: Facet;
  readonly word: string;
  readonly symbol: string;
  readonly label: string;
}

/** What a reviewer should see first before the actions. */
const tiles: readonly Tile[] = [
  { facet: "policy_effect", word: "loosened", symbol: "!", label: "loosened" },
  { facet: "events", word: "lost", symbol: "!", label: "losing events" },
  ...actions.map((action): Tile => ({ facet: "action", word: action, symbol: symbols[action], label: `to ${action}` })),
];

function tileOf({ facet, word, symbol, label }: Tile, changes: readonly PlannedChange[]): HTMLButtonElement {
  const text = element("span", "word", decoration(`symbol ${word}`, symbol), ` ${label}`);
  const tile = facetButton(facet, word, element("span", "number"), " ", text);
  return Object.assign(tile, { disabled: !changes.some((change) => facetOf[facet](change) === word) });
}

function barOf(kind: string): HTMLButtonElement {
  const bar = decoration("bar", ...actions.map((action) => element("i", action)));
  const label = element("span", "word", kind);
  return facetButton("kind", kind, label, element("span", "track", bar), " ", element("span", "number"));
}

function chipOf(status: string): HTMLButtonElement {
  return facetButton("outcome", status, element("span", "word", status), " ", element("span", "number"));
}

function facetButton(facet: Facet, word: string, ...children: readonly (Node | string)[]): HTMLButtonElement {
  const made = button(`${facet} ${word}`, ...children);
  Object.assign(made.dataset, { facet, word });
  return made;
}

function facetButtons() {
  return [...document.querySelectorAll<HTMLButtonElement>("button[data-facet]")].map((made) => {
    const { facet, word } = made.dataset as { facet: Facet; word: string };
    return { made, facet, word };
  });
}

/** Shows on each button whether it is pressed and how many changes it finds. */
export function drawFacets({ counts, actionsOfKind }: FilterResult, filter: Filter): void {
  for (const { made, facet, word } of facetButtons()) {
    const count = counts[facet].get(word) ?? 0;
    made.ariaPressed = String(filter[facet].has(word));
    made.querySelector(".number")?.replaceChildren(thousands(count));
    const bar = made.querySelector<HTMLElement>(".bar");
    if (bar) drawBar(bar, count / largestKind, actionsOfKind.get(word));
  }
}

/** A kind's bar: as long as its share of the largest kind, in parts by action. */
function drawBar(bar: HTMLElement, share: number, byAction: ReadonlyMap<string, number> = new Map()): void {
  bar.style.width = share > 0 ? `${Math.max(1, share * 100)}%` : "0";
  for (const piece of bar.querySelectorAll("i")) {
    piece.hidden = !byAction.has(piece.className);
    piece.style.flexGrow = String(byAction.get(piece.className) ?? 0);
  }
}
