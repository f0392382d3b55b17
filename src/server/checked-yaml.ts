import { Ajv, type ErrorObject } from "ajv";
import { type Document, LineCounter, parseDocument } from "yaml";
import { type JsonObject, pointerKeys } from "../base/json.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Place, Problem } from "../model/types.ts";

/** A mistake and the keys that lead to it. */
export interface Fault {
  readonly path: readonly string[];
  readonly message: string;
}

export type CheckedYaml<T> = { readonly value: T } | { readonly problems: readonly Problem[] };

/** What a file is held against. */
export interface Checks<T> {
  /** The rule that each problem names. */
  readonly rule: string;
  readonly schema: object;
  /** What an empty text means. */
  readonly empty: T;
  /** What the schema cannot say. */
  readonly faults: (value: T) => readonly Fault[];
}

/** Reads YAML or JSON and checks it. Every mistake is a problem with its place in `file`. */
export function parseChecked<T>(
  text: string,
  file: string,
  { rule, schema, empty, faults: further }: Checks<T>,
): CheckedYaml<T> {
  const problem = (message: string, place: Place, path: readonly string[] = []): Problem => {
    return { severity: "error", rule, message, place, ...(path.length > 0 && { path: path.join(".") }) };
  };
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  const place = (offset: number): Place => ({
    file,
    line: lines.linePos(offset).line,
    column: lines.linePos(offset).col,
  });
  if (document.errors.length > 0) {
    const problems = document.errors.map(({ message, pos }) => problem(message.split("\n")[0] ?? "", place(pos[0])));
    return { problems };
  }
  const value = document.toJS() ?? empty;
  const shape = shapeFaults(schema, value);
  const faults = shape.length > 0 ? shape : further(value as T);
  if (faults.length === 0) return { value: value as T };
  const problems = faults
    .map(({ path, message }) => ({ offset: offsetOf(document, path), path, message }))
    .sort((a, b) => a.offset - b.offset);
  return { problems: problems.map(({ offset, path, message }) => problem(message, place(offset), path)) };
}

/** The offset of the nearest node that is there. */
function offsetOf(document: Document.Parsed, path: readonly string[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length).map(key), true) as
      | { range?: [number, number, number] }
      | undefined;
    if (node?.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}

function key(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

/** Keeps what it compiled, by schema. */
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false, verbose: true });

function shapeFaults(schema: object, value: unknown): Fault[] {
  const validate = ajv.compile(schema);
  return validate(value) ? [] : (validate.errors ?? []).map(faultOf);
}

function faultOf(error: ErrorObject): Fault {
  const path = pointerKeys(error.instancePath);
  const sentence = sentences[error.keyword] ?? (() => error.message ?? "not valid");
  return { path: [...path, ...extra(error)], message: sentence(error.params, error) };
}

function extra({ keyword, params }: ErrorObject): string[] {
  return keyword === "additionalProperties" ? [String(params.additionalProperty)] : [];
}

/** The nearest known word, else all of them. */
export function orElse(word: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  return didYouMean(word, known) || `; expected one of ${known.join(", ")}`;
}

type Wrong = Pick<ErrorObject, "data" | "parentSchema">;

const sentences: Readonly<Record<string, (params: JsonObject, wrong: Wrong) => string>> = {
  required: ({ missingProperty }) => `${missingProperty} is missing`,
  additionalProperties: ({ additionalProperty: word }, { parentSchema }) =>
    `unknown key ${word}${orElse(String(word), Object.keys(parentSchema?.properties ?? {}))}`,
  type: ({ type }) => `expected ${[type].flat().join(" or ")}`,
  enum: ({ allowedValues }, { data }) =>
    `expected one of ${(allowedValues as string[]).join(", ")}${didYouMean(String(data), allowedValues as string[])}`,
  minimum: ({ limit }) => `expected ${limit} or more`,
  maximum: ({ limit }) => `expected ${limit} or less`,
  minLength: () => "expected a non-empty string",
};
