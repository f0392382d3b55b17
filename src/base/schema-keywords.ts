import { canonical, isObject, type JsonObject } from "./json.ts";

/** A value that violates a keyword of `schema`. */
export interface Violation {
  readonly keyword: string;
  readonly schema: JsonObject;
  readonly value: unknown;
  readonly path: readonly (string | number)[];
  /** The missing or unknown key, also the last of `path`. */
  readonly key?: string;
}

export type Schema = JsonObject | boolean;

/** Where a value is, and what was found so far. The path is changed in place, because most values violate nothing. */
export interface Cursor {
  readonly path: (string | number)[];
  readonly found: Violation[];
}

export type Check = (value: unknown, at: Cursor) => void;

/** How the keywords of one schema are checked. */
export interface KeywordContext {
  readonly schema: JsonObject;
  readonly compiled: (schema: Schema) => Check;
  readonly referred: (reference: string) => Check;
  readonly violated: (keyword: string, value: unknown, at: Cursor, key?: string) => void;
}

/** The violations of one schema by a value. */
export function foundBy(check: Check, value: unknown, path: Cursor["path"]): Violation[] {
  const found: Violation[] = [];
  check(value, { path, found });
  return found;
}

/** Whether a value has one of these types. */
export function typeTest(names: readonly string[]): (value: unknown) => boolean {
  const tests = names.map((name) => types[name] ?? (() => false));
  const [only] = tests;
  return tests.length === 1 && only ? only : (value) => tests.some((is) => is(value));
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

type Keyword = (given: unknown, context: KeywordContext, name: string) => Check;

/** A keyword that holds or does not hold for a value of one type, or of any. */
function holds<Value, Given>(type: string | undefined, make: (given: Given) => (value: Value) => boolean): Keyword {
  const applies = type === undefined ? () => true : typeTest([type]);
  return (given, { violated }, name) => {
    const test = make(given as Given);
    return (value, at) => {
      if (applies(value) && !test(value as Value)) violated(name, value, at);
    };
  };
}

/** A keyword that looks into objects. */
function within<Given>(
  make: (given: Given, context: KeywordContext, name: string) => (value: JsonObject, at: Cursor) => void,
): Keyword {
  return (given, context, name) => {
    const check = make(given as Given, context, name);
    return (value, at) => {
      if (isObject(value)) check(value, at);
    };
  };
}

/** A keyword of several schemas, of which a certain number are met. */
function combined(isMet: (results: readonly (readonly Violation[])[]) => boolean): Keyword {
  return (given, { compiled, violated }, name) => {
    const checks = ([given].flat() as Schema[]).map(compiled);
    return (value, at) => {
      const results = checks.map((check) => foundBy(check, value, at.path));
      if (isMet(results)) return;
      if (!results.some((found) => found.length === 0)) at.found.push(...results.flat());
      violated(name, value, at);
    };
  };
}

function below(check: Check, value: unknown, key: string | number, at: Cursor): void {
  at.path.push(key);
  check(value, at);
  at.path.pop();
}

const isEqual = (one: unknown, other: unknown) =>
  one === other || (typeof one === "object" && canonical(one) === canonical(other));
const lengthOf = (text: string) => [...text].length;
const sizeOf = (value: object) => Object.keys(value).length;
const matches = (pattern: string) => {
  const expression = new RegExp(pattern, "u");
  return (text: string) => expression.test(text);
};

/** Every keyword that says something of values but `type`, in the order in which violations are reported. */
export const keywords: Readonly<Record<string, Keyword>> = {
  maximum: holds("number", (given: number) => (value: number) => value <= given),
  minimum: holds("number", (given: number) => (value: number) => value >= given),
  exclusiveMaximum: holds("number", (given: number) => (value: number) => value < given),
  exclusiveMinimum: holds("number", (given: number) => (value: number) => value > given),
  multipleOf: holds("number", (given: number) => (value: number) => Number.isInteger(value / given)),
  maxLength: holds("string", (given: number) => (value: string) => lengthOf(value) <= given),
  minLength: holds("string", (given: number) => (value: string) => lengthOf(value) >= given),
  pattern: holds("string", matches),
  $ref: (given, { referred }) => referred(String(given)),
  const: holds(undefined, (given) => (value) => isEqual(value, given)),
  enum: holds(undefined, (given: readonly unknown[]) => {
    const known = new Set(given);
    return (value) => known.has(value) || (typeof value === "object" && given.some((each) => isEqual(value, each)));
  }),
  not: combined((results) => results.every((found) => found.length > 0)),
  anyOf: combined((results) => results.some((found) => found.length === 0)),
  oneOf: combined((results) => results.filter((found) => found.length === 0).length === 1),
  allOf: (given, { compiled }) => {
    const checks = (given as Schema[]).map(compiled);
    return (value, at) => {
      for (const check of checks) check(value, at);
    };
  },
  if: (given, { schema, compiled, violated }) => {
    const condition = compiled(given as Schema);
    const [then, otherwise] = [schema.then, schema.else].map((branch) => compiled((branch ?? true) as Schema));
    return (value, at) => {
      const branch = foundBy(condition, value, at.path).length === 0 ? then : otherwise;
      const before = at.found.length;
      branch?.(value, at);
      if (at.found.length > before) violated("if", value, at);
    };
  },
  maxItems: holds("array", (given: number) => (value: readonly unknown[]) => value.length <= given),
  minItems: holds("array", (given: number) => (value: readonly unknown[]) => value.length >= given),
  uniqueItems: holds(
    "array",
    (given) => (value: readonly unknown[]) =>
      given !== true || !value.some((each, index) => value.slice(0, index).some((other) => isEqual(each, other))),
  ),
  items: (given, { compiled }) => {
    const check = compiled(given as Schema);
    return (value, at) => {
      if (!Array.isArray(value)) return;
      for (const [index, item] of value.entries()) below(check, item, index, at);
    };
  },
  maxProperties: holds("object", (given: number) => (value: object) => sizeOf(value) <= given),
  minProperties: holds("object", (given: number) => (value: object) => sizeOf(value) >= given),
  required: within((given: readonly string[], { violated }) => (value, at) => {
    for (const key of given) if (value[key] === undefined) violated("required", value, at, key);
  }),
  propertyNames: within((given: Schema, { compiled, violated }) => {
    const check = compiled(given);
    return (value, at) => {
      for (const key of Object.keys(value)) {
        const before = at.found.length;
        check(key, at);
        if (at.found.length > before) violated("propertyNames", value, at);
      }
    };
  }),
  dependencies: within((given: Readonly<Record<string, Schema | readonly string[]>>, { compiled, violated }, name) => {
    const needs = Object.entries(given).map(([key, need]): [string, (value: JsonObject, at: Cursor) => void] => {
      if (!Array.isArray(need)) return [key, compiled(need as Schema)];
      return [key, (value, at) => need.some((each) => value[each] === undefined) && violated(name, value, at)];
    });
    return (value, at) => {
      for (const [key, check] of needs) if (value[key] !== undefined) check(value, at);
    };
  }),
};

/** The members of an object: `properties`, `patternProperties` and `additionalProperties` in one pass over its keys. */
export function memberCheck({ schema, compiled, violated }: KeywordContext): Check | undefined {
  const { properties = {}, patternProperties = {}, additionalProperties = true } = schema as MemberSchema;
  const named = new Map(Object.entries(properties).map(([key, each]) => [key, compiled(each)]));
  const patterns = Object.entries(patternProperties).map(([pattern, each]) => ({
    isOf: matches(pattern),
    check: compiled(each),
  }));
  const other = typeof additionalProperties === "boolean" ? undefined : compiled(additionalProperties);
  if (named.size + patterns.length === 0 && additionalProperties === true) return undefined;
  return (value, at) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      const check = named.get(key);
      if (check && value[key] !== undefined) below(check, value[key], key, at);
      const alike = patterns.filter(({ isOf }) => isOf(key));
      for (const pattern of alike) below(pattern.check, value[key], key, at);
      if (check || alike.length > 0) continue;
      if (other) below(other, value[key], key, at);
      else if (additionalProperties === false) violated("additionalProperties", value, at, key);
    }
  };
}

interface MemberSchema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
}
