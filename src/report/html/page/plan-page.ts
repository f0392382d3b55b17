import { counted, thousands } from "../../../base/text-format.ts";
import { type Filter, filterLink, filterOf } from "../filter-link.ts";
import { revealOnly, showMatches, startList } from "./change-list.ts";
import { part } from "./dom.ts";
import { onFacet, showFacets } from "./facets.ts";
import { filterRows, toggled } from "./filter.ts";
import { type ChangeRow, membersOf, readRows } from "./rows.ts";

/** Most rows that are open from the start. */
const mostOpen = 8;

/** Filters the list of changes as the reader and the URL fragment ask. */
export function startFilters(): void {
  const rows = readRows();
  const all = rows.reduce((sum, { count }) => sum + count, 0);
  const inputs = { q: part<HTMLInputElement>("search"), project: part<HTMLInputElement>("project") };
  let filter = filterOf("");

  const show = (next: Filter) => {
    filter = next;
    const result = filterRows(rows, filter);
    showMatches(result.matches);
    showFacets(result, filter);
    showCount(
      result.matches.reduce((sum, { count }) => sum + count, 0),
      all,
      filterLink(filter) !== "",
    );
  };
  /** Keeps the filter in the URL, without an entry in the browser's history for each letter. */
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

  startList(all <= mostOpen);
  onFacet((facet, word) => set(toggled(filter, facet, word)));
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
  addEventListener("hashchange", () => {
    readHash();
    const summary = revealOnly();
    if (summary) summary.focus({ preventScroll: true });
    else goToChanges();
  });
  readHash();
  if (filter.q !== "") revealOnly();
}

function showCount(found: number, all: number, isFiltered: boolean): void {
  const text = counted(all, "change");
  part("count").textContent = isFiltered ? `${thousands(found)} of ${text}` : text;
  part("clear").hidden = !isFiltered;
  part("none").hidden = found > 0;
}

/** Project names are suggested only as far as they match. */
function suggest(input: HTMLInputElement, rows: readonly ChangeRow[]): void {
  const typed = input.value.toLowerCase();
  const projects = new Set(rows.flatMap((row) => membersOf(row).map(({ project }) => project)));
  const near = [...projects]
    .filter((project) => project.toLowerCase().includes(typed))
    .sort()
    .slice(0, 50);
  const options = near.map((value) => Object.assign(document.createElement("option"), { value }));
  part("projects").replaceChildren(...options);
}

function goToChanges(): void {
  part("changes").scrollIntoView();
  part("changes-title").focus({ preventScroll: true });
}
