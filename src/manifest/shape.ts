import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import schema from "../../schemas/manifest.schema.json" with { type: "json" };
import { type JsonObject, pointerKeys } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import { expectedWords, typeOf, valueInWords } from "../base/type-words.ts";
import type { Problem } from "../model/types.ts";
import type { Document } from "./document.ts";
import type { Path } from "./positions.ts";
import { problemAt, type Rule } from "./problem.ts";

export type DocumentKind = "Workspace" | "Policy" | "StorageMigration";

export const documentKinds: readonly DocumentKind[] = ["Workspace", "Policy", "StorageMigration"];

export const apiVersion = "evenkeel/v1";

/** A document's mapping with everything left out that its schema does not allow, and what that was. */
export interface Shaped<Text> {
  readonly text: Partial<Text>;
  readonly problems: readonly Problem[];
}

/**
 * Holds a document against its kind in `schemas/manifest.schema.json`; integrations only as far as they are mappings.
 * What is wrong with `apiVersion` is told where the kind was read.
 */
export function shape<Text>(document: Document, kind: DocumentKind): Shaped<Text> {
  const validate = validatorOf(kind);
  if (validate(document.value)) return { text: document.value as Text, problems: [] };
  const faults = onePerPlace((validate.errors ?? []).map(faultOf)).filter(({ path }) => path[0] !== "apiVersion");
  const text = without(document.value, cutsAt(faults.map(({ path }) => path)));
  return { text: text as Partial<Text>, problems: faults.map((fault) => problemOf(fault, document)) };
}

// The catalogue checks integrations one by one, with one problem a mistake.
const integrationsOnly = {
  $id: "integrations.schema.json",
  type: "object",
  "x-expected": "a mapping from slugs to parameters",
  additionalProperties: { type: "object", "x-expected": "a mapping of parameters" },
  definitions: { slug: { type: "string", "x-expected": "a slug" } },
};

const validatorOf = memoized((kind: DocumentKind): ValidateFunction => {
  const ajv = new Ajv({ allErrors: true, strict: false, verbose: true, logger: false });
  ajv.addSchema(integrationsOnly);
  return ajv.compile({ $id: schema.$id, definitions: schema.definitions, ...schema.definitions[kind] });
});

/** A value of the wrong type breaks other keywords too: the first says it all. */
function onePerPlace(faults: readonly Fault[]): readonly Fault[] {
  return [...new Map(faults.toReversed().map((fault) => [JSON.stringify(fault.path), fault])).values()].reverse();
}

interface Fault {
  readonly rule: Rule;
  readonly message: string;
  readonly path: Path;
  readonly of: "key" | "value";
}

type ShapeError = Pick<ErrorObject, "keyword" | "instancePath" | "params" | "data" | "parentSchema">;

function faultOf({ keyword, instancePath, params, data, parentSchema = {} }: ShapeError): Fault {
  const path = pointerKeys(instancePath).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  if (keyword === "additionalProperties") return unknownKey(path, String(params.additionalProperty), parentSchema);
  if (keyword === "required") {
    const message = `missing ${params.missingProperty}`;
    return { rule: "missing-key", message, path: [...path, String(params.missingProperty)], of: "key" };
  }
  const rule = keyword === "type" ? "wrong-type" : "wrong-value";
  const message = `expected ${expectationOf(parentSchema)}${got(data, parentSchema)}${meant(data, parentSchema.enum)}`;
  return { rule, message, path, of: "value" };
}

/** The nearest of the allowed words, as {@link didYouMean} says it; empty for what is no word. */
export function meant(value: unknown, allowed: unknown): string {
  return typeof value === "string" && Array.isArray(allowed) ? didYouMean(value, allowed) : "";
}

function unknownKey(path: Path, key: string, schema: JsonObject): Fault {
  const known = Object.keys(schema.properties ?? {});
  const hint = meant(key, known) || `; expected ${schema["x-key"] ?? `one of ${known.join(", ")}`}`;
  return { rule: "unknown-key", message: `unknown key ${key}${hint}`, path: [...path, key], of: "key" };
}

function expectationOf(schema: JsonObject): string {
  if (typeof schema["x-expected"] === "string") return schema["x-expected"];
  return expectedWords(schema.type as string | undefined, schema.enum) ?? JSON.stringify(schema.const);
}

/** Free text is never repeated: nobody knows what was put there. */
function got(value: unknown, { type, enum: allowed }: JsonObject): string {
  const closed = Array.isArray(allowed) || type === "boolean" || type === "integer" || type === "number";
  return `, got ${closed ? valueInWords(value) : typeOf(value)}`;
}

function problemOf({ rule, message, path, of }: Fault, document: Document): Problem {
  return problemAt(rule, message, { document, path, of });
}

/** Where something is cut off a value, and what is cut below. */
interface Cuts {
  readonly below: Map<string, Cuts>;
  isCut: boolean;
}

function cutsAt(paths: readonly Path[]): Cuts {
  const root: Cuts = { below: new Map(), isCut: false };
  for (const path of paths) {
    let at = root;
    for (const part of path) {
      const next = at.below.get(String(part)) ?? { below: new Map(), isCut: false };
      at.below.set(String(part), next);
      at = next;
    }
    at.isCut = true;
  }
  return root;
}

/** A copy without what is cut; in a list holes are left, so that places stay true. */
function without(value: unknown, { below }: Cuts): unknown {
  if (below.size === 0 || typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = Array.isArray(value) ? ([] as unknown as Record<string, unknown>) : bare();
  for (const [key, child] of Object.entries(value)) {
    const cuts = below.get(key);
    if (!cuts?.isCut) copy[key] = cuts ? without(child, cuts) : child;
  }
  return copy;
}

/** An object that inherits nothing, so that any key is one like any other. */
function bare(): Record<string, unknown> {
  return Object.create(null);
}
