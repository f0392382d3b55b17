import { namesCounted } from "../../../plan/heading.ts";
import { type Facet, type Filter, facets } from "../filter-link.ts";

export interface ChangeRow {
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

export interface RowMatch {
  readonly row: ChangeRow;
  /** Undefined if the filter has no text, so that all changes match. */
  readonly members: readonly RowMember[] | undefined;
  readonly count: number;
}

export function takeRows(): readonly ChangeRow[] {
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

const membersByRow = new WeakMap<ChangeRow, readonly RowMember[]>();

/** The changes of a row (cached). */
function membersOf(row: ChangeRow): readonly RowMember[] {
  const members = membersByRow.get(row) ?? readMembers(row.node);
  membersByRow.set(row, members);
  return members;
}

function readMembers(node: HTMLElement): readonly RowMember[] {
  const items = [...node.querySelectorAll<HTMLElement>(".projects > li")];
  const shared = listTexts(node).join("\n");
  return (items.length > 0 ? items : [node]).map((item) => {
    const { address = "" } = item.dataset;
    const text = [shared, address, items.length > 0 ? item.textContent : ""].join("\n").toLowerCase();
    const name = items.length > 0 ? item.firstElementChild : node.querySelector(".project");
    return { item: items.length > 0 ? item : undefined, project: name?.textContent ?? "", address, text };
  });
}

function listTexts(node: HTMLElement): readonly string[] {
  const parts = node.querySelectorAll(".name, .reason, .note, .error, .fields td, .fields tbody th, .origin code");
  return [...parts].map(({ textContent }) => textContent ?? "");
}

/** Returns matching rows, and for each facet the number of changes per word if all other facets apply. */
export function filterRows(rows: readonly ChangeRow[], filter: Filter) {
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

export function narrow({ row, members }: RowMatch): void {
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
