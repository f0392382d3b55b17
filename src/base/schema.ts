import { createHash } from "node:crypto";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { RE2JS } from "re2js";
import { ifPossible } from "./exit.ts";
import { canonical, expectedWords, isObject, type JsonObject, typeOf, valueInWords } from "./json.ts";
import { load } from "./load.ts";
import { lazy } from "./memoize.ts";
import { suggestionFor } from "./nearest.ts";
import { validators } from "./validators.ts";

export interface SchemaFault {
  readonly rule: "missing-key" | "unknown-key" | "wrong-type" | "wrong-value";
  readonly keyword: string;
  readonly message: string;
  readonly path: readonly (string | number)[];
}

/** The faults of a value, at most one for each path. */
export type SchemaCheck = (value: unknown) => readonly SchemaFault[];

/** `references`: schemas that it refers to by `$id`. The check throws for an unknown reference or an invalid pattern. */
export function compile(schema: object, references: readonly object[] = []): SchemaCheck {
  const validator = lazy(() => validators[schemaDigest(schema, references)]?.() ?? compileNow(schema, references));
  return (value) => {
    const validate = validator();
    return validate(value) ? [] : toFaults(validate.errors ?? [], value);
  };
}

/** The key of a schema in validators.ts, where the build puts those that workspaces without their own kinds need. */
export function schemaDigest(schema: object, references: readonly object[] = []): string {
  return createHash("sha256")
    .update(JSON.stringify([schema, references]))
    .digest("hex")
    .slice(0, 32);
}

function compileNow(schema: object, references: readonly object[]): ValidateFunction {
  const { Ajv }: typeof import("ajv") = load("ajv");
  const ajv = new Ajv({ ...ajvOptions, code: { regExp: patternOf }, schemas: [...references] });
  return ajv
    .removeKeyword("uniqueItems")
    .addKeyword({ keyword: "uniqueItems", type: "array", validate: hasNoRepeats })
    .compile(schema);
}

/** Replaces `uniqueItems` of Ajv, which compares all pairs of items. */
function hasNoRepeats(isUnique: boolean, list: readonly unknown[]): boolean {
  return !isUnique || new Set(list.map(canonical)).size === list.length;
}

/** Only the program's own schemas have patterns that backtrack: in a kind, such a pattern is a problem. */
const patternOf = Object.assign((text: string) => linearPattern(text) ?? new RegExp(text, "u"), { code: "patternOf" });

/** Schemas are validated in test/model/schemas.test.ts, because that takes a sixth of a short run. */
export const ajvOptions = {
  validateSchema: false,
  meta: false,
  allErrors: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  messages: false,
  logger: false,
} as const satisfies Options;

/** The first fault of each value; faults of conditions are separate. */
function toFaults(errors: readonly ErrorObject[], root: unknown): readonly SchemaFault[] {
  const told = new Set(
    errors.flatMap(({ parentSchema: { anyOf = [], oneOf = [], ...schema } = {} }) => {
      return "x-expected" in schema ? [anyOf, oneOf].flat() : [];
    }),
  );
  const faults = errors
    .filter(({ keyword, parentSchema }) => keyword !== "if" && !told.has(parentSchema))
    .map((error) => toFault(error, root));
  return [...new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.path), fault])).values()].reverse();
}

function toFault(
  { keyword, instancePath, params, data, parentSchema: schema = {} }: ErrorObject,
  root: unknown,
): SchemaFault {
  const path = toPath(root, instancePath);
  if (keyword === "additionalProperties") return unknownKey(path, String(params.additionalProperty), schema);
  if (params.missingProperty !== undefined) {
    const needs = keyword === "dependencies" ? `, which ${params.property} needs` : "";
    const key = String(params.missingProperty);
    return { rule: "missing-key", keyword, message: `missing ${key}${needs}`, path: [...path, key] };
  }
  const rule = keyword === "type" ? "wrong-type" : "wrong-value";
  const message = `expected ${describeExpectation(schema)}${got(data, schema, rule)}${suggestionFor(data, schema.enum)}`;
  return { rule, keyword, message, path };
}

function toPath(root: unknown, pointer: string): SchemaFault["path"] {
  let value = root;
  const keys = pointer.split("/").slice(1);
  return keys.map((part) => {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const own = Array.isArray(value) ? Number(key) : key;
    value = (value as JsonObject | undefined)?.[own];
    return own;
  });
}

function unknownKey(path: SchemaFault["path"], key: string, schema: JsonObject): SchemaFault {
  const known = Object.keys(schema.properties ?? {});
  const instead = insteadOf(key, schema);
  const hint = instead || suggestionFor(key, known) || `; expected ${schema["x-key"] ?? `one of ${known.join(", ")}`}`;
  const message = `unknown key ${key}${hint}`;
  return { rule: "unknown-key", keyword: "additionalProperties", message, path: [...path, key] };
}

/** The advice of a schema on a key that it does not have (`x-instead`); empty without any. */
export function insteadOf(
  key: string,
  { "x-instead": others = {} }: { readonly "x-instead"?: Readonly<Record<string, string>> },
): string {
  return Object.hasOwn(others, key) ? `; ${others[key]}` : "";
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

/** A regular expression of linear time; undefined if it has to backtrack, or is invalid. */
export function linearPattern(text: string) {
  const compiled = ifPossible(() => RE2JS.compile(RE2JS.translateRegExp(text)));
  if (!compiled) return undefined;
  const isLarge = text.length > 500 || compiled.programSize() > 1000;
  // False for long texts: the time is proportional to text times pattern.
  const test = (each: string) => each.length <= 10_000 && compiled.matcher(each).find();
  return { test, isLarge, toString: () => text };
}
