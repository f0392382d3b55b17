import { UserError } from "../base/exit.ts";
import { memoized } from "../base/memoize.ts";
import type { AnswerShape } from "./answer-shape.ts";
import { type Endpoint, type EndpointName, endpoints, type Parameter } from "./endpoints.ts";
import { bareName } from "./owner.ts";
import { namesInPath } from "./resource-kind.ts";
import type { Call, Fields, Filled, Value } from "./types.ts";
import { isScalar } from "./values.ts";

/** A path's literal text and its segment names, in alternation: `id`, a field, or `row.id` for a field of the live row. */
const partsOf = memoized((path: string): readonly string[] =>
  path.split(/:((?:row\.)?\w+)/).map((part, index) => (index % 2 ? part : part.replace(/[[\]]/g, encodeURIComponent))),
);

/** Thrown for a name that cannot be part of an API path. */
export class NamesNothing extends UserError {}

/**
 * The call of an endpoint, with its path filled in from the `given` segments and URL-encoded; `id` is the name of a project
 * or a group. @throws RangeError if `given` lacks a name of the path, which is an internal error; NamesNothing for a segment that
 * would resolve to another path.
 */
export function call(of: EndpointName | Endpoint, given: Readonly<Record<string, string>>, parameters?: Fields): Call {
  const endpoint = typeof of === "string" ? endpoints[of] : of;
  const segments = given.id?.endsWith("/") ? { ...given, id: bareName(given.id) } : given;
  const { method, path, body, list, answer, query, uncounted, parameters: table } = endpoint;
  const asked = query ? { ...query, ...parameters } : parameters;
  let filled = "";
  let isSegment = false;
  for (const part of partsOf(path)) {
    filled += isSegment ? encodeSegment(endpoint, segments, part) : part;
    isSegment = !isSegment;
  }
  if (filled.includes(".") && isResolved(filled)) throw new NamesNothing(describeInvalidName(filled));
  const older = asked && table ? legacyValues(asked, table) : undefined;
  const made: Filled<Call> = { method, path: filled, answer: fillAnswer(answer, segments, parameters) };
  if (asked) made.parameters = asked;
  if (body) made.body = body;
  if (list) made.list = list;
  if (uncounted) made.uncounted = uncounted;
  if (older) made.older = older;
  return made;
}

function encodeSegment({ method, path }: Endpoint, segments: Readonly<Record<string, string>>, part: string): string {
  const value = segments[part];
  if (value === undefined) throw new RangeError(`${method} ${path} needs ${part}`);
  if (/^[/\\]*$/.test(value) || !value.isWellFormed()) throw new NamesNothing(describeInvalidName(value));
  return encodeURIComponent(value);
}

/** True if URL parsers or servers, some of which decode `%2f` too, would resolve a path to another one. */
function isResolved(path: string): boolean {
  const [segments = ""] = path.split("?");
  try {
    return decodeURIComponent(segments)
      .split(/[/\\]/)
      .some((part) => /^\.\.?(?:;|$)/.test(part));
  } catch {
    return true;
  }
}

export function segmentsIn({ path }: Endpoint, filled: string): Readonly<Record<string, string>> | undefined {
  const parts = partsOf(path);
  const patterns = parts.map((part, index) => (index % 2 ? "([^/?&]*)" : part.replace(special, "\\$&")));
  const found = new RegExp(`^${patterns.join("")}$`).exec(filled);
  if (!found) return undefined;
  const [, ...values] = found;
  return Object.fromEntries(values.map((value, index) => [parts[index * 2 + 1] ?? "", decodeURIComponent(value)]));
}

const special = /[.*+?^${}()|[\]\\]/g;

function legacyValues(given: Fields, table: Readonly<Record<string, Parameter>>): Call["older"] {
  const words = Object.entries(given).flatMap(([name, value]) => {
    const older = table[name]?.older?.[String(value)];
    return older === undefined ? [] : [[name, older] as const];
  });
  return words.length > 0 ? Object.fromEntries(words) : undefined;
}

function describeInvalidName(value: string): string {
  return `${JSON.stringify(value)} names nothing on the server: no part of a path is . or .., none is empty or has slashes alone, and none has an unpaired surrogate`;
}

function fillAnswer(answer: AnswerShape, segments: Fields, parameters: Fields | undefined): AnswerShape {
  const { same, alike, fields = {} } = answer;
  if (!same && !alike) return answer;
  const given = (name: string) => segments[name] ?? parameters?.[name];
  const expected = { ...answer };
  if (same) expected.same = fillNames(same, given, fields);
  if (alike) expected.alike = fillNames(alike, given, fields);
  return expected;
}

/** Replaces `:name` with the segment of that name; omitted if the field is a number and the segment is a name. */
function fillNames(
  names: Readonly<Record<string, string>>,
  given: (name: string) => Value | undefined,
  fields: NonNullable<AnswerShape["fields"]>,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const field in names) {
    const value = given(names[field]?.slice(1) ?? "");
    if (typeof value === "string" && (fields[field] !== "number" || /^\d+$/.test(value))) filled[field] = value;
  }
  return filled;
}

/**
 * Values for the path of a call: `id`, fields, and `row.FIELD` from the row as read. @throws NamesNothing if one is
 * missing, because a row lacks the field or no policy declares it.
 */
export function pathValues(
  { method, path }: Endpoint,
  read: (name: string) => unknown,
): Readonly<Record<string, string>> {
  const values = namesInPath(path).map((name) => {
    const value = read(name);
    if (isScalar(value) && value !== null) return [name, String(value)] as const;
    const lack = name.startsWith("row.") ? `the server's answer has no ${name.slice(4)}` : `no ${name} is declared`;
    throw new NamesNothing(`${lack}, which ${method} ${path} needs`);
  });
  return Object.fromEntries(values);
}
