import { isObject } from "../../../../base/json.ts";
import { aliasFault } from "../../../../manifest/document.ts";
import { parseYaml } from "../../../../manifest/yaml.ts";
import { type IdOf, isIdOf, unknownPart } from "../foreign.ts";
import type { HclExpression } from "./hcl.ts";

/**
 * The value of an expression, or a description of what is unknown in it: its text as far as known, and whether it is
 * missing for certain.
 */
export type Evaluated =
  | { readonly known: unknown }
  | { readonly unknown: string; readonly text?: string; readonly missing?: true };

/**
 * Resolves the first two steps of a path, such as `local` and `site`, or a plain name with an empty second step;
 * undefined for unknown names.
 */
export type Names = (first: string, second: string, effort: Effort) => Evaluated | undefined;

/** The depth of an evaluation, and its remaining steps: one for each expression, member and character. */
export interface Effort {
  readonly depth: number;
  readonly left: { steps: number };
}

/** A longer chain of names is a cycle. */
const deepest = 50;

const mostSteps = 1_000_000;

/** Evaluates an expression as Terraform does, as far as the files determine it. */
export function evaluate(
  expression: HclExpression,
  names: Names,
  { depth, left }: Effort = { depth: 0, left: { steps: mostSteps } },
): Evaluated {
  if (depth > deepest) return { unknown: "a value that depends on itself" };
  const result = left.steps > 0 ? evaluateExpression(expression, names, { depth: depth + 1, left }) : tooLong;
  left.steps -= 1 + ("known" in result ? measure(result.known) : 0);
  return left.steps > 0 ? result : tooLong;
}

const tooLong: Evaluated = { unknown: "a value that takes too long to work out" };

function measure(value: unknown): number {
  if (typeof value === "string" || Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}

function evaluateExpression(expression: HclExpression, names: Names, within: Effort): Evaluated {
  const inner = (each: HclExpression) => evaluate(each, names, within);
  switch (expression.form) {
    case "value":
      return { known: expression.value };
    case "template":
      return template(expression.parts.map(inner));
    case "list":
      return all(expression.items.map(inner), (items) => items);
    case "mapping":
      return mapping(expression.pairs.flatMap((pair) => pair.map(inner)));
    case "call":
      return callFunction(expression, expression.inputs.map(inner), names, within);
    case "path":
      return followPath(expression, names, within);
    case "condition":
      return chosen(inner(expression.of), expression.results, inner);
    case "operation":
      return applyOperator(expression.operator, expression.sides.map(inner));
    case "for":
      return runLoop(expression, names, within);
    default:
      return { unknown: expression.words };
  }
}

function all(parts: readonly Evaluated[], combine: (values: readonly unknown[]) => unknown): Evaluated {
  const unknown = parts.find((part) => "unknown" in part);
  if (unknown) return unknown;
  return { known: combine(parts.map((part) => ("known" in part ? part.known : undefined))) };
}

/** A list, a mapping or null cannot be part of a text. */
function template(parts: readonly Evaluated[]): Evaluated {
  const isFit = parts.every((part) => "unknown" in part || isText(part.known));
  if (!isFit) return { unknown: "a text with something else in it" };
  const result = all(parts, (values) => values.join(""));
  const text = parts.map((part) => ("unknown" in part ? (part.text ?? unknownPart) : part.known)).join("");
  return "unknown" in result ? { unknown: result.unknown, text } : result;
}

/** Keys and values in alternation. */
function mapping(parts: readonly Evaluated[]): Evaluated {
  const isFit = parts.every((part, index) => index % 2 === 1 || "unknown" in part || isText(part.known));
  return isFit ? all(parts, toMapping) : { unknown: "a mapping with another key" };
}

function toMapping(values: readonly unknown[]): unknown {
  const pairs = values.flatMap((key, index) => (index % 2 === 0 ? [[String(key), values[index + 1]] as const] : []));
  return Object.fromEntries(pairs);
}

function chosen(
  of: Evaluated,
  [then, otherwise]: readonly [HclExpression, HclExpression],
  inner: (each: HclExpression) => Evaluated,
): Evaluated {
  if ("unknown" in of) return of;
  return typeof of.known === "boolean" ? inner(of.known ? then : otherwise) : { unknown: "a condition" };
}

const operators: Readonly<Record<string, (sides: readonly unknown[]) => unknown>> = {
  "!": ([of]) => (typeof of === "boolean" ? !of : undefined),
  "&&": (sides) => (sides.every(isBoolean) ? sides.every(Boolean) : undefined),
  "||": (sides) => (sides.every(isBoolean) ? sides.some(Boolean) : undefined),
  "==": (sides) => equality(sides),
  "!=": (sides) => {
    const same = equality(sides);
    return same === undefined ? undefined : !same;
  },
  ">": comparing((a, b) => a > b),
  "<": comparing((a, b) => a < b),
  ">=": comparing((a, b) => a >= b),
  "<=": comparing((a, b) => a <= b),
};

function comparing(compare: (a: number, b: number) => boolean) {
  return ([a, b]: readonly unknown[]) => (typeof a === "number" && typeof b === "number" ? compare(a, b) : undefined);
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** Defined for scalars of one type, and if either side is null; an ID is not empty. */
function equality([a, b]: readonly unknown[]): boolean | undefined {
  if (a === null || b === null) return a === b;
  if ((isIdOf(a) && b === "") || (isIdOf(b) && a === "")) return false;
  return isText(a) && typeof a === typeof b ? a === b : undefined;
}

function applyOperator(operator: string, sides: readonly Evaluated[]): Evaluated {
  const result = all(sides, (values) => operators[operator]?.(values));
  return "known" in result && result.known === undefined ? { unknown: "an operation" } : result;
}

type Loop = Extract<HclExpression, { readonly form: "for" }>;

function runLoop({ of, bound, results, condition }: Loop, names: Names, within: Effort): Evaluated {
  const over = evaluate(of, names, within);
  if ("unknown" in over) return over;
  const members = listMembers(over.known, bound.length);
  if (!members) return { unknown: "a for expression" };
  const values: Evaluated[] = [];
  for (const [key, value] of members) {
    const [second = "", first] = bound.toReversed();
    const own = withNames(names, { ...(first !== undefined && { [`${first}.`]: key }), [`${second}.`]: value });
    const isKept = condition ? evaluate(condition, own, within) : { known: true };
    if ("unknown" in isKept) return isKept;
    if (!isBoolean(isKept.known)) return { unknown: "a for expression" };
    if (!isKept.known) continue;
    for (const each of results) values.push(evaluate(each, own, within));
  }
  return results.length === 1 ? all(values, (each) => each) : mapping(values);
}

/**
 * The keys and values of a mapping in Terraform's order, by key. The keys of a list are its indices, those of a set
 * its values.
 */
function listMembers(value: unknown, names: number): readonly (readonly [key: unknown, value: unknown])[] | undefined {
  if (Array.isArray(value)) return names === 1 ? value.map((each) => [undefined, each]) : undefined;
  if (!isObject(value)) return undefined;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Adds names, such as `each.key`; a plain one has an empty second step. */
export function withNames(names: Names, more: Readonly<Record<string, unknown>>): Names {
  return (first, second, effort) => {
    const name = `${first}.${second}`;
    return Object.hasOwn(more, name) ? { known: more[name] } : names(first, second, effort);
  };
}

type Path = Extract<HclExpression, { readonly form: "path" }>;

function followPath({ steps, text }: Path, names: Names, within: Effort): Evaluated {
  const [first, second] = steps;
  const bound = typeof first === "string" ? names(first, "", within) : undefined;
  const named = typeof first === "string" && typeof second === "string" ? names(first, second, within) : undefined;
  return steps.slice(bound ? 1 : 2).reduce<Evaluated>(
    (at, step) => {
      if ("unknown" in at) return at.missing ? { unknown: text, missing: true } : { unknown: text };
      const key = typeof step === "string" ? { known: step } : evaluate(step, names, within);
      const member = "known" in key ? findMember(at.known, key.known) : undefined;
      return member ?? { unknown: text, ...(isComplete(at.known) && "known" in key && { missing: true as const }) };
    },
    bound ?? named ?? { unknown: text },
  );
}

function findMember(value: unknown, key: unknown): Evaluated | undefined {
  if (Array.isArray(value)) return typeof key === "number" && key in value ? { known: value[key] } : undefined;
  const member = isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
  return member === undefined ? undefined : { known: member };
}

/** True for a mapping of the files, all of whose members are known. */
function isComplete(value: unknown): boolean {
  return isObject(value) && Object.getPrototypeOf(value) === Object.prototype;
}

type Call = Extract<HclExpression, { readonly form: "call" }>;

/** The name under which {@link Names} has the texts of files. */
export const fileName = "file()";

function callFunction({ name, isSpread }: Call, inputs: readonly Evaluated[], names: Names, within: Effort): Evaluated {
  if (name === "try") return inputs.find((each) => !("unknown" in each && each.missing)) ?? { unknown: "try(…)" };
  const [first] = inputs;
  if (name === "can" && first && ("known" in first || first.missing)) return { known: "known" in first };
  if (name === "file" && first && "known" in first)
    return names(fileName, String(first.known), within) ?? { unknown: `file("${first.known}")` };
  const of = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const result = of && all(inputs, (values) => applyFunction(of, values, isSpread));
  if (result && "unknown" in result) return result;
  return result?.known === undefined ? { unknown: `${name}(…)` } : result;
}

function applyFunction(
  of: (inputs: readonly unknown[]) => unknown,
  values: readonly unknown[],
  isSpread: boolean,
): unknown {
  if (!isSpread) return of(values);
  const last = values.at(-1);
  return Array.isArray(last) ? of([...values.slice(0, -1), ...last]) : undefined;
}

/** True if a value can be part of a text. */
function isText(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Pure functions of Terraform; they return undefined for unsupported arguments. */
const functions: Readonly<Record<string, (inputs: readonly unknown[]) => unknown>> = {
  toset: ([of]) => distinct(of)?.toSorted((a, b) => (a < b ? -1 : 1)),
  tolist: ([of]) => of,
  tomap: ([of]) => of,
  yamldecode: ([of]) => decodeYaml(of),
  jsondecode: ([of]) => decodeYaml(of),
  tostring: ([of]) => (isText(of) ? String(of) : isIdOf(of) ? of : undefined),
  tonumber: ([of]) => (isIdOf(of) || typeof of === "number" ? of : toNumber(of)),
  nonsensitive: ([of]) => of,
  lower: ([of]) => (typeof of === "string" ? of.toLowerCase() : undefined),
  upper: ([of]) => (typeof of === "string" ? of.toUpperCase() : undefined),
  trimspace: ([of]) => (typeof of === "string" ? of.trim() : undefined),
  concat: (lists) => (lists.every(Array.isArray) ? lists.flat() : undefined),
  merge: (maps) => (maps.every(isObject) ? Object.assign({}, ...maps) : undefined),
  join: ([between, list]) =>
    typeof between === "string" && Array.isArray(list) && list.every(isText) ? list.join(between) : undefined,
  split: ([between, text]) =>
    typeof between === "string" && typeof text === "string" ? text.split(between) : undefined,
  length: ([of]) => (Array.isArray(of) ? of.length : isObject(of) ? Object.keys(of).length : undefined),
  keys: ([of]) => (isObject(of) ? Object.keys(of).sort() : undefined),
  values: ([of]) => listMembers(of, 2)?.map(([, value]) => value),
  flatten: ([of]) => (Array.isArray(of) ? of.flat(Number.POSITIVE_INFINITY) : undefined),
  distinct: ([of]) => distinct(of),
  compact: ([of]) => (Array.isArray(of) ? of.filter((each) => each !== null && each !== "") : undefined),
  contains: ([of, value]) => (Array.isArray(of) && isText(value) ? of.includes(value) : undefined),
  coalesce: (values) => values.find((each) => each !== null && each !== ""),
  replace: ([text, old, by]) =>
    typeof text === "string" && typeof old === "string" && typeof by === "string" && !/^\/.*\/$/.test(old)
      ? text.replaceAll(old, () => by)
      : undefined,
  format: ([pattern, ...values]) =>
    typeof pattern === "string" && values.every(isText) && !/%[^sd]/.test(pattern)
      ? values.reduce<string>((text, value) => text.replace(/%[sd]/, () => String(value)), pattern)
      : undefined,
  lookup: ([of, key, fallback]) => {
    if (!isObject(of)) return undefined;
    return Object.hasOwn(of, String(key)) ? of[String(key)] : fallback;
  },
};

/** The value of a document; JSON is YAML too. */
function decodeYaml(text: unknown): unknown {
  const parsed = typeof text === "string" ? parseYaml(text) : undefined;
  if (!parsed || !("values" in parsed) || parsed.values.length !== 1) return undefined;
  const [value] = parsed.values;
  return aliasFault(value) ? undefined : value;
}

/** Removes duplicates from a list of scalars; undefined for any other value. */
function distinct(of: unknown): readonly (string | number | boolean | IdOf)[] | undefined {
  return Array.isArray(of) && of.every((each) => isText(each) || isIdOf(each)) ? [...new Set(of)] : undefined;
}

function toNumber(of: unknown): number | undefined {
  return typeof of === "string" && /^-?\d+(?:\.\d+)?$/.test(of) ? Number(of) : undefined;
}
