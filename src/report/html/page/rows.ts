import { counted } from "../../../base/text-format.ts";
import { namesCounted } from "../../../plan/owner-counts.ts";
import { type Facet, facets } from "../filter-link.ts";
import { itemsOf, textOf } from "./dom.ts";

/** A row of the list: one change, or the same change of several projects. */
export interface ChangeRow {
  readonly node: HTMLLIElement;
  readonly details: HTMLDetailsElement;
  /** The section of the document that contains the row. */
  readonly section: string;
  readonly facet: Readonly<Record<Facet, string>>;
  /** The number of its changes. */
  readonly count: number;
}

/** One change of a row. */
export interface RowMember {
  /** Its item in the list of projects; none if the row is a single change. */
  readonly item: HTMLLIElement | undefined;
  readonly project: string;
  /** In lower case. */
  readonly address: string;
}

/** All rows of the document in their order, also those that wait in templates. */
export function readRows(): readonly ChangeRow[] {
  const sections = [...document.querySelectorAll<HTMLElement>("[data-section]")];
  return sections.flatMap((section) => {
    const list = section.querySelector(".rows");
    return list ? itemsOf(list).map((node) => rowOf(node, section.dataset.section ?? "")) : [];
  });
}

function rowOf(node: HTMLLIElement, section: string): ChangeRow {
  const words = (node.getAttribute("data-facets") ?? "").split(",");
  const facet = Object.fromEntries(facets.map((name, index) => [name, words[index] ?? ""])) as ChangeRow["facet"];
  const count = Number(node.getAttribute("data-count") ?? 1);
  return { node, details: node.firstElementChild as HTMLDetailsElement, section, facet, count };
}

const members = new WeakMap<ChangeRow, readonly RowMember[]>();

/** The changes of a row, read when they are first needed. */
export function membersOf(row: ChangeRow): readonly RowMember[] {
  const known = members.get(row) ?? readMembers(row.node);
  members.set(row, known);
  return known;
}

function readMembers(node: HTMLLIElement): readonly RowMember[] {
  const { summary, detail } = partsOf(node);
  const list = node.hasAttribute("data-count") ? detail?.querySelector("ul.projects") : undefined;
  if (!list) {
    const project = textOf(summary?.querySelector(".project") ?? null);
    return [{ item: undefined, project, address: addressOf(detail?.lastElementChild?.lastElementChild ?? null) }];
  }
  return itemsOf(list).map((item) => {
    const link = item.firstElementChild;
    return { item, project: textOf(link), address: addressOf(link) };
  });
}

/** Links to a change filter by its address. */
function addressOf(link: Element | null): string {
  return decodeURIComponent((link?.getAttribute("href") ?? "").replace("#q=", "")).toLowerCase();
}

const texts = new WeakMap<ChangeRow, string>();

/** Everything in a row that can be searched, in lower case, except for what only some of its projects have. */
export function searchTextOf(row: ChangeRow): string {
  const text = texts.get(row) ?? readText(row.node).toLowerCase();
  texts.set(row, text);
  return text;
}

/** Without headings and labels, which are the same in every row. Reads each part once: a plan may have 10,000 rows. */
function readText(node: HTMLLIElement): string {
  const { summary, detail } = partsOf(node);
  const texts = [...(detail?.children ?? [])].map((part) => {
    if (part instanceof HTMLTableElement) return fieldsText(part);
    if (part.className === "origin") return [...part.children].map((fact) => textOf(fact.lastElementChild)).join("\n");
    return part.tagName === "P" ? textOf(part) : "";
  });
  return [textOf(summary?.querySelector(".name") ?? null), ...texts].join("\n");
}

function partsOf(node: HTMLLIElement) {
  const [summary, detail] = node.firstElementChild?.children ?? [];
  return { summary, detail };
}

function fieldsText(table: HTMLTableElement): string {
  const rows = [...(table.tBodies[0]?.children ?? [])];
  return rows.map((row) => [...row.children].map(textOf).join(": ")).join("\n");
}

/** How many projects of a row are listed until the reader asks for all. */
const mostProjects = 60;

/** Shows a row as far as it matches: with the projects that do, or as the change of a single one. */
export function narrow(row: ChangeRow, matching = membersOf(row)): void {
  const { node } = row;
  const list = node.querySelector("ul.projects");
  const [first] = matching;
  if (!list || !first) return;
  const isAlone = matching.length === 1;
  node.classList.toggle("alone", isAlone);
  const who = node.querySelector(".project");
  if (who) who.textContent = isAlone ? first.project : namesCounted(matching.map(({ project }) => project));
  const items = matching.flatMap(({ item }) => item ?? []);
  list.replaceChildren(...items.slice(0, mostProjects));
  const all = node.querySelector<HTMLButtonElement>("button.all");
  if (!all) return;
  all.hidden = items.length <= mostProjects;
  all.textContent = `Show all ${counted(items.length, "project")}`;
  all.onclick = () => {
    list.append(...items.slice(mostProjects));
    all.hidden = true;
  };
}
