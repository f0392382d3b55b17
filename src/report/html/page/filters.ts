import { memoized } from "../../../base/memoize.ts";
import { counted, thousands } from "../../../base/text-format.ts";
import { namesCounted } from "../../../plan/heading.ts";
import { type Facet, type Filter, facets, filterLink, filterOf } from "../filter-link.ts";

export function startFilters(): void {
  const rows = takeRows();
  const all = counted(sumCounts(rows), "change");
  const inputs = { q: part<HTMLInputElement>("search"), project: part<HTMLInputElement>("project") };
  let [filter, matches, most]: [Filter, readonly RowMatch[], number] = [filterOf(""), [], step];
  const show = () => {
    const { counts, ...found } = filterRows(rows, filter);
    matches = found.matches;
    showRows(matches, most);
    showFacets(counts, filter);
    const isFiltered = filterLink(filter) !== "";
    const count = sumCounts(matches);
    part("count").textContent = isFiltered ? `${thousands(count)} of ${all}` : all;
    part("clear").hidden = !isFiltered;
    part("none").hidden = count > 0;
    part("more").hidden = matches.length <= most;
  };
  const showMore = (count: number) => {
    most += count;
    show();
  };
  /** Also stores the filter in the URL, without adding an entry to the history for each letter. */
  const set = (wanted: Filter) => {
    filter = wanted;
    const hash = filterLink(filter);
    history.replaceState(null, "", hash ? `#${hash}` : `${location.pathname}${location.search}`);
    show();
  };
  const readHash = () => {
    filter = filterOf(location.hash);
    inputs.q.value = filter.q;
    inputs.project.value = filter.project;
    show();
  };
  for (const { button, facet, word } of facetButtons)
    button.addEventListener("click", () => set(toggleWord(filter, facet, word)));
  for (const name of ["q", "project"] as const)
    inputs[name].addEventListener("input", () => set({ ...filter, [name]: inputs[name].value }));
  part("clear").addEventListener("click", () => {
    set(filterOf(""));
    readHash();
    inputs.q.focus();
  });
  part("skip").addEventListener("click", (event) => {
    event.preventDefault();
    goToChanges();
  });
  part("more").addEventListener("click", () => showMore(step * 10));
  addEventListener("beforeprint", () => showMore(matches.length));
  addEventListener("hashchange", () => {
    readHash();
    const summary = revealOnly(matches);
    if (summary) summary.focus({ preventScroll: true });
    else goToChanges();
  });
  readHash();
  if (filter.q !== "") revealOnly(matches);
  part("list").classList.add("ready");
}

function sumCounts(all: readonly { readonly count: number }[]): number {
  return all.reduce((sum, { count }) => sum + count, 0);
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
    section.querySelector(".number")?.replaceChildren(thousands(sumCounts(own)));
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

interface ChangeRow {
  readonly node: HTMLElement;
  readonly details: HTMLDetailsElement;
  readonly section: Element | null;
  readonly facet: Readonly<Record<Facet, string>>;
  readonly count: number;
}

/** One change of a row; `item` is its entry in the row's list of projects. */
interface RowMember {
  readonly item: HTMLElement | undefined;
  readonly project: string;
  readonly address: string;
  /** Lower case. */
  readonly text: string;
}

interface RowMatch {
  readonly row: ChangeRow;
  /** Undefined if the filter has no text, so that all changes match. */
  readonly members: readonly RowMember[] | undefined;
  readonly count: number;
}

function takeRows(): readonly ChangeRow[] {
  const list = document.getElementById("list");
  const place = document.createComment("");
  // Removing rows from a detached list is much faster.
  list?.replaceWith(place);
  const nodes = [...(list?.querySelectorAll<HTMLElement>("li[data-facets]") ?? [])];
  const rows = nodes.map((node) => {
    const words = (node.dataset.facets ?? "").split(",");
    const facet = Object.fromEntries(facets.map((name, index) => [name, words[index] ?? ""])) as ChangeRow["facet"];
    const count = Number(node.dataset.count ?? 1);
    const section = node.closest("section.group");
    return { node, details: node.firstElementChild as HTMLDetailsElement, section, facet, count };
  });
  for (const items of list?.querySelectorAll(".rows") ?? []) items.replaceChildren();
  if (list) place.replaceWith(list);
  return rows;
}

const membersOf = memoized(({ node }: ChangeRow): readonly RowMember[] => {
  const items = [...node.querySelectorAll<HTMLElement>(".projects > li")];
  const parts = node.querySelectorAll(".name, .reason, .note, .error, .fields td, .fields tbody th, .origin code");
  const shared = [...parts].map(({ textContent }) => textContent ?? "").join("\n");
  return (items.length > 0 ? items : [node]).map((item) => {
    const { address = "" } = item.dataset;
    const text = [shared, address, items.length > 0 ? item.textContent : ""].join("\n").toLowerCase();
    const name = items.length > 0 ? item.firstElementChild : node.querySelector(".project");
    return { item: items.length > 0 ? item : undefined, project: name?.textContent ?? "", address, text };
  });
}, new WeakMap());

/** Returns matching rows, and for each facet the number of changes per word if all other facets apply. */
function filterRows(rows: readonly ChangeRow[], filter: Filter) {
  const counts = Object.fromEntries(facets.map((facet) => [facet, new Map<string, number>()]));
  const matches: RowMatch[] = [];
  const membersIn = textFilter(rows, filter);
  for (const row of rows) {
    const found = membersIn?.(row);
    const count = found?.length ?? row.count;
    const failing = facets.filter((name) => filter[name].size > 0 && !filter[name].has(row.facet[name]));
    if (count === 0 || failing.length > 1) continue;
    if (failing.length === 0) matches.push({ row, members: found, count });
    for (const name of failing.length === 0 ? facets : failing) {
      const word = row.facet[name];
      counts[name]?.set(word, (counts[name].get(word) ?? 0) + count);
    }
  }
  return { matches, counts };
}

function textFilter(rows: readonly ChangeRow[], filter: Filter) {
  const q = filter.q.trim().toLowerCase();
  const words = q.split(/\s+/).filter(Boolean);
  const project = filter.project.trim().toLowerCase();
  if (q === "" && project === "") return undefined;
  const some = (is: (member: RowMember) => boolean) => rows.some((row) => membersOf(row).some(is));
  const isQuery = ({ address }: RowMember) => address.toLowerCase() === q;
  const isProject = (member: RowMember) => member.project.toLowerCase() === project;
  const [isAddress, isWhole] = [q !== "" && some(isQuery), project !== "" && some(isProject)];
  return (row: ChangeRow) =>
    membersOf(row).filter((member) => {
      if (isWhole ? !isProject(member) : !member.project.toLowerCase().includes(project)) return false;
      return isAddress ? isQuery(member) : words.every((word) => member.text.includes(word));
    });
}

function narrow({ row, members }: RowMatch): void {
  const { node } = row;
  if (row.count === 1) return;
  const matching = members ?? membersOf(row);
  const shown = new Set(matching.map(({ item }) => item));
  const all = membersOf(row);
  const isAlone = matching.length === 1;
  for (const { item } of all) if (item) item.hidden = !shown.has(item);
  node.classList.toggle("alone", isAlone);
  for (const rest of node.querySelectorAll<HTMLDetailsElement>(".projects + details")) rest.open = isAlone;
  const who = node.querySelector(".project");
  const names = matching.map(({ project }) => project);
  if (who) who.textContent = isAlone ? (names[0] ?? "") : namesCounted(names);
}
