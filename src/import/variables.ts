import { grouped } from "../base/grouped.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { identityOf, kindOf, policyKind } from "../model/kinds.ts";
import { isSingleton, type ResourceKind } from "../model/resource-kind.ts";
import type { Kind } from "../model/types.ts";
import { isScalar } from "../model/values.ts";
import type { ImportedEntry, ImportedProject, ImportedValue } from "./imported-project.ts";

/** An entry with a variable for the one value in which it differs from others. */
interface Varied {
  readonly entry: ImportedEntry;
  readonly variable: { readonly name: string; readonly value: ImportedValue };
}

/** A variable and its value. */
export type VariableValue = Varied["variable"];

/** An entry as it could be shared, and the original. */
export interface EntryVariant {
  readonly entry: ImportedEntry;
  readonly original: ImportedEntry;
  readonly variable?: VariableValue;
}

/** Adds a variable to an entry if others differ only in that value. */
export type Vary = (entry: ImportedEntry) => Varied | undefined;

/**
 * Finds the parameter of each identity whose replacement by a variable makes the most entries equal.
 * A variable has the name of its parameter, prefixed by the integration if several integrations use it.
 */
export function varied(byIdentity: ReadonlyMap<string, readonly ImportedEntry[]>, catalogue: Catalogue): Vary {
  const fields = new Map<string, Varying>();
  for (const [identity, entries] of byIdentity) {
    const [first] = entries;
    const varying = first && !hasOneValue(catalogue, first.kind) ? varyingIn(entries) : undefined;
    if (varying) fields.set(identity, varying);
  }
  const names = [...fields.values()].map(({ field }) => field);
  return (entry) => {
    const varying = fields.get(declarationOf(catalogue, entry));
    const value = varying && entry.fields.get(varying.field);
    if (!value || !isText(value) || !varying.masks.has(maskOf(entry, varying.field))) return undefined;
    const isShared = names.filter((each) => each === varying.field).length > 1;
    const name = isShared ? `${entry.key}_${varying.field}`.replace(/\W/g, "_") : varying.field;
    const text = `\${vars.${name}}`;
    const replaced = new Map([...entry.fields, [varying.field, { form: "template", text } as const]]);
    return { entry: { ...entry, fields: replaced }, variable: { name, value } };
  };
}

/** A parameter, and the rest of the entries that differ only in it. */
interface Varying {
  readonly field: string;
  readonly masks: ReadonlySet<string>;
}

function varyingIn(entries: readonly ImportedEntry[]): Varying | undefined {
  const forms = [...new Map(entries.map((entry) => [formOf(entry), entry])).values()];
  const values = new Map<string, Set<string>>();
  for (const { fields } of forms) {
    for (const [name, value] of fields) {
      if (isText(value)) values.set(name, (values.get(name) ?? new Set()).add(JSON.stringify(value)));
    }
  }
  let best: (Varying & { readonly merged: number }) | undefined;
  for (const [field, { size }] of values) {
    if (size < 2) continue;
    const found = mergedBy(field, forms);
    if (found.merged > (best?.merged ?? 0)) best = { field, ...found };
  }
  return best;
}

/** Whether a variable can take its place: it has one value, and no list or mapping. */
function isText(value: ImportedValue): boolean {
  return value.form === "template" || (value.form === "value" && isScalar(value.value));
}

/** How many forms a variable for a parameter would merge. */
function mergedBy(field: string, forms: readonly ImportedEntry[]): { masks: ReadonlySet<string>; merged: number } {
  const counts = new Map<string, number>();
  for (const entry of forms) {
    const value = entry.fields.get(field);
    if (!value || !isText(value)) continue;
    const mask = maskOf(entry, field);
    counts.set(mask, (counts.get(mask) ?? 0) + 1);
  }
  const several = [...counts].filter(([, count]) => count > 1);
  return {
    masks: new Set(several.map(([mask]) => mask)),
    merged: several.reduce((sum, [, count]) => sum + count - 1, 0),
  };
}

/** Equal for entries that one policy can declare. */
export function formOf({ fields, remarks }: ImportedEntry): string {
  return JSON.stringify([[...fields], remarks]);
}

function maskOf({ fields, remarks }: ImportedEntry, field: string): string {
  return JSON.stringify([[...fields].map(([name, value]) => [name, name === field ? null : value]), remarks]);
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
