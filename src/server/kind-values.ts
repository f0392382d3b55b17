import { isObject, type JsonObject } from "../base/json.ts";
import { compile, type SchemaCheck, type SchemaFault } from "../base/schema.ts";
import type { FieldSchema } from "../model/resource-kind.ts";
import { readBoolean, readInteger } from "./parameters.ts";

type Fields = ReadonlyMap<string, FieldSchema>;

/** The parameters that carry a field; none if requests never do. */
export function parametersOfField(name: string, field: FieldSchema): readonly string[] {
  const send = field["x-send"];
  if (send === "null") return [];
  return typeof send === "object" ? Object.keys(send) : [field["x-send-as"] ?? name];
}

/** The JSON Schema of each parameter. */
function parameterSchemas(fields: Fields): ReadonlyMap<string, object> {
  return new Map(
    Array.from(fields).flatMap(([name, field]) =>
      parametersOfField(name, field).map((parameter) => [parameter, schemaOf(field)] as const),
    ),
  );
}

/** What is known of parameters that expressions make: not their type, which need not be that of the field. */
function madeParameters(fields: Fields): Readonly<Record<string, object>> {
  const made = Array.from(fields).filter(([, field]) => field["x-send"] !== undefined);
  return Object.fromEntries(
    made.flatMap(([name, field]) => {
      const { items } = schemaOf(field) as FieldSchema;
      return parametersOfField(name, field).map((parameter) => [parameter, items ? { items } : {}] as const);
    }),
  );
}

/** As a parameter of a request: IDs in place of what they are looked up by, and other names within. */
function schemaOf({ properties, items, ...field }: FieldSchema): object {
  if (field["x-lookup"] !== undefined) return { type: "integer" };
  if (field["x-send"] !== undefined) return { type: field.type, ...(items && { items: entrySchema(items) }) };
  return { ...field, ...(properties && { properties: renamed(properties) }), ...(items && { items: schemaOf(items) }) };
}

/** Of lists that expressions make: what the entries have, and how one names an entry of the row that is to go. */
function entrySchema({ properties }: FieldSchema): object {
  if (!properties) return {};
  const marks = { id: { type: "integer" }, destroy: { type: "boolean" }, _destroy: { type: "boolean" } };
  return { type: "object", properties: { ...renamed(properties), ...marks } };
}

function renamed(properties: Readonly<Record<string, FieldSchema>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [field["x-send-as"] ?? name, schemaOf(field)]),
  );
}

interface Checked {
  readonly params: JsonObject;
  readonly faults: readonly string[];
}

/** What a kind checks of a request. */
export interface ParameterChecks {
  readonly creation: SchemaCheck;
  readonly change: SchemaCheck;
  readonly schemas: ReadonlyMap<string, object>;
}

/** The checks of a creation, which needs the required fields, and of a change, which does not. */
export function checksOf(fields: Fields, required: readonly string[]): ParameterChecks {
  const schemas = parameterSchemas(fields);
  const shape = { type: "object", properties: { ...Object.fromEntries(schemas), ...madeParameters(fields) } };
  const needed = required.flatMap((name) => {
    const field = fields.get(name);
    return field ? parametersOfField(name, field) : [];
  });
  return { creation: compile({ ...shape, required: needed }), change: compile(shape), schemas };
}

/** Those of a request that the kind knows, in their types, and what is wrong with them in the platform's words. */
export function checkKindParameters(
  checks: ParameterChecks,
  check: SchemaCheck,
  raw: JsonObject,
  strict: boolean,
): Checked {
  const known = Object.entries(raw).filter(([name]) => checks.schemas.has(name));
  const params = Object.fromEntries(known.map(([name, value]) => [name, typed(checks.schemas.get(name), value)]));
  const unknown = Object.keys(raw).filter((name) => strict && !checks.schemas.has(name));
  return { params, faults: [...check(params).map(faultWords), ...unknown.map((name) => `${name} is unknown`)] };
}

function faultWords({ rule, path }: SchemaFault): string {
  const [first = "", ...inside] = path;
  return `${first}${inside.map((key) => `[${key}]`).join("")} ${words[rule]}`;
}

const words: Readonly<Record<SchemaFault["rule"], string>> = {
  "missing-key": "is missing",
  "unknown-key": "is unknown",
  "wrong-type": "is invalid",
  "wrong-value": "does not have a valid value",
};

interface Typed {
  readonly type?: string | readonly string[];
  readonly items?: object;
  readonly properties?: Readonly<Record<string, object>>;
  readonly additionalProperties?: boolean | object;
}

/** A value of a form in the type of its parameter; others stay as they are. */
function typed(schema: object | undefined, value: unknown): unknown {
  const { type = [], items, properties = {}, additionalProperties: others } = (schema ?? {}) as Typed;
  if (Array.isArray(value)) return value.map((each) => typed(items, each));
  if (isObject(value)) {
    const other = isObject(others) ? others : undefined;
    const entries = Object.entries(value).map(([name, each]) => [name, typed(properties[name] ?? other, each)]);
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
