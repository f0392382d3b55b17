import type { ErrorObject } from "ajv";
import { type JsonObject, pointerKeys } from "./json.ts";
import { didYouMean } from "./nearest.ts";
import { expectedWords, typeOf, valueInWords } from "./type-words.ts";

/** A mistake that a JSON Schema found, in a sentence. */
export interface SchemaFault {
  readonly rule: "missing-key" | "unknown-key" | "wrong-type" | "wrong-value";
  readonly message: string;
  /** The keys and indices that lead to it; the last one is the key that is missing or unknown. */
  readonly path: readonly (string | number)[];
}

/**
 * Options of ajv for schemas that are shipped: they are not held against the schema of schemas again in each run, which
 * is a sixth of a short one. `test/model/schemas.test.ts` does it.
 */
export const shippedSchema = { validateSchema: false } as const;

type SchemaError = Pick<ErrorObject, "keyword" | "instancePath" | "params" | "data" | "parentSchema">;

/**
 * The errors of ajv in sentences, one for each place. Ajv has to run with `allErrors` and `verbose`. A schema may say
 * in `x-expected` what completes "expected …", and in `x-key` the same for the keys of a mapping.
 */
export function schemaFaults(errors: readonly SchemaError[] | null | undefined): readonly SchemaFault[] {
  const faults = (errors ?? []).map(faultOf);
  // A value of the wrong type breaks other keywords too: the first says it all.
  return [...new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.path), fault])).values()].reverse();
}

function faultOf({ keyword, instancePath, params, data, parentSchema = {} }: SchemaError): SchemaFault {
  const path = pointerKeys(instancePath).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  if (keyword === "additionalProperties") return unknownKey(path, String(params.additionalProperty), parentSchema);
  if (keyword === "required") {
    const key = String(params.missingProperty);
    return { rule: "missing-key", message: `missing ${key}`, path: [...path, key] };
  }
  const rule = keyword === "type" ? "wrong-type" : "wrong-value";
  const message = `expected ${expectationOf(parentSchema)}${got(data, parentSchema, rule)}${meant(data, parentSchema.enum)}`;
  return { rule, message, path };
}

function unknownKey(path: SchemaFault["path"], key: string, schema: JsonObject): SchemaFault {
  const known = Object.keys(schema.properties ?? {});
  const hint = meant(key, known) || `; expected ${schema["x-key"] ?? `one of ${known.join(", ")}`}`;
  return { rule: "unknown-key", message: `unknown key ${key}${hint}`, path: [...path, key] };
}

/** The nearest of the allowed words, as {@link didYouMean} says it; empty where the value is not a string. */
export function meant(value: unknown, allowed: unknown): string {
  return typeof value === "string" && Array.isArray(allowed) ? didYouMean(value, allowed) : "";
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

/** Free text is never repeated: nobody knows what was put there. Of the right type, it is only of another form. */
function got(value: unknown, { type, enum: allowed }: JsonObject, rule: SchemaFault["rule"]): string {
  const closed = Array.isArray(allowed) || type === "boolean" || type === "integer" || type === "number";
  if (closed || typeof value === "number") return `, got ${valueInWords(value)}`;
  return rule === "wrong-value" && typeof value === "string" && value !== "" ? "" : `, got ${typeOf(value)}`;
}
