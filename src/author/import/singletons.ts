import { grouped } from "../../base/grouped.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { identityOf, kindOf } from "../../model/kinds.ts";
import { isSingleton, type ResourceKind } from "../../model/resource-kind.ts";
import type { Kind } from "../../model/types.ts";
import type { ImportedEntry, ImportedProject } from "./policy.ts";

/** The file of a kind if it is a singleton. */
export function singletonFile(catalogue: Catalogue, kind: Kind): ResourceKind | undefined {
  const { file } = kindOf(catalogue, kind);
  return file && isSingleton(file) ? file : undefined;
}

/**
 * Splits each singleton into an entry per field, so that fields are shared separately; remarks on the singleton become
 * the project's.
 */
export function splitByField(imported: ImportedProject, catalogue: Catalogue): ImportedProject {
  const whole = imported.entries.filter(({ kind }) => singletonFile(catalogue, kind));
  if (whole.length === 0) return imported;
  return {
    ...imported,
    entries: imported.entries.flatMap((entry) =>
      singletonFile(catalogue, entry.kind)
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

/** Equal for entries with the same declaration. */
export function declarationOf(catalogue: Catalogue, entry: ImportedEntry): string {
  const [field] = singletonFile(catalogue, entry.kind) ? entry.fields.keys() : [];
  return `${identityOf(catalogue, entry)} ${field ?? ""}`;
}

/** Joins the fields of each singleton into one entry. */
export function joinSingletons(entries: readonly ImportedEntry[], catalogue: Catalogue): readonly ImportedEntry[] {
  return [...grouped(entries, (entry) => identityOf(catalogue, entry)).values()].flatMap((parts) => {
    const [first] = parts;
    if (!first || !singletonFile(catalogue, first.kind)) return parts;
    return { ...first, fields: new Map(parts.flatMap((part) => [...part.fields])) };
  });
}
