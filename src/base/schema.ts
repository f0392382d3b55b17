import { expectedWords, isObject, type JsonObject, typeOf, valueInWords } from "./json.ts";
import { suggestionFor } from "./nearest.ts";
import { type Violation, violationsBy } from "./schema-violations.ts";

export interface SchemaFault {
  readonly rule: "missing-key" | "unknown-key" | "wrong-type" | "wrong-value";
  readonly keyword: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** The faults of a value, at most one for each path. */
export type SchemaCheck = (value: unknown) => readonly SchemaFault[];

export function compile(schema: object, references: readonly object[] = []): SchemaCheck {
  let violations: ReturnType<typeof violationsBy> | undefined;
  return (value) => {
    violations ??= violationsBy(schema, references);
    const found = violations(value);
    return found.length === 0 ? [] : toFaults(found);
  };
}

/** The first fault of each value; faults of conditions are separate. */
function toFaults(violations: readonly Violation[]): readonly SchemaFault[] {
  const told = new Set(violations.flatMap(({ schema }) => ("x-expected" in schema ? listAlternatives(schema) : [])));
  const faults = violations.filter(({ keyword, schema }) => keyword !== "if" && !told.has(schema)).map(toFault);
  return [...new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.path), fault])).values()].reverse();
}

function listAlternatives({ anyOf = [], oneOf = [] }: JsonObject): readonly unknown[] {
  return [anyOf, oneOf].flat();
}

function toFault({ keyword, schema, value, path, key, neededBy }: Violation): SchemaFault {
  if (keyword === "additionalProperties") return unknownKey(path, key ?? "", schema);
  const needs = neededBy === undefined ? "" : `, which ${neededBy} needs`;
  if (key !== undefined) return { rule: "missing-key", keyword, message: `missing ${key}${needs}`, path };
  const rule = keyword === "type" ? "wrong-type" : "wrong-value";
  const message = `expected ${describeExpectation(schema)}${got(value, schema, rule)}${suggestionFor(value, schema.enum)}`;
  return { rule, keyword, message, path };
}

function unknownKey(path: SchemaFault["path"], key: string, schema: JsonObject): SchemaFault {
  const known = Object.keys(schema.properties ?? {});
  const instead = insteadOf(key, schema);
  const hint = instead || suggestionFor(key, known) || `; expected ${schema["x-key"] ?? `one of ${known.join(", ")}`}`;
  return {
    rule: "unknown-key",
    keyword: "additionalProperties",
    message: `unknown key ${key}${hint}`,
    path,
  };
}

/** The advice of a schema on a key that it does not have (`x-instead`); empty without any. */
export function insteadOf(key: string, { "x-instead": others = {} }: AdvisingSchema): string {
  return Object.hasOwn(others, key) ? `; ${others[key]}` : "";
}

interface AdvisingSchema {
  readonly "x-instead"?: Readonly<Record<string, string>>;
}

function describeExpectation(schema: JsonObject): string {
  if (typeof schema["x-expected"] === "string") return schema["x-expected"];
  const words = expectedWords(schema.type as string | string[] | undefined, schema.enum);
  if (words === undefined) return "const" in schema ? JSON.stringify(schema.const) : "another value";
  return `${words}${describeBounds(schema)}`;
}

function describeBounds({
  minimum,
  maximum,
  minLength,
  minItems,
  minProperties,
  maxProperties,
  pattern,
}: JsonObject): string {
  if (maxProperties !== undefined)
    return ` with ${minProperties === maxProperties ? "exactly" : "at most"} ${keys(maxProperties)}`;
  if (minProperties !== undefined) return ` with at least ${keys(minProperties)}`;
  if (minimum !== undefined) return maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
  if (minLength !== undefined || minItems !== undefined) return " that is not empty";
  return pattern === undefined ? "" : ` that matches ${pattern}`;
}

function keys(count: unknown): string {
  return count === 1 ? "one key" : `${count} keys`;
}

/** Free text is not repeated, because it may contain a secret. */
function got(value: unknown, { type, enum: allowed }: JsonObject, rule: SchemaFault["rule"]): string {
  const closed = Array.isArray(allowed) || type === "boolean" || type === "integer" || type === "number";
  if (closed || typeof value === "number") return `, got ${valueInWords(value)}`;
  if (rule === "wrong-value" && ((typeof value === "string" && value !== "") || isObject(value))) return "";
  return `, got ${typeOf(value)}`;
}
