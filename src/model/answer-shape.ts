import { isObject, type JsonObject } from "../base/json.ts";

/**
 * The required shape of a successful response: a column of the endpoint table. Any other response is an error, and no
 * conclusion is drawn from it (docs/architecture.md).
 */
export interface AnswerShape {
  readonly holds: "row" | "rows" | "nothing";
  readonly fields?: Readonly<Record<string, FieldType>>;
  readonly oneOf?: Readonly<Record<string, FieldType>>;
  /** Types of fields that may also be missing or null. */
  readonly ifAny?: Readonly<Record<string, FieldType>>;
  /** Values, as text, of fields that may be missing; `:name` is a path segment or parameter of the call. */
  readonly same?: Readonly<Record<string, string>>;
  /** As `same`, ignoring case. */
  readonly alike?: Readonly<Record<string, string>>;
  /** Fields of a list's rows that are kept in memory; omitted: all. A fleet has many rows, and rows can be large. */
  readonly keeps?: readonly string[];
  /** The response may be 204 without a body. */
  readonly mayBeSilent?: true;
  /** The response may be null: there is no such row yet. */
  readonly mayBeNull?: true;
  /** The response is 202: the server processes the request later. */
  readonly actsLater?: true;
}

type FieldType = "text" | "number" | "boolean" | "row";

/** Completes "answered 200 " for an invalid response; undefined for a valid one. */
export function shapeFault(shape: AnswerShape, status: number, body: unknown): string | undefined {
  if (partial.has(status)) return shape.actsLater ? undefined : "which is not a final answer";
  if (shape.holds === "nothing") return isError(body) ? "with an error" : undefined;
  if (body === undefined && status === 204 && shape.mayBeSilent) return undefined;
  if (body === null && shape.mayBeNull) return undefined;
  const instead = (fault: string) => `with ${isError(body) ? "an error" : fault} instead of ${dueOf(shape)}`;
  if (body === undefined) return instead("an empty body");
  if (shape.holds === "row") {
    const fault = rowFault(shape, body);
    return fault && instead(fault);
  }
  if (!Array.isArray(body)) return instead(named(body));
  const index = body.findIndex((row) => rowFault(shape, row) !== undefined);
  return index < 0 ? undefined : `with a list whose row ${index + 1} is ${rowFault(shape, body[index])}`;
}

/** Maximum number of levels in a response, far above those of the API: code that walks through it calls itself for each. */
const deepestAnswer = 100;

/** Completes "answered 200 " for a response with too many levels, which is not processed; otherwise undefined. */
export function depthFault(body: unknown): string | undefined {
  return isDeeper(body, deepestAnswer) ? `with more than ${deepestAnswer} levels of lists and objects` : undefined;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((each) => isDeeper(each, levels - 1));
  for (const name in value) {
    const each = (value as JsonObject)[name];
    // Most values are not objects, and a call for each would take most of the time.
    if (typeof each === "object" && isDeeper(each, levels - 1)) return true;
  }
  return false;
}

/** Accepted and partial content: the response is not complete. */
const partial: ReadonlySet<number> = new Set([202, 206]);

/** True if a body contains an error, regardless of its status. */
export function isError(body: unknown): boolean {
  return isObject(body) && body.error !== undefined && body.error !== null;
}

function dueOf({ holds, fields, oneOf }: AnswerShape): string {
  const what = holds === "rows" ? "a list of objects" : "an object";
  const names = Object.keys(fields ?? {}).join(", ") || Object.keys(oneOf ?? {}).join(" or ");
  return names ? `${what} with ${names}` : what;
}

const none = {};

function rowFault(
  { fields = none, oneOf, ifAny = none, same = none, alike = none }: AnswerShape,
  row: unknown,
): string | undefined {
  if (!isObject(row)) return named(row);
  // `for in`, because a list of entries for each row of a fleet would burden the garbage collector.
  for (const name in fields) {
    const type = fields[name];
    if (type && !checks[type](row[name])) return `an object whose ${name} is ${named(row[name])}`;
  }
  for (const name in ifAny) {
    const type = ifAny[name];
    const value = row[name] ?? undefined;
    if (type && value !== undefined && !checks[type](value)) return `an object whose ${name} is ${named(value)}`;
  }
  for (const name in same) {
    if (isOther(row[name], same[name] ?? "")) return `an object with a different ${name}`;
  }
  for (const name in alike) {
    const value = row[name];
    const folded = typeof value === "string" ? value.toLowerCase() : value;
    if (isOther(folded, (alike[name] ?? "").toLowerCase())) return `an object with a different ${name}`;
  }
  for (const name in oneOf) {
    const type = oneOf[name];
    if (type && checks[type](row[name])) return undefined;
  }
  return oneOf && `an object without ${Object.keys(oneOf).join(", ")}`;
}

function isOther(value: unknown, text: string): boolean {
  return (typeof value === "string" || typeof value === "number") && String(value) !== text;
}

const checks: Readonly<Record<FieldType, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string" && value !== "",
  number: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === "boolean",
  row: isObject,
};

function named(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty string";
  return { object: "an object", string: "a string", boolean: "a boolean" }[typeof value as string] ?? "a number";
}
