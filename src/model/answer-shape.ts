import { isObject } from "../base/json.ts";
import { thousands } from "../base/text-format.ts";

/**
 * What a successful answer must hold to be an answer, as data: a column of the endpoint table. Anything else is an
 * error, and nothing is concluded from it (docs/running.md).
 */
export interface AnswerShape {
  /** One row, a list of them, or a body that nobody looks into. */
  readonly holds: "row" | "rows" | "nothing";
  /** Fields that each row has. */
  readonly fields?: Readonly<Record<string, FieldType>>;
  /** Fields of which each row has one at least, where no single one is certain. */
  readonly oneOf?: Readonly<Record<string, FieldType>>;
  /** Fields that may be missing or null, and are of this type wherever they are not. */
  readonly ifAny?: Readonly<Record<string, FieldType>>;
  /** Fields that hold this, as text, wherever a row has them; `:name` is what the call has by that name. */
  readonly same?: Readonly<Record<string, string>>;
  /** As `same`, but for case. */
  readonly alike?: Readonly<Record<string, string>>;
  /** Fields of the rows of a list that are kept; left out: all. A fleet has many rows, and servers say much of each. */
  readonly keeps?: readonly string[];
  /** The server may say that it did something without showing it: 204, and no body. */
  readonly mayBeSilent?: true;
  /** The server takes the request and acts later: 202. */
  readonly actsLater?: true;
}

type FieldType = "text" | "number" | "boolean" | "row";

/** What is wrong with a successful answer, completing "answered 200 "; undefined where nothing is. */
export function shapeFault(shape: AnswerShape, status: number, body: unknown): string | undefined {
  if (partial.has(status)) return shape.actsLater ? undefined : "which is not a final answer";
  if (shape.holds === "nothing") return isError(body) ? "with an error" : undefined;
  if (body === undefined && status === 204 && shape.mayBeSilent) return undefined;
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

/** Characters of the longest text that a row may hold: more than any page of the platform lets anybody enter. */
export const longestAnswerText = 256 * 1024;

/**
 * Which text of an answer is longer than anybody sets, completing "answered 200 ": it is not worked through, so that one
 * answer holds up no run. Undefined where none is.
 */
export function longTextFault(body: unknown): string | undefined {
  for (const row of Array.isArray(body) ? body : [body]) {
    const found = longTextIn(row) ?? (isObject(row) ? longTextIn(row.properties) : undefined);
    if (found)
      return `with an object that holds a text of ${thousands(found)} characters, where ${thousands(longestAnswerText)} are the most`;
  }
  return undefined;
}

function longTextIn(row: unknown): number | undefined {
  if (!isObject(row)) return undefined;
  for (const name in row) {
    const value = row[name];
    if (typeof value === "string" && value.length > longestAnswerText) return value.length;
  }
  return undefined;
}

/** Accepted and partial content: the server has not said all there is to say. */
const partial: ReadonlySet<number> = new Set([202, 206]);

/** Whether a body says that something went wrong, whatever status it came with. */
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
  // By `for in`, since a list of pairs for each row of a fleet would be much to clear away.
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
    if (isOther(row[name], same[name] ?? "", asItIs)) return `an object with a different ${name}`;
  }
  for (const name in alike) {
    if (isOther(row[name], alike[name] ?? "", inLowerCase)) return `an object with a different ${name}`;
  }
  for (const name in oneOf) {
    const type = oneOf[name];
    if (type && checks[type](row[name])) return undefined;
  }
  return oneOf && `an object without ${Object.keys(oneOf).join(", ")}`;
}

const asItIs = (text: string) => text;

const inLowerCase = (text: string) => text.toLowerCase();

function isOther(value: unknown, text: string, spelt: (text: string) => string): boolean {
  return (typeof value === "string" || typeof value === "number") && spelt(String(value)) !== spelt(text);
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
