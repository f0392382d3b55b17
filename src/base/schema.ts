import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type JsonObject, pointerKeys } from "./json.ts";
import { suggestionFor } from "./nearest.ts";
import { expectedWords, typeOf, valueInWords } from "./type-words.ts";

/** A violation of a JSON Schema. */
export interface SchemaFault {
  readonly rule: "missing-key" | "unknown-key" | "wrong-type" | "wrong-value";
  /** The violated keyword. */
  readonly keyword: string;
  readonly message: string;
  /** The path of the value; it ends with the missing or unknown key. */
  readonly path: readonly (string | number)[];
}

/** The faults of a value, at most one for each path. */
export type SchemaCheck = (value: unknown) => readonly SchemaFault[];

/**
 * Compiles a JSON Schema on first use. `references` are schemas that it refers to by `$id`.
 * `x-expected` of a schema completes "expected …", and `x-key` does so for the keys of a mapping.
 */
export function compile(schema: object, references: readonly object[] = []): SchemaCheck {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= new Ajv({ ...options, schemas: [...references] }).compile(schema);
    return validate(value) ? [] : faultsOf(validate.errors ?? []);
  };
}

// Schemas are validated in test/model/schemas.test.ts, because that takes a sixth of a short run.
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

/** A value of the wrong type violates other keywords too; only the first is reported. */
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

/** Free text is not repeated, because it may contain a secret. */
function got(value: unknown, { type, enum: allowed }: JsonObject, rule: SchemaFault["rule"]): string {
  const closed = Array.isArray(allowed) || type === "boolean" || type === "integer" || type === "number";
  if (closed || typeof value === "number") return `, got ${valueInWords(value)}`;
  return rule === "wrong-value" && typeof value === "string" && value !== "" ? "" : `, got ${typeOf(value)}`;
}
