import type { Catalogue } from "../../model/catalogue.ts";
import { wireValue } from "../../model/field-meaning.ts";
import { fieldCheck } from "../../model/kind-schema.ts";
import { kindOf } from "../../model/kinds.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { excludedNames, keyFieldsOf } from "../../model/resource-kind.ts";
import type { Change, Plain } from "../../model/types.ts";
import { definedFields } from "../../model/values.ts";

/**
 * The creation of a deleted resource as it was read; undefined if it may have had a secret, which is never read, if its row
 * is not known, or if it has a value that no request can have.
 */
export function restorationOf(catalogue: Catalogue, creation: Change, { live }: Change): Change | undefined {
  const kind = kindOf(catalogue, creation.kind);
  const { row } = live ?? {};
  const { properties, required = [] } = kind.file.fields;
  const mayLose = Object.keys({ ...creation.declared, ...Object.fromEntries(required.map((name) => [name, true])) });
  if (!row || mayLose.some((name) => properties[name]?.writeOnly || properties[name]?.["x-items"])) return undefined;
  const keys = new Set(keyFieldsOf(kind.file));
  const found = definedFields(properties, (name, field): Plain | undefined =>
    keys.has(name) || field.writeOnly ? undefined : (fieldInRow(kind, name, row) ?? undefined),
  );
  const isPossible = (name: string) =>
    fieldCheck(properties[name] ?? {})(wireValue(properties[name] ?? {}, found[name] ?? null)).length === 0;
  const excluded = excludedNames(kind.file.fields, (name) => name in found && isPossible(name));
  const declared = definedFields(found, (name, value) => (excluded.has(name) ? undefined : value));
  if (!Object.keys(declared).every(isPossible)) return undefined;
  return { ...creation, declared, after: declared };
}
