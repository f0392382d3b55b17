import type { Catalogue } from "../../model/catalogue.ts";
import { kindOf } from "../../model/kinds.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { keyFieldsOf } from "../../model/resource-kind.ts";
import type { Change, Plain } from "../../model/types.ts";
import { definedFields } from "../../model/values.ts";

/**
 * The creation of a deleted resource as it was read; undefined if it may have had a secret, which is never read, or if its
 * row is not known.
 */
export function restorationOf(catalogue: Catalogue, creation: Change, { live }: Change): Change | undefined {
  const kind = kindOf(catalogue, creation.kind);
  const { row } = live ?? {};
  const { properties, required = [] } = kind.file.fields;
  const mayLose = Object.keys({ ...creation.declared, ...Object.fromEntries(required.map((name) => [name, true])) });
  if (!row || mayLose.some((name) => properties[name]?.writeOnly)) return undefined;
  const keys = new Set(keyFieldsOf(kind.file));
  const declared = definedFields(properties, (name, field) => {
    const value = keys.has(name) || field.writeOnly ? undefined : fieldInRow(kind, name, row);
    return (value ?? undefined) as Plain | undefined;
  });
  return { ...creation, declared, after: declared };
}
