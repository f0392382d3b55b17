import { counted, thousands } from "../../../base/text-format.ts";
import { type Facet, type Filter, filterLink, filterOf } from "../filter-link.ts";
import { type ChangeRow, filterRows, narrow, type RowMatch, takeRows } from "./rows.ts";

export function startFilters(): void {
  const list = new FilteredList(takeRows());
  const inputs = { q: part<HTMLInputElement>("search"), project: part<HTMLInputElement>("project") };
  const readHash = () => {
    const filter = filterOf(location.hash);
    inputs.q.value = filter.q;
    inputs.project.value = filter.project;
    list.show(filter);
  };
  for (const { button, facet, word } of facetButtons)
    button.addEventListener("click", () => list.set(toggleWord(list.filter, facet, word)));
  for (const name of ["q", "project"] as const)
    inputs[name].addEventListener("input", () => list.set({ ...list.filter, [name]: inputs[name].value }));
  part("clear").addEventListener("click", () => {
    list.set(filterOf(""));
    readHash();
    inputs.q.focus();
  });
  part("skip").addEventListener("click", (event) => {
    event.preventDefault();
    goToChanges();
  });
  part("more").addEventListener("click", () => list.showMore(step * 10));
  addEventListener("beforeprint", () => list.showMore(list.matches.length));
  addEventListener("hashchange", () => {
    readHash();
    const summary = revealOnly(list.matches);
    if (summary) summary.focus({ preventScroll: true });
    else goToChanges();
  });
  readHash();
  if (list.filter.q !== "") revealOnly(list.matches);
  part("list").classList.add("ready");
}

class FilteredList {
  filter = filterOf("");
  matches: readonly RowMatch[] = [];
  readonly #rows: readonly ChangeRow[];
  readonly #all: number;
  #most = step;

  constructor(rows: readonly ChangeRow[]) {
    this.#rows = rows;
    this.#all = rows.reduce((sum, { count }) => sum + count, 0);
  }

  show(filter: Filter): void {
    const { matches, counts } = filterRows(this.#rows, filter);
    Object.assign(this, { filter, matches });
    showRows(matches, this.#most);
    showFacets(counts, filter);
    const isFiltered = filterLink(filter) !== "";
    const found = matches.reduce((sum, { count }) => sum + count, 0);
    const all = counted(this.#all, "change");
    part("count").textContent = isFiltered ? `${thousands(found)} of ${all}` : all;
    part("clear").hidden = !isFiltered;
    part("none").hidden = found > 0;
    part("more").hidden = matches.length <= this.#most;
  }

  /** Also stores the filter in the URL, without adding an entry to the history for each letter. */
  set(filter: Filter): void {
    const hash = filterLink(filter);
    history.replaceState(null, "", hash ? `#${hash}` : `${location.pathname}${location.search}`);
    this.show(filter);
  }

  showMore(count: number): void {
    this.#most += count;
    this.show(this.filter);
  }
}

function part<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page lacks #${id}`);
  return found as Kind;
}

/** Number of rows shown initially; "show more" adds ten times as many. */
const step = 200;

/** Keeps only the shown rows in the document: a browser is slow with tens of thousands of elements, hidden or not. */
function showRows(matches: readonly RowMatch[], most: number): void {
  const shown = matches.slice(0, most);
  for (const match of shown) narrow(match);
  const [only, ...others] = matches;
  if (only && others.length === 0) only.row.details.open = true;
  for (const section of document.querySelectorAll<HTMLElement>("section.group")) {
    const own = matches.filter(({ row }) => row.section === section);
    section.hidden = own.length === 0;
    const nodes = shown.flatMap(({ row }) => (row.section === section ? [row.node] : []));
    section.querySelector(".rows")?.replaceChildren(...nodes);
    section.querySelector(".number")?.replaceChildren(thousands(own.reduce((sum, { count }) => sum + count, 0)));
  }
}

const facetButtons = [...document.querySelectorAll<HTMLButtonElement>("button[data-facet]")].map((button) => {
  const { facet, word } = button.dataset as { facet: Facet; word: string };
  return { button, facet, word };
});

function showFacets(counts: ReturnType<typeof filterRows>["counts"], filter: Filter): void {
  for (const { button, facet, word } of facetButtons) {
    button.ariaPressed = String(filter[facet].has(word));
    button.querySelector(".number")?.replaceChildren(thousands(counts[facet]?.get(word) ?? 0));
  }
}

function toggleWord(filter: Filter, facet: Facet, word: string): Filter {
  const words = new Set(filter[facet]);
  if (!words.delete(word)) words.add(word);
  return { ...filter, [facet]: words };
}

function goToChanges(): void {
  part("changes").scrollIntoView();
  part("changes-title").focus({ preventScroll: true });
}

function revealOnly([only, ...others]: readonly RowMatch[]): HTMLElement | null {
  if (!only || others.length > 0) return null;
  only.row.node.scrollIntoView({ block: "start" });
  return only.row.node.querySelector("summary");
}
