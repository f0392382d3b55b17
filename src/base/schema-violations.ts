import { createHash } from "node:crypto";
import type { ErrorObject, Options, ValidateFunction } from "ajv";
import { RE2JS } from "re2js";
import { canonical, type JsonObject, pointerKeys } from "./json.ts";
import { load } from "./load.ts";
import { validators } from "./validators.ts";

/** A value that violates a keyword of `schema`. */
export interface Violation {
  readonly keyword: string;
  readonly schema: JsonObject;
  readonly value: unknown;
  readonly path: readonly (string | number)[];
  /** The missing or unknown key, also the last of `path`. */
  readonly key?: string;
  /** The sibling key that requires it. */
  readonly neededBy?: string;
}

/** `references`: schemas that it refers to by `$id`. @throws Error for an unknown reference or an invalid pattern. */
export function violationsBy(
  schema: object,
  references: readonly object[] = [],
): (value: unknown) => readonly Violation[] {
  return createCheck(validators[schemaDigest(schema, references)] ?? compileNow(schema, references));
}

/** The key of a schema in validators.ts, where the build puts those that workspaces without their own kinds need. */
export function schemaDigest(schema: object, references: readonly object[] = []): string {
  const text = JSON.stringify([schema, references]);
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
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

function createCheck(validate: ValidateFunction): (value: unknown) => readonly Violation[] {
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map((error) => toViolation(error, value)));
}

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

function toViolation(
  { keyword, instancePath, params, data, parentSchema = {} }: ErrorObject,
  root: unknown,
): Violation {
  const at = toPath(root, pointerKeys(instancePath));
  const found = { keyword, schema: parentSchema as JsonObject, value: data };
  const key = findKey(keyword, params);
  if (key === undefined) return { ...found, path: at };
  const neededBy = keyword === "dependencies" ? { neededBy: String(params.property) } : {};
  return { ...found, path: [...at, key], key, ...neededBy };
}

function findKey(keyword: string, { additionalProperty, missingProperty }: ErrorObject["params"]): string | undefined {
  if (keyword === "additionalProperties") return String(additionalProperty);
  return missingProperty === undefined ? undefined : String(missingProperty);
}

function toPath(root: unknown, keys: readonly string[]): readonly (string | number)[] {
  let value = root;
  return keys.map((key) => {
    const own = Array.isArray(value) ? Number(key) : key;
    value = (value as JsonObject | undefined)?.[own];
    return own;
  });
}

interface Pattern {
  /** False for texts of more than 10,000 characters: the time is proportional to text times pattern. */
  readonly test: (text: string) => boolean;
  readonly isLarge: boolean;
  readonly toString: () => string;
}

/** A regular expression of linear time; undefined if it has to backtrack, or is invalid. */
export function linearPattern(text: string): Pattern | undefined {
  try {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(text));
    const isLarge = text.length > 500 || compiled.programSize() > 1000;
    const test = (each: string) => each.length <= 10_000 && compiled.matcher(each).find();
    return { test, isLarge, toString: () => text };
  } catch {
    return undefined;
  }
}
