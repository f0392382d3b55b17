import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type JsonObject, pointerKeys } from "./json.ts";
import { suggestionFor } from "./nearest.ts";
import { expectedWords, typeOf, valueInWords } from "./type-words.ts";

/** A mistake that a JSON Schema found, in a sentence. */
export interface SchemaFault {
  readonly rule: "missing-key" | "unknown-key" | "wrong-type" | "wrong-value";
  /** The keyword of JSON Schema that the value does not satisfy. */
  readonly keyword: string;
  readonly message: string;
  /** The keys and indices that lead to it; the last one is the key that is missing or unknown. */
  readonly path: readonly (string | number)[];
}

/** All that is wrong with a value, at most one fault for each path; empty if it is valid. */
export type SchemaCheck = (value: unknown) => readonly SchemaFault[];

/**
 * A check against a JSON Schema, compiled when it is first used. `references` are schemas that it refers to by their `$id`.
 * A schema may say in `x-expected` what completes "expected …", and in `x-key` the same for the keys of a mapping.
 */
export function compile(schema: object, references: readonly object[] = []): SchemaCheck {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= new Ajv({ ...options, schemas: [...references] }).compile(schema);
    return validate(value) ? [] : faultsOf(validate.errors ?? []);
  };
}

// Schemas are not validated here, which would be a sixth of a short run: test/model/schemas.test.ts does it.
const options = {
  validateSchema: false,
  meta: false,
  allErrors: true,
  strict: false,
  strictNumbers: true,
  verbose: true,
  logger: false,
} as const;

type SchemaError = Pick<ErrorObject, "keyword" | "instancePath" | "params" | "data" | "parentSchema">;

/** A value of the wrong type breaks other keywords too: the first one is enough. */
function faultsOf(errors: readonly SchemaError[]): readonly SchemaFault[] {
  const faults = errors.map(faultOf);
  return [...new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.path), fault])).values()].reverse();
}

function faultOf({ keyword, instancePath, params, data, parentSchema = {} }: SchemaError): SchemaFault {
  const path = pointerKeys(instancePath).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  if (keyword === "additionalProperties") return unknownKey(path, String(params.additionalProperty), parentSchema);
  if (keyword === "required") {
    const key = String(params.missingProperty);
    return { rule: "missing-key", keyword, message: `missing ${key}`, path: [...path, key] };
  }
  const rule = keyword === "type" ? "wrong-type" : "wrong-value";
  const message = `expected ${expectationOf(parentSchema)}${got(data, parentSchema, rule)}${suggestionFor(data, parentSchema.enum)}`;
  return { rule, keyword, message, path };
}

function unknownKey(path: SchemaFault["path"], key: string, schema: JsonObject): SchemaFault {
  const known = Object.keys(schema.properties ?? {});
  const hint = suggestionFor(key, known) || `; expected ${schema["x-key"] ?? `one of ${known.join(", ")}`}`;
  return {
    rule: "unknown-key",
    keyword: "additionalProperties",
    message: `unknown key ${key}${hint}`,
    path: [...path, key],
  };
}

function expectationOf(schema: JsonObject): string {
  if (typeof schema["x-expected"] === "string") return schema["x-expected"];
  const words = expectedWords(schema.type as string | string[] | undefined, schema.enum);
  if (words === undefined) return "const" in schema ? JSON.stringify(schema.const) : "another value";
  return `${words}${boundsOf(schema)}`;
}

function boundsOf({ minimum, maximum, minLength, minItems, pattern }: JsonObject): string {
  if (minimum !== undefined) return maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
  if (minLength !== undefined || minItems !== undefined) return " that is not empty";
  return pattern === undefined ? "" : ` that matches ${pattern}`;
}

/** Free text is never repeated, since it may hold a secret. */
function got(value: unknown, { type, enum: allowed }: JsonObject, rule: SchemaFault["rule"]): string {
  const closed = Array.isArray(allowed) || type === "boolean" || type === "integer" || type === "number";
  if (closed || typeof value === "number") return `, got ${valueInWords(value)}`;
  return rule === "wrong-value" && typeof value === "string" && value !== "" ? "" : `, got ${typeOf(value)}`;
}
