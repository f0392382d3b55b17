import { objectOf } from "../../base/json.ts";
import { compile } from "../../base/schema.ts";
import { excludedNames } from "../../model/alternatives.ts";
import { comparable, defaultValue, wireValue } from "../../model/field-meaning.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldInRow } from "../../model/read-field.ts";
import { keyFieldsOf } from "../../model/resource-kind.ts";
import type { Fields, Live, Plain, Value } from "../../model/types.ts";
import { isAlike } from "../../model/values.ts";

/** Undeclared fields that a replacement resets to the server's defaults, because the live values differ from them. */
export function resetFields(kind: KindRow, declared: Fields, { row }: Live): readonly string[] {
  if (!row) return [];
  const { file } = kind;
  const keys = new Set(keyFieldsOf(file));
  const readable: string[] = [];
  const set = Object.entries(file.fields.properties).flatMap(([name, field]) => {
    if (keys.has(name) || name in declared) return [];
    const value = fieldInRow(kind, name, row);
    if (value === undefined || compile(field)(wireValue(field, value)).length > 0) return [];
    readable.push(name);
    return isSet(comparable(field, value), comparable(field, field.default ?? null)) ? [name] : [];
  });
  const excluded = [
    ...excludedNames(file.fields, (name) => name in declared),
    ...excludedNames(file.fields, (name) => readable.includes(name)),
  ];
  return set.filter((name) => !excluded.includes(name));
}

/** Live values of fields that a replacement resets, and the defaults that they get. */
export function resetSides(
  kind: KindRow,
  names: readonly string[],
  { row = {} }: Live,
): { readonly before: Fields; readonly after: Fields } {
  return {
    before: objectOf(names, (name): Value => fieldInRow(kind, name, row) ?? null),
    after: objectOf(names, (name) => defaultValue(kind.file, name)),
  };
}

function isSet(meant: Plain, filledIn: Plain): boolean {
  const isEmpty = meant === null || meant === "" || (Array.isArray(meant) && meant.length === 0);
  return !isEmpty && !isAlike(meant, filledIn);
}
