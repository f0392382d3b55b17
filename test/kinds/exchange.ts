import { EvaluationError } from "@marcbachmann/cel-js";
import { compareMeaning } from "../../src/model/field-meaning.ts";
import type { Value } from "../../src/model/types.ts";
import type { FieldSchema, KindFile } from "./kinds.ts";
import { language } from "./kinds.ts";

export type Values = Readonly<Record<string, unknown>>;

/** What a row says of a kind's fields; one that it does not say is left out. */
export function valuesOf(kind: KindFile, row: Values): Values {
  return readAll(kind.fields.properties, row);
}

function readAll(fields: Readonly<Record<string, FieldSchema>>, row: Values): Values {
  const read = Object.entries(fields).map(([name, field]) => [name, readField(name, field, row)] as const);
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

function readField(name: string, field: FieldSchema, row: Values): unknown {
  const { "x-read": read, properties } = field;
  if (read !== undefined) return readExpression(read, row);
  const value = row[name];
  return properties && isMapping(value) ? readAll(properties, value) : value;
}

/** Undefined where the row lacks what the expression needs, or says null. */
function readExpression(read: string, row: Values): unknown {
  try {
    return evaluated(read, { row }) ?? undefined;
  } catch (error) {
    if (error instanceof EvaluationError && error.code === "no_such_key") return undefined;
    throw error;
  }
}

/** The parameters of the request that creates a resource (row: null), or changes one to what is declared. */
export function parametersOf(kind: KindFile, want: Values, row: Values | null): Values {
  const live = row && valuesOf(kind, row);
  const sent = Object.entries(kind.fields.properties).flatMap(([name, field]) => {
    if (!isSent(kind, name, field, want, live)) return [];
    return Object.entries(parameters(name, field, { ...want, [name]: complete(field, want[name], live?.[name]) }, row));
  });
  return Object.fromEntries(sent.filter(([, value]) => value !== undefined && value !== null));
}

/** A change sends what it changes, what the kind requires, and what it would clear otherwise. */
function isSent(kind: KindFile, name: string, field: FieldSchema, want: Values, live: Values | null): boolean {
  if (live === null) return name in want;
  if (field["x-immutable"] === true) return false;
  if (!(name in want)) return field["x-keep"] === true && live[name] !== undefined;
  const isChanged = compareMeaning(field, want[name] as Value, live[name] as Value | undefined) !== "same";
  return isChanged || (kind.fields.required?.includes(name) === true && field["x-send"] === undefined);
}

/** What is declared, with what an update would clear otherwise as it was read. */
function complete({ properties, ...field }: FieldSchema, declared: unknown, live: unknown): unknown {
  if (declared === undefined && field["x-keep"] === true) return live;
  if (!properties || !isMapping(declared) || !isMapping(live)) return declared;
  const all = Object.entries(properties).map(
    ([name, each]) => [name, complete(each, declared[name], live[name])] as const,
  );
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

function parameters(name: string, field: FieldSchema, want: Values, row: Values | null): Values {
  const { "x-send": send, "x-send-as": sendAs = name } = field;
  if (typeof send === "string") return { [sendAs]: evaluated(send, { want, row }) };
  if (send === undefined) return { [sendAs]: plain(field, want[name], row) };
  return Object.fromEntries(
    Object.entries(send).map(([parameter, text]) => [parameter, evaluated(text, { want, row })]),
  );
}

/** A value as it is sent: its properties under the names of their parameters. */
function plain(field: FieldSchema, value: unknown, row: Values | null): unknown {
  if (Array.isArray(value)) return value.map((each) => plain(field.items ?? {}, each, row));
  if (!isMapping(value)) return value;
  const sent = Object.keys(value).map((name) => parameters(name, field.properties?.[name] ?? {}, value, row));
  return Object.assign({}, ...sent);
}

/** What an expression gives; its whole numbers as those of JSON. */
export function evaluated(text: string, values: Values): unknown {
  return fromCel(language(...Object.keys(values)).parse(text)({ ...values }));
}

function fromCel(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(fromCel);
  return isMapping(value)
    ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromCel(each)]))
    : value;
}

function isMapping(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
