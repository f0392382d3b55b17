import { counted, thousands } from "../../../base/text-format.ts";
import { type Facet, type Filter, filterLink, filterOf } from "../filter-link.ts";
import { type ChangeRow, filterRows, membersOf, narrow, type RowMatch, takeRows } from "./rows.ts";

/** Applies the filter in the URL fragment and the controls to the list of changes. */
export function startFilters(): void {
  const rows = takeRows();
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  const inputs = { q: part<HTMLInputElement>("search"), project: part<HTMLInputElement>("project") };
  let filter = filterOf("");
  let matches: readonly RowMatch[] = [];
  let most = step;

  const show = (next: Filter) => {
    filter = next;
    const result = filterRows(rows, filter);
    matches = result.matches;
    showRows(matches, most);
    showFacets(result.counts, filter);
    const isFiltered = filterLink(filter) !== "";
    const found = matches.reduce((sum, { count }) => sum + count, 0);
    part("count").textContent = isFiltered
      ? `${thousands(found)} of ${counted(all, "change")}`
      : counted(all, "change");
    part("clear").hidden = !isFiltered;
    part("none").hidden = found > 0;
    part("more").hidden = matches.length <= most;
  };
  /** Stores the filter in the URL without adding an entry to the history for each letter. */
  const set = (next: Filter) => {
    const hash = filterLink(next);
    history.replaceState(null, "", hash ? `#${hash}` : `${location.pathname}${location.search}`);
    show(next);
  };
  const readHash = () => {
    const next = filterOf(location.hash);
    inputs.q.value = next.q;
    inputs.project.value = next.project;
    show(next);
  };

  for (const { button, facet, word } of facetButtons)
    button.addEventListener("click", () => set(toggleWord(filter, facet, word)));
  inputs.q.addEventListener("input", () => set({ ...filter, q: inputs.q.value }));
  inputs.project.addEventListener("input", () => set({ ...filter, project: inputs.project.value }));
  for (const name of ["input", "focus"]) inputs.project.addEventListener(name, () => suggest(inputs.project, rows));
  part("clear").addEventListener("click", () => {
    set(filterOf(""));
    readHash();
    inputs.q.focus();
  });
  part("skip").addEventListener("click", (event) => {
    event.preventDefault();
    goToChanges();
  });
  const showMore = (count: number) => {
    most += count;
    show(filter);
  };
  part("more").addEventListener("click", () => showMore(step * 10));
  addEventListener("hashchange", () => {
    readHash();
    const summary = revealOnly(matches);
    if (summary) summary.focus({ preventScroll: true });
    else goToChanges();
  });
  openOnRequest(
    () => matches,
    () => showMore(matches.length),
  );
  readHash();
  if (filter.q !== "") revealOnly(matches);
  part("list").classList.add("ready");
  for (const { details } of rows) if (details.open) scrollToMarks(details);
}

/** Returns an element that the page must have. */
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

/** Updates each button's pressed state and count of changes. */
function showFacets(counts: ReturnType<typeof filterRows>["counts"], filter: Filter): void {
  for (const { button, facet, word } of facetButtons) {
    button.ariaPressed = String(filter[facet].has(word));
    button.querySelector(".number")?.replaceChildren(thousands(counts[facet]?.get(word) ?? 0));
  }
}

/** The filter with a word added to or removed from one of its facets. */
function toggleWord(filter: Filter, facet: Facet, word: string): Filter {
  const words = new Set(filter[facet]);
  if (!words.delete(word)) words.add(word);
  return { ...filter, [facet]: words };
}

/** Suggests matching project names. */
function suggest(input: HTMLInputElement, rows: readonly ChangeRow[]): void {
  const typed = input.value.toLowerCase();
  const projects = new Set(rows.flatMap((row) => membersOf(row).map(({ project }) => project)));
  const near = [...projects].filter((project) => project.toLowerCase().includes(typed)).sort();
  const options = near.slice(0, 50).map((value) => Object.assign(document.createElement("option"), { value }));
  part("projects").replaceChildren(...options);
}

function goToChanges(): void {
  part("changes").scrollIntoView();
  part("changes-title").focus({ preventScroll: true });
}

/** Scrolls to the row if it is the only one, and returns its summary; else null. */
function revealOnly([only, ...others]: readonly RowMatch[]): HTMLElement | null {
  if (!only || others.length > 0) return null;
  only.row.node.scrollIntoView({ block: "start" });
  return only.row.node.querySelector("summary");
}

/** Opens all rows on request and for printing. */
function openOnRequest(matches: () => readonly RowMatch[], showAll: () => void): void {
  const expand = part("expand");
  expand.addEventListener("click", () => {
    const isOpen = expand.textContent === "Open all";
    for (const { row } of matches()) row.details.open = isOpen;
    expand.textContent = isOpen ? "Close all" : "Open all";
  });
  let opened: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    showAll();
    opened = [...document.querySelectorAll<HTMLDetailsElement>("#list details:not([open])")];
    for (const details of opened) details.open = true;
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
  });
  part("list").addEventListener("toggle", ({ target }) => scrollToMarks(target as Element), { capture: true });
}

/** Scrolls long values to the part that differs. */
function scrollToMarks(details: Element): void {
  for (const mark of details.querySelectorAll("mark")) {
    const box = mark.closest("code");
    if (box && mark.offsetTop > box.clientHeight / 2) box.scrollTop = mark.offsetTop - box.clientHeight / 2;
  }
}
