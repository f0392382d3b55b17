import { isObject, type JsonObject } from "../base/json.ts";
import { compile, type SchemaCheck, type SchemaFault } from "../base/schema.ts";
import type { FieldSchema } from "../model/resource-kind.ts";
import { readBoolean, readInteger } from "./parameters.ts";

type Fields = ReadonlyMap<string, FieldSchema>;

/** The parameters that carry a field; empty if no request does. */
export function parametersOfField(name: string, field: FieldSchema): readonly string[] {
  const send = field["x-send"];
  if (send === "null" || field["x-items"]?.create !== undefined) return [];
  return typeof send === "object" ? Object.keys(send) : [field["x-send-as"] ?? name];
}

/** A field's schema as a parameter: look-ups as IDs, and properties by their names in requests. */
function parameterSchema({ properties, items, ...field }: FieldSchema): object {
  if (field["x-lookup"] !== undefined) return { type: "integer" };
  if (field["x-credentials"] !== undefined) return { type: "string" };
  // An expression may send another type than the field's.
  if (field["x-send"] !== undefined) return { parsed: field.type, ...(items && { items: entrySchema(items) }) };
  return {
    ...field,
    ...(properties && { properties: renameProperties(properties) }),
    ...(items && { items: parameterSchema(items) }),
  };
}

/** The schema of items of computed lists: their properties, an ID, and marks for deletion. */
function entrySchema({ properties }: FieldSchema): object {
  if (!properties) return {};
  const marks = { id: { type: "integer" }, destroy: { type: "boolean" }, _destroy: { type: "boolean" } };
  return { type: "object", properties: { ...renameProperties(properties), ...marks } };
}

function renameProperties(properties: Readonly<Record<string, FieldSchema>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [field["x-send-as"] ?? name, parameterSchema(field)]),
  );
}

export interface ParameterChecks {
  readonly creation: SchemaCheck;
  readonly change: SchemaCheck;
  readonly schemas: ReadonlyMap<string, object>;
}

/** `creation` requires the required fields; `change` only if the kind cannot be created. */
export function checksOf(fields: Fields, required: readonly string[], isChangedOnly: boolean): ParameterChecks {
  const schemas = new Map(
    Array.from(fields).flatMap(([name, field]) =>
      parametersOfField(name, field).map((parameter) => [parameter, parameterSchema(field)] as const),
    ),
  );
  const shape = { type: "object", properties: Object.fromEntries(schemas) };
  const needed = required.flatMap((name) => {
    const field = fields.get(name);
    return field ? parametersOfField(name, field) : [];
  });
  const creation = compile({ ...shape, required: needed });
  return { creation, change: isChangedOnly ? creation : compile(shape), schemas };
}

/** Parses the known parameters of a request; faults are in the platform's words. */
export function checkKindParameters(checks: ParameterChecks, check: SchemaCheck, raw: JsonObject, strict: boolean) {
  const accepted = Object.entries(raw).filter(([name]) => checks.schemas.has(name));
  const params = Object.fromEntries(
    accepted.map(([name, value]) => [name, parseTyped(checks.schemas.get(name), value)]),
  );
  const unknown = Object.keys(raw).filter((name) => strict && !checks.schemas.has(name));
  const faults = check(params).map(({ rule, path: [first = "", ...inside] }) => {
    return `${first}${inside.map((key) => `[${key}]`).join("")} ${words[rule]}`;
  });
  return { params, faults: [...faults, ...unknown.map((name) => `${name} is unknown`)] };
}

const words: Readonly<Record<SchemaFault["rule"], string>> = {
  "missing-key": "is missing",
  "unknown-key": "is unknown",
  "wrong-type": "is invalid",
  "wrong-value": "does not have a valid value",
};

interface Typed {
  readonly type?: string | readonly string[];
  /** The types by which forms are parsed, if the schema accepts any. */
  readonly parsed?: string | readonly string[];
  readonly items?: object;
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: boolean | object;
}

/** Parses a form's value by the type of its parameter; returns other values unchanged. */
function parseTyped(schema: object | undefined, value: unknown): unknown {
  const { parsed, type = parsed ?? [], items, properties = {}, additionalProperties: others } = (schema ?? {}) as Typed;
  if (Array.isArray(value)) return value.map((each) => parseTyped(items, each));
  if (isObject(value)) {
    const other = isObject(others) ? others : undefined;
    const entries = Object.entries(value).map(([name, each]) => [name, parseTyped(properties[name] ?? other, each)]);
    return Object.fromEntries(entries);
  }
  if (typeof value !== "string" || [type].flat().includes("string")) return value;
  if (value === "" && [type].flat().includes("array")) return [];
  const read = [type].flat().map((each) => readers[each]?.(value));
  return read.find((each) => each !== undefined) ?? value;
}

const readers: Readonly<Record<string, (text: string) => unknown>> = {
  boolean: readBoolean,
  integer: readInteger,
  number: (text) => (text.trim() === "" || Number.isNaN(Number(text)) ? undefined : Number(text)),
};
