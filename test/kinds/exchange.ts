import { EvaluationError } from "@marcbachmann/cel-js";
import type { FieldSchema, KindFile } from "./kinds.ts";
import { language } from "./kinds.ts";

export type Values = Readonly<Record<string, unknown>>;

/** A resource as a policy declares it (after look-ups), as it is created, and as a server answers it. */
export interface Example {
  readonly declared: Values;
  readonly parameters: Values;
  readonly row: Values;
  /** Requests for items after the creation, with their parameters. */
  readonly items?: readonly ItemRequest[];
  readonly updates?: readonly {
    readonly declared: Values;
    /** Left out where the server cannot change it: the resource is replaced. */
    readonly parameters?: Values;
    readonly items?: readonly ItemRequest[];
    readonly effect?: string;
  }[];
}

/** `DELETE /projects/p/hooks/1/custom_headers/X`; with parameters as a mapping. */
export type ItemRequest = string | Readonly<Record<string, Values>>;

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
