import { isObject, type JsonObject } from "../../base/json.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { comparable } from "../../model/field-meaning.ts";
import type { KindRow } from "../../model/kind-row.ts";
import { fieldOf, kindOf } from "../../model/kinds.ts";
import { isOff } from "../../model/normalise.ts";
import { fieldInRow, returnedMarks, rowWithoutSecrets } from "../../model/read-field.ts";
import { type FieldSchema, keyFieldsOf, type ResourceKind } from "../../model/resource-kind.ts";
import { requiredByServer } from "../../model/server-required.ts";
import type { Fields, Filled, Live, Plain, Resource, Value } from "../../model/types.ts";
import { definedFields, isAlike, isReference, isScalar, replaceReferences, textsWithin } from "../../model/values.ts";
import { isSecret, updatedAtOf } from "./partly-read.ts";

export const undeclared: Fields = {};

/**
 * A row as a resource with the declared fields or, if it is to be removed, with all visible ones. Undeclared resources
 * have no fields, because a fleet has many of them.
 */
export function liveRow(
  kind: KindRow,
  named: Pick<Live, "kind" | "key">,
  row: JsonObject,
  declared: Fields | undefined,
): Live {
  const { only } = kind.file;
  const requested = declared ?? shownFields(kind.file);
  const reported = reportedByRow(kind, only === undefined ? requested : { [only]: requested[only] ?? null }, row);
  // Filled in one by one to save memory: a fleet has millions of them.
  const live: Filled<Live> = {
    kind: named.kind,
    key: named.key,
    fields: declared ? reported : dropDefaults(kind.file, reported),
    active: true,
  };
  if (kind.read?.numbered && typeof row.id === "number") live.id = row.id;
  const returned = declared && returnedMarks(kind, row, declared);
  if (returned) live.returned = returned;
  if (declared !== undeclared) live.row = rowWithoutSecrets(kind.file, row);
  return live;
}

/** Drops fields with a default or empty value, which would hide the others. */
function dropDefaults({ fields: { properties } }: ResourceKind, fields: Fields): Fields {
  return definedFields(fields, (name, value) => {
    const field = properties[name] ?? {};
    const found = value as Plain;
    const normalised = comparable(field, found);
    const isUnset = normalised === null || normalised === "";
    return isUnset || isAlike(normalised, comparable(field, field.default ?? null)) ? undefined : found;
  });
}

/** Every field that is neither in the address nor missing in lists. */
export function shownFields(file: ResourceKind): Fields {
  const keys = new Set(keyFieldsOf(file));
  return definedFields(file.fields.properties, (name, field) =>
    keys.has(name) || field["x-listed"] === false ? undefined : null,
  );
}

/** Fields whose values servers return, declared as literals so that the values are visible. */
export function returnedFields({ fields: { properties } }: ResourceKind): Fields {
  return definedFields(properties, (_, { items, ...field }) => {
    const hasReturnedPart = Object.values(items?.properties ?? {}).some((property) => property["x-returned"] === true);
    const isShown = field["x-returned"] || (field["x-items"] && field["x-listed"] === false && hasReturnedPart);
    return isShown ? "" : undefined;
  });
}

/** The declared fields in a row. A value that repeats a known secret is dropped unless the manifest contains it. */
function reportedByRow(kind: KindRow, declared: Fields, row: JsonObject): Fields {
  const reported: Record<string, Value> = {};
  for (const name in declared) {
    const wanted = declared[name];
    const found = fieldInRow(kind, name, row, wanted);
    const isShown = found !== undefined && !textsWithin(found).some(isSecret);
    if (isShown || (found !== undefined && isDeclared(kind, name, wanted, found))) reported[name] = found;
  }
  return reported;
}

function isDeclared({ file }: KindRow, name: string, wanted: Value | undefined, found: Plain): boolean {
  const field = file.fields.properties[name] ?? {};
  const visible = wanted === undefined ? undefined : replaceReferences(wanted, () => undefined);
  return visible !== undefined && isAlike(comparable(field, visible), comparable(field, found));
}

/** A row as a resource with the requested fields; missing ones are taken from `unshown`. */
export function toLive(catalogue: Catalogue, resource: Resource, row: JsonObject, unshown?: Fields): Live {
  const { kind, key } = resource;
  const { read } = kindOf(catalogue, kind);
  const reported = reportedFields(catalogue, resource, row, unshown);
  // Filled in one by one to save memory: a fleet has millions of them.
  const live: Filled<Live> = { kind, key, fields: reported, active: !isOff(row.active) };
  if (read?.numbered && typeof row.id === "number") live.id = row.id;
  const updatedAt = updatedAtOf(row);
  if (updatedAt !== undefined) live.updatedAt = updatedAt;
  if (row.inherited === true) live.inherited = true;
  const undeclared = readUndeclared(catalogue, resource, row);
  if (undeclared) live.undeclared = undeclared;
  return live;
}

/** Live values of parameters that the server requires in every write; a secret is included only if it is unset. */
function readUndeclared(catalogue: Catalogue, resource: Resource, row: JsonObject): Fields | undefined {
  const required = requiredByServer(catalogue, resource);
  const { properties } = row;
  if (required.length === 0 || !isObject(properties)) return undefined;
  const values = required.flatMap(({ name, secret, observed }): [string, Value][] => {
    const isHidden = secret || observed.has("hidden");
    const value = properties[name] ?? (isHidden && !(name in properties) ? undefined : "");
    return value === "" || (isScalar(value) && !secret && !isSecret(value)) ? [[name, value]] : [];
  });
  return Object.fromEntries(values);
}

/**
 * The declared fields in a response, without secrets. A value that repeats a known secret is dropped too, unless the
 * manifest contains it.
 */
export function reportedFields(catalogue: Catalogue, resource: Resource, row: JsonObject, unshown?: Fields): Fields {
  const kind = kindOf(catalogue, resource.kind);
  if (!kind.keys) return reportedByRow(kind, resource.fields, row);
  const properties = isObject(row.properties) ? row.properties : {};
  const reported: Record<string, Value> = {};
  for (const name in resource.fields) {
    const value = resource.fields[name];
    const {
      writeOnly,
      "x-level": level,
      "x-observed-fallback": fallback,
    }: FieldSchema = fieldOf(catalogue, resource, name) ?? {};
    if (writeOnly || isReference(value)) continue;
    const found = (level === "properties" ? properties : row)[name];
    if (value === "" && found !== value && fallback && found === properties[fallback])
      // Servers return the fallback for a blank value.
      reported[name] = value;
    else if (isScalar(found) && (found === value || !isSecret(found))) reported[name] = found;
    else if (unshown?.[name] !== undefined) reported[name] = unshown[name];
  }
  return reported;
}
