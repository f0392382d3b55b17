import { grouped } from "../../base/grouped.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf, policyKind } from "../../model/kinds.ts";
import { isSingleton, type ResourceKind } from "../../model/resource-kind.ts";
import type { Kind } from "../../model/types.ts";
import type { ImportedEntry, ImportedProject } from "./imported-project.ts";

/** An entry as it could be shared, and the original. */
export interface EntryVariant {
  readonly entry: ImportedEntry;
  readonly original: ImportedEntry;
}

/** Equal for entries that one policy can declare. */
export function formOf({ fields, remarks }: ImportedEntry): string {
  return JSON.stringify([[...fields], remarks]);
}

/** The file of a kind of which each project has one resource. */
function singletonFile(catalogue: Catalogue, kind: Kind): ResourceKind | undefined {
  const { file } = kindOf(catalogue, kind);
  return file && isSingleton(file) ? file : undefined;
}

/** Whether each entry is one field, which policies layer on its own. */
function isByField(catalogue: Catalogue, kind: Kind): boolean {
  return singletonFile(catalogue, kind) !== undefined;
}

/** Whether each entry has one value, which takes one line of a policy. */
export function hasOneValue(catalogue: Catalogue, kind: Kind): boolean {
  return policyKind(catalogue, kind)?.only !== undefined || isByField(catalogue, kind);
}

/** With an entry for each field of a singleton, so that each is shared on its own; remarks on the whole become the project's. */
export function splitByField(imported: ImportedProject, catalogue: Catalogue): ImportedProject {
  const whole = imported.entries.filter(({ kind }) => isByField(catalogue, kind));
  if (whole.length === 0) return imported;
  return {
    ...imported,
    entries: imported.entries.flatMap((entry) =>
      isByField(catalogue, entry.kind)
        ? [...entry.fields].map((field) => ({ ...entry, fields: new Map([field]), remarks: [] }))
        : entry,
    ),
    remarks: [
      ...imported.remarks,
      ...whole.flatMap(({ kind, remarks }) =>
        remarks.map((remark) => `${singletonFile(catalogue, kind)?.singular}: ${remark}`),
      ),
    ],
  };
}

/** Equal for entries that declare the same. */
export function declarationOf(catalogue: Catalogue, entry: ImportedEntry): string {
  const [field] = isByField(catalogue, entry.kind) ? entry.fields.keys() : [];
  return `${identityOf(catalogue, entry)} ${field ?? ""}`;
}

/** The fields of each singleton as one entry again, in the order of its file. */
export function joinedByField(entries: readonly ImportedEntry[], catalogue: Catalogue): readonly ImportedEntry[] {
  return [...grouped(entries, (entry) => identityOf(catalogue, entry)).values()].flatMap((parts) => {
    const [first] = parts;
    const file = first && singletonFile(catalogue, first.kind);
    if (!first || !file) return parts;
    const order = Object.keys(file.fields.properties);
    const fields = parts.flatMap((part) => [...part.fields]);
    return { ...first, fields: new Map(fields.toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))) };
  });
}
