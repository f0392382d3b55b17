import { isObject, type JsonObject } from "../base/json.ts";
import { compileKindExpression, type KindExpression } from "../model/kind-expressions.ts";
import type { FieldSchema, ResourceKind } from "../model/resource-kind.ts";
import { parametersOfField } from "./kind-values.ts";

/** What expressions of storing and answering know. */
const storeNames = ["params", "row", "others"] as const;

/** What a request finds: the row that it changes (null for a creation), and the rows of other projects or groups. */
interface Situation {
  readonly params: JsonObject;
  readonly row: JsonObject | null;
  readonly others: readonly JsonObject[];
}

interface StoredPart {
  readonly part: string;
  readonly expression: KindExpression;
}

/** A field as the server keeps it. */
export interface StoredField {
  readonly name: string;
  readonly field: FieldSchema;
  readonly parameters: readonly string[];
  /** The parts of the row that expressions make; none: the parameter as it is, as `part`. */
  readonly store: readonly StoredPart[];
  /** The part of the row with the field's value. */
  readonly part: string;
}

/** How a kind keeps its fields. */
export function storedFields(fields: ReadonlyMap<string, FieldSchema>): readonly StoredField[] {
  return Array.from(fields, ([name, field]) => {
    const written = field["x-store"] ?? {};
    const parts = Object.entries(typeof written === "string" ? { [name]: written } : written);
    const store = parts.map(([part, text]) => ({ part, expression: expressionOf(text, storeNames) }));
    return { name, field, parameters: parametersOfField(name, field), store, part: partOf(name, field) };
  });
}

/** The name that rows have for a field, where it is all that an expression reads. */
function partOf(name: string, { "x-read": read = "" }: FieldSchema): string {
  return /^row\.([a-z_]\w*)$/.exec(read)?.[1] ?? name;
}

/** An expression of a kind, compiled once. @throws if it is none: kinds are checked before they are served. */
export function expressionOf(text: string, names: readonly string[]): KindExpression {
  const key = `${names.join(" ")}: ${text}`;
  const known = expressions.get(key);
  if (known) return known;
  const compiled = compileKindExpression(text, names, "any");
  if ("fault" in compiled) throw new Error(`${text}: ${compiled.fault}`);
  expressions.set(key, compiled);
  return compiled;
}

const expressions = new Map<string, KindExpression>();

/** A new row: what is given, and of everything else what new ones usually have. */
export function createdRow(fields: readonly StoredField[], { params, others }: Omit<Situation, "row">): JsonObject {
  const row: Record<string, unknown> = {};
  for (const each of fields) {
    const { field, parameters, store, part } = each;
    const [parameter = ""] = parameters;
    if (store.length > 0) Object.assign(row, storedParts(each, { params, row, others }));
    else if (parameter in params) row[part] = kept(field, params[parameter], undefined);
    else if (!field.writeOnly && parameter !== "") row[part] = initial(field);
  }
  return row;
}

/** A row after a change. Fields that only a creation takes stay, and those that a change must repeat are cleared. */
export function changedRow(fields: readonly StoredField[], situation: Situation & { row: JsonObject }): JsonObject {
  const { params, others } = situation;
  const row: Record<string, unknown> = { ...situation.row };
  for (const each of fields) {
    const { field, parameters, store, part } = each;
    const [parameter = ""] = parameters;
    const isSent = parameters.some((sent) => sent in params);
    if (field["x-immutable"] || (!isSent && !field["x-keep"])) continue;
    if (store.length > 0) Object.assign(row, storedParts(each, { params, row, others }));
    else row[part] = isSent ? kept(field, params[parameter], row[part]) : initial(field);
  }
  return row;
}

function storedParts({ store }: StoredField, { params, row, others }: Situation): JsonObject {
  const made = store.map(({ part, expression }) => {
    return [part, expression.valueOf({ params, row, others })] as const;
  });
  return Object.fromEntries(made.filter(([, value]) => value !== undefined));
}

/** A value under the names of its properties; of a mapping, what is not sent stays, unless it must be repeated. */
function kept(field: FieldSchema, value: unknown, before: unknown): unknown {
  const { items, properties } = field;
  if (Array.isArray(value)) return items ? value.map((each) => kept(items, each, undefined)) : value;
  if (!properties || !isObject(value)) return value;
  const known = isObject(before) ? before : {};
  const entries = Object.entries(properties).flatMap(([name, each]) => {
    const parameter = each["x-send-as"] ?? name;
    if (parameter in value) return [[name, kept(each, value[parameter], known[name])] as const];
    return isObject(before) && each["x-keep"] ? [[name, initial(each)] as const] : [];
  });
  return { ...known, ...Object.fromEntries(entries) };
}

/** What a server fills in: the default, what is usual, or the least that the type has. */
function initial(field: FieldSchema): unknown {
  const { default: filledIn, enum: allowed = [], properties, minimum = 0 } = field;
  if (filledIn !== undefined) return filledIn;
  if (field["x-usual"] !== undefined) return field["x-usual"];
  if (properties) {
    const inside = Object.entries(properties).filter(([, each]) => !each.writeOnly);
    return Object.fromEntries(inside.map(([name, each]) => [name, initial(each)]));
  }
  const types = [field.type ?? []].flat();
  if (types.includes("null")) return null;
  if (types.includes("array")) return [];
  if (types.includes("boolean")) return false;
  return allowed[0] ?? (types.some((type) => type === "integer" || type === "number") ? minimum : null);
}

/**
 * A row as it is answered: without secrets, at any depth, and in lists without what only a single row has. Of a secret
 * that the kind stores differently, such as masked, what is stored is no secret.
 */
export function shownRow({ fields }: ResourceKind, row: JsonObject, isListed = false): JsonObject {
  const shown = Object.entries(row).flatMap(([name, value]) => {
    const field = fields.properties[name];
    if (field?.writeOnly && !field["x-returned"] && field["x-store"] === undefined) return [];
    if (isListed && field?.["x-listed"] === false) return [];
    return [[name, field ? withoutSecrets(field, value) : value] as const];
  });
  return Object.fromEntries(shown);
}

function withoutSecrets({ items, properties = {} }: FieldSchema, value: unknown): unknown {
  if (Array.isArray(value)) return items ? value.map((each) => withoutSecrets(items, each)) : value;
  if (!isObject(value)) return value;
  const shown = Object.entries(value).flatMap(([name, each]) => {
    const field = properties[name];
    if (field?.writeOnly && !field["x-returned"]) return [];
    return [[name, field ? withoutSecrets(field, each) : each] as const];
  });
  return Object.fromEntries(shown);
}

/** The same with a number in place of each `id` that is null: an expression made something new. */
export function numbered(value: unknown, next: () => number): unknown {
  if (Array.isArray(value)) return value.map((each) => numbered(each, next));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, name === "id" && each === null ? next() : numbered(each, next)]),
  );
}
