import { identityOf } from "../model/kinds.ts";
import type { Project } from "../model/types.ts";
import type { ImportedEntry, ImportedProject } from "./imported.ts";

/** What a project has. Forms, by identity, are equal where one policy could speak for both projects. */
export interface Offer {
  readonly imported: ImportedProject;
  readonly forms: ReadonlyMap<string, Form>;
}

interface Form {
  readonly form: string;
  readonly entry: ImportedEntry;
}

/** Entries for one policy, by identity, and the projects that it is about: all have each of them, some in another form. */
export interface SharedEntries {
  readonly entries: ReadonlyMap<string, Form>;
  readonly covered: ReadonlySet<Project>;
}

/** Takes entries one by one, the most common first, as long as each saves more lines than the projects without it cost. */
export function shareOf(offers: readonly Offer[]): SharedEntries {
  let share: SharedEntries = { entries: new Map(), covered: new Set(offers.map(({ imported }) => imported.project)) };
  for (const [identity, form] of candidates(offers)) {
    const holders = new Set(offers.filter((offer) => has(offer, identity)).map(({ imported }) => imported.project));
    const next: SharedEntries = {
      entries: new Map([...share.entries, [identity, form]]),
      covered: new Set([...share.covered].filter((project) => holders.has(project))),
    };
    if (savedBy(next, offers) > savedBy(share, offers) && isCommon(next, offers)) share = next;
  }
  return share;
}

/** In any form, also in one that cannot be shared. */
function has({ imported }: Offer, identity: string): boolean {
  return imported.entries.some((entry) => identityOf(entry) === identity);
}

/** The most common form of each identity, the most common of them first. */
function candidates(offers: readonly Offer[]): readonly (readonly [identity: string, form: Form])[] {
  const counts = new Map<string, { readonly identity: string; readonly form: Form; count: number }>();
  for (const [identity, form] of offers.flatMap(({ forms }) => [...forms])) {
    const key = `${identity}\n${form.form}`;
    const counted = counts.get(key) ?? { identity, form, count: 0 };
    counted.count++;
    counts.set(key, counted);
  }
  const common = [...counts.values()].filter(({ count }) => count >= leastOf(offers));
  const sorted = common.toSorted((a, b) => b.count - a.count || (a.identity < b.identity ? -1 : 1));
  const best = new Map<string, Form>();
  for (const { identity, form } of sorted) if (!best.has(identity)) best.set(identity, form);
  return [...best];
}

function countOf(identity: string, { form }: Form, { covered }: SharedEntries, offers: readonly Offer[]): number {
  return offers.filter(({ imported, forms }) => covered.has(imported.project) && forms.get(identity)?.form === form)
    .length;
}

/** Entries that projects need not write themselves. */
function savedBy(share: SharedEntries, offers: readonly Offer[]): number {
  return [...share.entries].reduce((sum, [identity, form]) => sum + countOf(identity, form, share, offers), 0);
}

/** Whether each entry is that of at least two of the covered projects, and of half as many as there are in all. */
function isCommon(share: SharedEntries, offers: readonly Offer[]): boolean {
  return [...share.entries].every(([identity, form]) => countOf(identity, form, share, offers) >= leastOf(offers));
}

function leastOf(offers: readonly Offer[]): number {
  return Math.max(2, offers.length / 2);
}
