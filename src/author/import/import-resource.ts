import { isObject } from "../../base/json.ts";
import { alternativesIn } from "../../model/alternatives.ts";
import { comparable, wireValue } from "../../model/field-meaning.ts";
import { fieldCheck } from "../../model/kind-schema.ts";
import { type FieldSchema, keyFieldsOf, type ResourceKind } from "../../model/resource-kind.ts";
import type { Live, Plain, Value } from "../../model/types.ts";
import { isAlike, isList, isReference } from "../../model/values.ts";
import type { ImportedEntry, ImportedValue } from "./imported-project.ts";

/**
 * A resource of a kind that is a file as a policy would declare it without a difference: every field that is reported and
 * neither unset, at its default, nor what new resources usually have; blanks for secrets that are required. A sentence on why
 * no policy can declare it; undefined for the only resource of its kind if there is nothing to declare.
 */
export function importResource(
  file: ResourceKind,
  live: Live,
): { readonly entry: ImportedEntry } | { readonly left: string } | undefined {
  const fields = new Map<string, ImportedValue>();
  const remarks: string[] = [];
  for (const [name, field] of stated(file, live)) {
    const value = live.fields[name];
    const isRequired = file.fields.required?.includes(name) === true;
    if (field.writeOnly === true && isRequired) fields.set(name, secret);
    else if (field.writeOnly === true || field["x-listed"] === false) remarks.push(name);
    else if (value !== undefined && !isReference(value) && (isRequired || isWorthWriting(field, value)))
      fields.set(name, { form: "value", value });
    else if (isRequired) return { left: `${live.key} is left out: ${name} is required and not reported` };
  }
  if (live.key === "" && fields.size === 0) return undefined;
  const unknown = remarks.length > 0 ? [`not reported, may be set: ${remarks.join(", ")}`] : [];
  return { entry: { kind: live.kind, key: live.key, fields, remarks: unknown } };
}

const secret: ImportedValue = { form: "blank", why: "set this: a secret", reference: "" };

/** The fields that a policy can declare together, but for those of the key. */
function stated(file: ResourceKind, live: Live): readonly (readonly [string, FieldSchema])[] {
  const keys = new Set(keyFieldsOf(file));
  const possible = Object.entries(file.fields.properties).filter(
    ([name, field]) => !keys.has(name) && !field.deprecated && !field["x-own"] && isPossible(field, live.fields[name]),
  );
  const names = new Set(possible.filter(([name]) => live.fields[name] !== undefined).map(([name]) => name));
  const less = new Set(alternativesIn(file).flatMap(([first, ...others]) => (names.has(first) ? others : [])));
  return possible.filter(([name]) => !less.has(name));
}

/** Whether the live value is one that a policy can declare: a server may have others. */
function isPossible(field: FieldSchema, value: Value | undefined): boolean {
  if (value === undefined || isReference(value)) return true;
  return fieldCheck(field)(wireValue(field, value)).length === 0;
}

function isWorthWriting(field: FieldSchema, value: Plain): boolean {
  const meant = comparable(field, value);
  if (meant === "" || meant === null || (isList(meant) && meant.length === 0)) return isSet(field, meant);
  if (isObject(meant) && Object.keys(meant).length === 0) return false;
  const standard = field.default ?? field["x-usual"];
  return standard === undefined || !isAlike(meant, comparable(field, standard));
}

/** Whether an empty value differs from what a new resource has. */
function isSet(field: FieldSchema, meant: Plain): boolean {
  return field.default !== undefined && field.default !== "" && !isAlike(meant, comparable(field, field.default));
}
