import type { Node } from "web-tree-sitter";
import { isObject } from "../../../../base/json.ts";
import { unknownPart } from "../foreign.ts";
import { decodeEscapes, functions, heredocText, isBoolean, isText, listMembers, operators } from "./functions.ts";

/**
 * The value of an expression, or a description of what is unknown in it: its text as far as known, and whether it is
 * missing for certain.
 */
export type Evaluated =
  | { readonly known: unknown }
  | { readonly unknown: string; readonly text?: string; readonly missing?: true };

export interface Names {
  /**
   * Resolves the first two steps of a path, such as `local` and `site`, or a plain name with an empty second step;
   * undefined for unknown names.
   */
  readonly resolve: (first: string, second: string) => Evaluated | undefined;
  /** The depth of the current evaluation, and its remaining steps: one for each expression, member and character. */
  readonly effort: { depth: number; steps: number };
}

/** An HCL expression that can be evaluated without Terraform. */
export interface HclExpression {
  readonly run: (names: Names) => Evaluated;
  /** Its description in messages, without its content. */
  readonly words: string;
  /** The value of a literal. */
  readonly value?: unknown;
  /** A path as text, such as `local.site`. */
  readonly path?: string;
  /** The items of a list, or the values of a mapping. */
  readonly items?: readonly HclExpression[];
}

/** A longer chain of names is a cycle. */
const deepestNames = 150;

const mostSteps = 1_000_000;

/** Evaluates an expression as Terraform does, as far as the files determine it. */
export function evaluate({ run }: HclExpression, names: Names): Evaluated {
  const { effort } = names;
  if (effort.depth === 0) effort.steps = mostSteps;
  if (effort.depth > deepestNames) return { unknown: "a value that depends on itself" };
  effort.depth += 1;
  const result = effort.steps > 0 ? run(names) : tooLong;
  effort.depth -= 1;
  const value = "known" in result ? result.known : undefined;
  const isSequence = typeof value === "string" || Array.isArray(value);
  effort.steps -= 1 + (isSequence ? value.length : isObject(value) ? Object.keys(value).length : 0);
  return effort.steps > 0 ? result : tooLong;
}

const tooLong: Evaluated = { unknown: "a value that takes too long to work out" };

/** Adds names, such as `each.key`; a plain one has an empty second step. */
export function withNames(names: Names, more: Readonly<Record<string, unknown>>): Names {
  const resolve: Names["resolve"] = (first, second) => {
    const name = `${first}.${second}`;
    return Object.hasOwn(more, name) ? { known: more[name] } : names.resolve(first, second);
  };
  return { ...names, resolve };
}

/** Maximum nesting of blocks and expressions. */
export const deepest = 100;

/** Compiles a node of the tree, which may then be deleted. @throws RangeError if it is nested too deeply. */
export function compileHcl(node: Node, depth = 0): HclExpression {
  if (depth > deepest) throw new RangeError();
  const inner = (each: Node) => compileHcl(each, depth + 1);
  if (wrappers.has(node.type)) return ofParts(membersOf(node), inner);
  return readers[node.type]?.(node, inner) ?? unread();
}

const wrappers = new Set(["expression", "literal_value", "collection_value", "template_expr", "operation", "for_expr"]);

type NodeReader = (node: Node, inner: (node: Node) => HclExpression) => HclExpression;

const readers: Readonly<Record<string, NodeReader>> = {
  string_lit: (node) => constant(stringText(node)),
  numeric_lit: (node) => constant(Number(node.text)),
  bool_lit: (node) => constant(node.text === "true"),
  null_lit: () => constant(null),
  unary_operation: unary,
  binary_operation: binary,
  conditional,
  for_tuple_expr: loop,
  for_object_expr: loop,
  tuple: (node, inner) => {
    const items = listExpressions(node).map(inner);
    return { ...composed(items, (parts) => all(parts, (values) => values)), items };
  },
  object: (node, inner) => {
    const pairs = membersOf(node).flatMap((pair) => readPair(pair, inner));
    return { ...composed(pairs.flat(), toMapping), items: pairs.map(([, value]) => value) };
  },
  function_call: (node, inner) => {
    const [{ text: name } = { text: "" }, inputs] = membersOf(node);
    const given = inputs ? listExpressions(inputs) : [];
    const isSpread = given.some(({ type }) => type === "ellipsis");
    const args = given.filter(({ type }) => type !== "ellipsis").map(inner);
    return composed(args, (parts, names) => callFunction(name, parts, isSpread, names));
  },
  quoted_template: readTemplate,
  heredoc_template: (node) => {
    const isTemplate = node.namedChildren.some((part) => part && templated.has(part.type));
    return isTemplate ? unread("a text over several lines") : constant(heredocText(node.text));
  },
};

const templated: ReadonlySet<string> = new Set(["template_interpolation", "template_directive"]);

function unread(words = "an expression"): HclExpression {
  return { words, run: () => ({ unknown: words }) };
}

export function constant(value: unknown): HclExpression {
  return { words: "an expression", value, run: () => ({ known: value }) };
}

/** An expression whose value results from those of its parts. */
function composed(
  parts: readonly HclExpression[],
  combine: (parts: readonly Evaluated[], names: Names) => Evaluated,
): HclExpression {
  const run = (names: Names) => {
    const evaluated = parts.map((part) => evaluate(part, names));
    return combine(evaluated, names);
  };
  return { words: "an expression", run };
}

function all(parts: readonly Evaluated[], combine: (values: readonly unknown[]) => unknown): Evaluated {
  const unknown = parts.find((part) => "unknown" in part);
  return unknown ?? { known: combine(parts.map((part) => ("known" in part ? part.known : undefined))) };
}

/** The children of a node without comments. */
export function membersOf({ namedChildren }: Node): readonly Node[] {
  return namedChildren.filter(isMeant);
}

function isMeant(node: Node | null): node is Node {
  return node !== null && node.type !== "comment";
}

function listExpressions(node: Node): readonly Node[] {
  return membersOf(node).filter(({ type }) => !/_(?:start|end)$/.test(type));
}

/** A variable with attributes or indices is a path. */
function ofParts([first, ...others]: readonly Node[], inner: (node: Node) => HclExpression): HclExpression {
  if (first?.type !== "variable_expr") return first && others.length === 0 ? inner(first) : unread();
  const steps = others.flatMap((node) => readStep(node, inner) ?? []);
  if (steps.length < others.length) return unread();
  const { text: start } = first;
  const path = `${start}${steps.map((step) => (typeof step === "string" ? `.${step}` : "[…]")).join("")}`;
  return { path, words: path, run: (names) => followPath(start, steps, path, names) };
}

type Step = string | HclExpression;

function readStep(node: Node, inner: (node: Node) => HclExpression): Step | undefined {
  const [member] = membersOf(node);
  if (node.type === "get_attr") return member?.text;
  const [index] = node.type === "index" ? (member?.namedChildren ?? []) : [];
  return index ? inner(index) : undefined;
}

function followPath(first: string, steps: readonly Step[], text: string, names: Names): Evaluated {
  const [second] = steps;
  const bound = names.resolve(first, "");
  const named = typeof second === "string" ? names.resolve(first, second) : undefined;
  return steps.slice(bound ? 0 : 1).reduce<Evaluated>(
    (at, step) => {
      if ("unknown" in at) return at.missing ? { unknown: text, missing: true } : { unknown: text };
      const key = typeof step === "string" ? { known: step } : evaluate(step, names);
      const member = "known" in key ? findMember(at.known, key.known) : undefined;
      // All members of a mapping of the files are known.
      const isComplete = isObject(at.known) && Object.getPrototypeOf(at.known) === Object.prototype;
      return member ?? { unknown: text, ...(isComplete && "known" in key && { missing: true as const }) };
    },
    bound ?? named ?? { unknown: text },
  );
}

function findMember(value: unknown, key: unknown): Evaluated | undefined {
  if (Array.isArray(value)) return typeof key === "number" && key in value ? { known: value[key] } : undefined;
  const member = isObject(value) && Object.hasOwn(value, String(key)) ? value[String(key)] : undefined;
  return member === undefined ? undefined : { known: member };
}

function conditional(...[node, inner]: Parameters<NodeReader>): HclExpression {
  const [of, then, otherwise] = membersOf(node).map(inner);
  if (!of || !then || !otherwise) return unread();
  const run = (names: Names): Evaluated => {
    const is = evaluate(of, names);
    if ("unknown" in is) return is;
    return isBoolean(is.known) ? evaluate(is.known ? then : otherwise, names) : { unknown: "a condition" };
  };
  return { words: "an expression", run };
}

/** `!a`, or a negative number. */
function unary(...[node, inner]: Parameters<NodeReader>): HclExpression {
  const of = ofParts(membersOf(node), inner);
  if (node.text.startsWith("!")) return composed([of], (parts) => applyOperator("!", parts));
  const isNumber = typeof of.value === "number" && node.text.startsWith("-");
  return isNumber ? constant(-Number(of.value)) : unread("an operation");
}

function binary(...[node, inner]: Parameters<NodeReader>): HclExpression {
  const at = node.children.findIndex((each) => each !== null && !each.isNamed);
  const sides = [node.children.slice(0, at), node.children.slice(at + 1)];
  const operands = sides.map((side) => ofParts(side.filter(isMeant), inner));
  const operator = node.children[at]?.text ?? "";
  return composed(operands, (parts) => applyOperator(operator, parts));
}

function applyOperator(operator: string, sides: readonly Evaluated[]): Evaluated {
  const result = all(sides, (values) => operators[operator]?.(values));
  return "known" in result && result.known === undefined ? { unknown: "an operation" } : result;
}

/** `[for k, v in of : value if condition]`, or a mapping; grouping (`...`) is not supported. */
function loop(...[node, inner]: Parameters<NodeReader>): HclExpression {
  const parts = membersOf(node);
  const intro = parts.find(({ type }) => type === "for_intro")?.namedChildren.filter(isMeant) ?? [];
  const condition = parts.find(({ type }) => type === "for_cond")?.namedChildren.find(isMeant);
  const over = intro.find(({ type }) => type === "expression");
  const bound = intro.flatMap(({ type, text }) => (type === "identifier" ? text : []));
  const results = parts.filter(({ type }) => type === "expression").map(inner);
  const words = "a for expression";
  if (!over || results.length === 0 || parts.some(({ type }) => type === "ellipsis")) return unread(words);
  const [of, isWanted] = [inner(over), condition ? inner(condition) : constant(true)];
  const run = (names: Names): Evaluated => {
    const members = evaluate(of, names);
    if ("unknown" in members) return members;
    const pairs = listMembers(members.known, bound.length);
    if (!pairs) return { unknown: words };
    const values: Evaluated[] = [];
    for (const [key, value] of pairs) {
      const [second = "", first] = bound.toReversed();
      const own = withNames(names, { ...(first !== undefined && { [`${first}.`]: key }), [`${second}.`]: value });
      const isKept = evaluate(isWanted, own);
      if ("unknown" in isKept) return isKept;
      if (!isBoolean(isKept.known)) return { unknown: words };
      if (isKept.known) for (const each of results) values.push(evaluate(each, own));
    }
    return results.length === 1 ? all(values, (each) => each) : toMapping(values);
  };
  return { words: "an expression", run };
}

function readPair(pair: Node, inner: (node: Node) => HclExpression): (readonly [HclExpression, HclExpression])[] {
  const [key, of] = pair.type === "object_elem" ? membersOf(pair) : [];
  if (!key || !of) return [];
  const name = inner(key);
  const isBare = isPlainName(name) && !key.text.startsWith("(");
  return [[isBare ? constant(name.path) : name, inner(of)]];
}

/** True for a path of one step. */
export function isPlainName({ path = "" }: HclExpression): boolean {
  return path !== "" && !/[.[]/.test(path);
}

/** Keys and values in alternation. */
function toMapping(parts: readonly Evaluated[]): Evaluated {
  const isFit = parts.every((part, index) => index % 2 === 1 || "unknown" in part || isText(part.known));
  if (!isFit) return { unknown: "a mapping with another key" };
  return all(parts, (values) =>
    Object.fromEntries(values.flatMap((key, index) => (index % 2 === 0 ? [[String(key), values[index + 1]]] : []))),
  );
}

/** Literal parts are taken from the source, because the tree omits white space. `"${a.id}"` is the same as `a.id`. */
function readTemplate(...[node, inner]: Parameters<NodeReader>): HclExpression {
  const parts: HclExpression[] = [];
  const start = node.startIndex;
  let from = start + 1;
  const text = (to: number) => {
    const plain = decodeEscapes(node.text.slice(from - start, to - start));
    if (plain !== "") parts.push(plain === undefined ? unread("a text") : constant(plain));
  };
  for (const part of membersOf(node).filter(({ type }) => templated.has(type))) {
    text(part.startIndex);
    const of = part.type === "template_interpolation" && part.namedChildren.find((each) => each?.type === "expression");
    parts.push(of ? inner(of) : unread("a directive"));
    from = part.endIndex;
  }
  text(node.endIndex - 1);
  const [only] = parts;
  return only && parts.length === 1 ? only : composed(parts, toText);
}

/** A list, a mapping or null cannot be part of a text. */
function toText(parts: readonly Evaluated[]): Evaluated {
  const isFit = parts.every((part) => "unknown" in part || isText(part.known));
  if (!isFit) return { unknown: "a text with something else in it" };
  const result = all(parts, (values) => values.join(""));
  const text = parts.map((part) => ("unknown" in part ? (part.text ?? unknownPart) : part.known)).join("");
  return "unknown" in result ? { unknown: result.unknown, text } : result;
}

/** The name under which {@link Names} has the texts of files. */
export const fileName = "file()";

function callFunction(name: string, inputs: readonly Evaluated[], isSpread: boolean, names: Names): Evaluated {
  if (name === "try") return inputs.find((each) => !("unknown" in each && each.missing)) ?? { unknown: "try(…)" };
  const [first] = inputs;
  if (name === "can" && first && ("known" in first || first.missing)) return { known: "known" in first };
  if (name === "file" && first && "known" in first)
    return names.resolve(fileName, String(first.known)) ?? { unknown: `file("${first.known}")` };
  const of = Object.hasOwn(functions, name) ? functions[name] : undefined;
  const result =
    of &&
    all(inputs, (values) => {
      const last = values.at(-1);
      if (!isSpread) return of(values);
      return Array.isArray(last) ? of([...values.slice(0, -1), ...last]) : undefined;
    });
  if (result && "unknown" in result) return result;
  return result?.known === undefined ? { unknown: `${name}(…)` } : result;
}

/** The value of a quoted string without interpolation. */
export function stringText(node: Node): string {
  return decodeEscapes(node.text.slice(1, -1)) ?? "";
}
