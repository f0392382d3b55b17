import { isObject, type JsonObject } from "../base/json.ts";
import { itemsByKey } from "../model/field-meaning.ts";
import { evaluateKind } from "../model/kind-expressions.ts";
import { isImmutable } from "../model/read-field.ts";
import type { FieldSchema, ResourceKind } from "../model/resource-kind.ts";
import type { Platform } from "../model/types.ts";
import { parametersOfField } from "./kind-values.ts";

/** Input of a write. */
interface Situation {
  readonly params: JsonObject;
  /** Null for a creation. */
  readonly row: JsonObject | null;
  /** The rows of other projects or groups. */
  readonly others: () => readonly JsonObject[];
  /** The user, project or group that the look-up of the key names. */
  readonly target?: JsonObject | undefined;
}

export interface StoredField {
  readonly name: string;
  readonly field: FieldSchema;
  readonly parameters: readonly string[];
  /** Parts of the row with their expressions; empty: the parameter is stored unchanged as `part`. */
  readonly store: readonly (readonly [part: string, expression: string])[];
  /** The part of the row with the field's value. */
  readonly part: string;
  readonly platform: StoringPlatform;
}

type StoringPlatform = Pick<Platform, "release" | "tier">;

export function storedFields(fields: ReadonlyMap<string, FieldSchema>, platform: StoringPlatform) {
  return Array.from(fields, ([name, field]): StoredField => {
    const written = field["x-store"] ?? {};
    const store = Object.entries(typeof written === "string" ? { [name]: written } : written);
    return { name, field, parameters: parametersOfField(name, field), store, part: storedPart(name, field), platform };
  });
}

/** The part that a field is read from, if its expression is a plain `row.NAME`. */
function storedPart(name: string, { "x-read": read = "" }: FieldSchema): string {
  return /^row\.([a-z_]\w*)$/.exec(read)?.[1] ?? name;
}

/** A new row: the parameters, and defaults for the rest. */
export function createdRow(fields: readonly StoredField[], { params, others, target }: Omit<Situation, "row">) {
  const row: Record<string, unknown> = {};
  for (const each of fields) {
    const { field, parameters, store, part } = each;
    const [parameter = ""] = parameters;
    if (store.length > 0) {
      const { "x-usual": usual } = field;
      const sent = usual === undefined || parameter in params ? params : { ...params, [parameter]: usual };
      Object.assign(row, computeParts(each, { params: sent, row, others, target }));
    } else if (parameter in params) row[part] = toStored(field, params[parameter], undefined);
    else if (!field.writeOnly && (parameter !== "" || field["x-items"])) row[part] = initialValue(field);
  }
  return row;
}

/** A row after a change. Immutable fields stay; fields that a change must repeat (`x-keep`) are reset if missing. */
export function changedRow(fields: readonly StoredField[], situation: Situation & { row: JsonObject }): JsonObject {
  const { params, others } = situation;
  const row: Record<string, unknown> = { ...situation.row };
  for (const each of fields) {
    const { field, parameters, store, part, platform } = each;
    const [parameter = ""] = parameters;
    const isSent = parameters.some((sent) => sent in params);
    if (isImmutable(field, row, platform) || (!isSent && !field["x-keep"])) continue;
    if (store.length > 0) Object.assign(row, computeParts(each, { params, row, others }));
    else row[part] = isSent ? toStored(field, params[parameter], row[part]) : initialValue(field);
  }
  return row;
}

function computeParts({ store, platform: { tier } }: StoredField, situation: Situation): JsonObject {
  const { params, row, target = {} } = situation;
  const given = {
    params,
    row,
    get others() {
      return situation.others();
    },
    target,
    tier,
  };
  const computed = store.map(([part, expression]) => [part, evaluateKind(expression, given)] as const);
  return Object.fromEntries(computed.filter(([, value]) => value !== undefined));
}

/**
 * The stored form of a value: properties under their own names. In a mapping, omitted properties stay, unless a change
 * must repeat them.
 */
function toStored(field: FieldSchema, value: unknown, before: unknown): unknown {
  const { items, properties } = field;
  if (Array.isArray(value)) {
    const list = items ? value.map((each) => toStored(items, each, undefined)) : value;
    // An update adds items, if calls of their own remove them.
    const calls = field["x-items"];
    return calls && Array.isArray(before) ? [...itemsByKey(calls.key, [...before, ...list]).values()] : list;
  }
  if (!properties || !isObject(value)) return value;
  const cached = isObject(before) ? before : {};
  const entries = Object.entries(properties).flatMap(([name, each]) => {
    const [parameter, part] = [each["x-send-as"] ?? name, storedPart(name, each)];
    if (parameter in value) return [[part, toStored(each, value[parameter], cached[part])] as const];
    return isObject(before) && each["x-keep"] ? [[part, initialValue(each)] as const] : [];
  });
  return { ...cached, ...Object.fromEntries(entries) };
}

/** The server's default: that of the field, the usual value, or the least value of the type. */
function initialValue(field: FieldSchema): unknown {
  const { default: filledIn, enum: allowed = [], properties, minimum = 0 } = field;
  if (filledIn !== undefined) return filledIn;
  const { "x-usual": usual } = field;
  if (properties && (usual === undefined || isObject(usual))) {
    const inside = Object.entries(properties).filter(([, each]) => !each.writeOnly);
    const firstValue = (name: string, each: FieldSchema) =>
      isObject(usual) && name in usual ? usual[name] : initialValue(each);
    return Object.fromEntries(inside.map(([name, each]) => [storedPart(name, each), firstValue(name, each)]));
  }
  if (usual !== undefined) return usual;
  const types = [field.type ?? []].flat();
  if (types.includes("null")) return null;
  if (types.includes("array")) return [];
  if (types.includes("boolean")) return false;
  return allowed[0] ?? (types.some((type) => type === "integer" || type === "number") ? minimum : null);
}

/**
 * A row as in responses: without secrets at any depth and, in lists, without fields that only `show` returns. A secret
 * that the kind stores in another form, such as masked, is no longer secret.
 */
export function shownRow({ fields }: ResourceKind, row: JsonObject, isListed = false): JsonObject {
  const shown = Object.entries(row).flatMap(([name, value]) => {
    const field = fields.properties[name];
    const isHidden = (isListed && field?.["x-listed"] === false) || (isSecret(field) && field["x-store"] === undefined);
    return isHidden ? [] : [[name, shownValue(field, value)] as const];
  });
  return Object.fromEntries(shown);
}

function isSecret(field: FieldSchema | undefined): field is FieldSchema {
  return field?.writeOnly === true && !field["x-returned"];
}

function shownValue(field: FieldSchema | undefined, value: unknown): unknown {
  if (!field) return value;
  const { items, properties = {} } = field;
  if (Array.isArray(value)) return items ? value.map((each) => shownValue(items, each)) : value;
  if (!isObject(value)) return value;
  const shown = Object.entries(value).filter(([name]) => !isSecret(properties[name]));
  return Object.fromEntries(shown.map(([name, each]) => [name, shownValue(properties[name], each)]));
}

/** Assigns a number to each `id` that is null, which an expression returns for a new object. */
export function numbered(value: unknown, next: () => number): unknown {
  if (Array.isArray(value)) return value.map((each) => numbered(each, next));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === "id" && each === null ? next() : numbered(each, next)]),
  );
}
