import { type Facet, type Filter, facets } from "../filter-link.ts";
import { type ChangeRow, membersOf, type RowMember, searchTextOf } from "./rows.ts";

/** A row as far as it matches. */
export interface RowMatch {
  readonly row: ChangeRow;
  /** The changes that match; undefined if no text is searched, so that all do. */
  readonly members: readonly RowMember[] | undefined;
  readonly count: number;
}

/** What a filter finds, and how many changes each word of a facet would find with all other parts of the filter. */
export interface FilterResult {
  readonly matches: RowMatch[];
  readonly counts: Readonly<Record<Facet, Map<string, number>>>;
  readonly actionsOfKind: Map<string, Map<string, number>>;
}

/** The filter with a word added to one of its facets, or without the word if it was there. */
export function toggled(filter: Filter, facet: Facet, word: string): Filter {
  const words = new Set(filter[facet]);
  if (!words.delete(word)) words.add(word);
  return { ...filter, [facet]: words };
}

/** The rows that a filter matches, in their order, and the counts for its facets. */
export function filterRows(rows: readonly ChangeRow[], filter: Filter): FilterResult {
  const counts = Object.fromEntries(facets.map((facet) => [facet, new Map()])) as Record<Facet, Map<string, number>>;
  const result: FilterResult = { matches: [], counts, actionsOfKind: new Map() };
  const membersIn = textFilter(rows, filter);
  for (const row of rows) {
    const members = membersIn?.(row);
    tally(result, { row, members, count: members?.length ?? row.count }, filter);
  }
  return result;
}

/** The changes of a row that have the filter's words and project. A full address or project name matches only itself. */
function textFilter(
  rows: readonly ChangeRow[],
  filter: Filter,
): ((row: ChangeRow) => readonly RowMember[]) | undefined {
  const only = filter.q.trim().toLowerCase();
  const words = only.split(/\s+/).filter(Boolean);
  const project = filter.project.trim().toLowerCase();
  if (only === "" && project === "") return undefined;
  const some = (is: (member: RowMember) => boolean) => rows.some((row) => membersOf(row).some(is));
  const isAddress = only !== "" && some(({ address }) => address === only);
  const isWhole = project !== "" && some((member) => member.project.toLowerCase() === project);
  return (row) =>
    membersOf(row).filter((member) => {
      const name = project === "" ? "" : member.project.toLowerCase();
      if (isWhole ? name !== project : !name.includes(project)) return false;
      if (isAddress) return member.address === only;
      return words.every((word) => searchTextOf(row).includes(word) || ownText(member).includes(word));
    });
}

function ownText({ address, item }: RowMember): string {
  return `${address}\n${item?.textContent.toLowerCase() ?? ""}`;
}

function tally({ matches, counts, actionsOfKind }: FilterResult, match: RowMatch, filter: Filter): void {
  const { count } = match;
  const { facet } = match.row;
  const failing = facets.filter((name) => filter[name].size > 0 && !filter[name].has(facet[name]));
  if (count === 0 || failing.length > 1) return;
  if (failing.length === 0) matches.push(match);
  const counting = failing.length === 0 ? facets : failing;
  for (const name of counting) add(counts[name], facet[name], count);
  if (!counting.includes("kind")) return;
  const ofKind = actionsOfKind.get(facet.kind) ?? new Map<string, number>();
  actionsOfKind.set(facet.kind, add(ofKind, facet.action, count));
}

function add(counts: Map<string, number>, word: string, count: number): Map<string, number> {
  return counts.set(word, (counts.get(word) ?? 0) + count);
}
