import { isObject, type JsonObject } from "../../base/json.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { fieldOf, kindOf } from "../../model/kinds.ts";
import { isOff } from "../../model/normalise.ts";
import type { FieldSchema } from "../../model/resource-kind.ts";
import { requiredByServer } from "../../model/server-required.ts";
import type { Desired, Fields, Filled, Live, Resource, Value } from "../../model/types.ts";
import { isReference, isScalar } from "../../model/values.ts";
import { reportedByRow } from "./kind-resources.ts";
import { isSecret, updatedAtOf } from "./redacted-resources.ts";

/** A row assumed to be as declared: missing fields have their declared values. */
export function assumeDeclared(catalogue: Catalogue, desired: Desired, row: JsonObject): Live {
  return toLive(catalogue, desired, row, desired.fields);
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
