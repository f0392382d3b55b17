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

/** Whether the row of a list shows all that is declared. */
export function isWhole(catalogue: Catalogue, resource: Resource, row: JsonObject): boolean {
  if (!kindOf(catalogue, resource.kind).read?.single) return true;
  return Object.keys(resource.fields).every(
    (name) => fieldOf(catalogue, resource, name)?.["x-level"] === "top" && name in row,
  );
}

/** A row of a resource that is taken to be as declared: with the declared fields that it does not show. */
export function asDeclared(catalogue: Catalogue, desired: Desired, row: JsonObject): Live {
  return liveOf(catalogue, desired, row, desired.fields);
}

/** A row as a resource, with the fields that are asked for; with those of `unshown` that it does not show. */
export function liveOf(catalogue: Catalogue, resource: Resource, row: JsonObject, unshown?: Fields): Live {
  const { kind, key } = resource;
  const { read } = kindOf(catalogue, kind);
  const reported = reportedFields(catalogue, resource, row, unshown);
  // Filled in one by one: a fleet has millions of them, and each part that is spread would be an object more.
  const live: Filled<Live> = { kind, key, fields: reported, active: !isOff(row.active) };
  if (read?.numbered && typeof row.id === "number") live.id = row.id;
  const updatedAt = updatedAtOf(row);
  if (updatedAt !== undefined) live.updatedAt = updatedAt;
  if (row.inherited === true) live.inherited = true;
  const undeclared = undeclaredIn(catalogue, resource, row);
  if (undeclared) live.undeclared = undeclared;
  return live;
}

/** What servers show unless it was never set; of a secret, only that there is none. */
function undeclaredIn(catalogue: Catalogue, resource: Resource, row: JsonObject): Fields | undefined {
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
 * The declared fields of a resource that a response reports, but for secrets: those are dropped on reading, and so is a
 * value that repeats a known one where the manifest does not.
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
      // A blank one is answered as the one that stands in for it.
      reported[name] = value;
    else if (isScalar(found) && (found === value || !isSecret(found))) reported[name] = found;
    else if (unshown?.[name] !== undefined) reported[name] = unshown[name];
  }
  return reported;
}
