import { interpolate } from "../manifest/template.ts";
import { identityOf } from "../model/kinds.ts";
import type { Project } from "../model/types.ts";
import { coveringSelectors } from "./covering-selectors.ts";
import { draftsOf } from "./drafts.ts";
import type { ImportedEntry, ImportedProject, ImportedValue } from "./imported.ts";
import { type Draft, literal } from "./policy.ts";
import { byOrder } from "./project.ts";
import { type Offer, type SharedEntries, shareOf } from "./share.ts";

/**
 * As {@link draftsOf}, with what most projects share in one policy before the others. An entry is shared where at least
 * two of the projects, and half of them, have exactly it, the project's own path apart; a project that lacks one of them is
 * not what the policy is about. Entries with blanks are not shared: nobody knows whether
 * their values are the same.
 *
 * `listing` is all that the server has, so that no project is caught that was not imported.
 */
export function factored(imported: readonly ImportedProject[], listing: readonly Project[]): readonly Draft[] {
  const offers = imported.map(offerOf);
  const share = shareOf(offers);
  if (share.entries.size === 0) return draftsOf(imported);
  const own = offers.map(({ imported: each, forms }): ImportedProject => {
    if (!share.covered.has(each.project)) return each;
    return { ...each, entries: each.entries.filter((entry) => !isShared(entry, forms, share)) };
  });
  return [sharedDraft(share, imported, listing), ...draftsOf(own)];
}

/** What a project has, each entry with the form in which it may be the same elsewhere. */
function offerOf(imported: ImportedProject): Offer {
  const forms = new Map<string, { readonly form: string; readonly entry: ImportedEntry }>();
  for (const entry of imported.entries) {
    const general = generalise(entry, imported.project);
    if (general) forms.set(identityOf(entry), { form: formOf(general), entry: general });
  }
  return { imported, forms };
}

function formOf({ fields, remarks }: ImportedEntry): string {
  return JSON.stringify([[...fields], remarks]);
}

function isShared(entry: ImportedEntry, forms: Offer["forms"], { entries }: SharedEntries): boolean {
  const identity = identityOf(entry);
  return entries.has(identity) && entries.get(identity)?.form === forms.get(identity)?.form;
}

function sharedDraft(
  { entries, covered }: SharedEntries,
  imported: readonly ImportedProject[],
  listing: readonly Project[],
): Draft {
  const name = freeName(imported);
  return {
    file: `${name}.yaml`,
    name,
    ...coveringSelectors(covered, imported, listing),
    heading: [`What ${covered.size} of ${imported.length} imported projects share.`],
    entries: [...entries.values()].map(({ entry }) => entry).toSorted(byOrder),
    remarks: [],
  };
}

function freeName(imported: readonly ImportedProject[]): string {
  const taken = new Set(imported.map(({ project }) => project.name.toLowerCase()));
  let name = "shared";
  while (taken.has(name)) name = `${name}_`;
  return name;
}

/** The entry with the project's own path as an interpolation; undefined if it has a blank, which may differ by project. */
function generalise(entry: ImportedEntry, project: Project): ImportedEntry | undefined {
  const fields = new Map<string, ImportedValue>();
  for (const [name, stated] of entry.fields) {
    if (stated.form === "blank") return undefined;
    fields.set(name, stated.form === "value" ? withoutPath(stated, project) : stated);
  }
  return { ...entry, fields };
}

/** Only a path as the server spells it, and one that is not just any word. */
function withoutPath(stated: Extract<ImportedValue, { form: "value" }>, { path = "", id }: Project): ImportedValue {
  const { value } = stated;
  if (typeof value !== "string" || id === undefined || !path.includes("/") || !value.includes(path)) return stated;
  const text = value
    .split(path)
    .map((part) => literal(part))
    .join("${project.path}");
  const back = interpolate(text, (name) => (name === "project.path" ? { value: path } : "faulty"));
  return typeof back === "object" && back.value === value ? { form: "template", text } : stated;
}
