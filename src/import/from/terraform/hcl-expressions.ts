import type { Node } from "web-tree-sitter";
import type { HclExpression } from "./syntax.ts";
import { heredocText, unescaped } from "./syntax.ts";

/** Blocks and expressions within each other. */
export const deepest = 100;

/** Whether a node is none of the comments. */
export function isMeant(node: Node | null): node is Node {
  return node !== null && node.type !== "comment";
}

/** The value of a quoted string without interpolation. */
export function stringText(node: Node): string {
  return unescaped(node.text.slice(1, -1)) ?? "";
}

type NodeReader = (node: Node, depth: number) => HclExpression;

const wrapped: NodeReader = (node, depth) => ofParts(node.namedChildren.filter(isMeant), depth);

const readers: Readonly<Record<string, NodeReader>> = {
  expression: wrapped,
  literal_value: wrapped,
  collection_value: wrapped,
  template_expr: wrapped,
  operation: wrapped,
  string_lit: (node) => value(stringText(node)),
  numeric_lit: (node) => value(Number(node.text)),
  bool_lit: (node) => value(node.text === "true"),
  null_lit: () => value(null),
  unary_operation: unary,
  binary_operation: binary,
  conditional: (node, depth) => {
    const [of, then, otherwise] = node.namedChildren.filter(isMeant).map((each) => hclExpression(each, depth + 1));
    return of && then && otherwise ? { form: "condition", of, results: [then, otherwise] } : unread(node);
  },
  for_expr: wrapped,
  for_tuple_expr: loop,
  for_object_expr: loop,
  tuple: (node, depth) => ({
    form: "list",
    items: expressionsIn(node).map((item) => hclExpression(item, depth + 1)),
  }),
  object: (node, depth) => ({
    form: "mapping",
    pairs: node.namedChildren.filter(isMeant).flatMap((pair) => pairOf(pair, depth)),
  }),
  function_call: (node, depth) => {
    const [name, inputs] = node.namedChildren.filter(isMeant);
    const given = inputs ? expressionsIn(inputs).filter(({ type }) => type !== "ellipsis") : [];
    const isSpread = inputs?.namedChildren.some((each) => each?.type === "ellipsis") ?? false;
    return {
      form: "call",
      name: name?.text ?? "",
      inputs: given.map((each) => hclExpression(each, depth + 1)),
      isSpread,
    };
  },
  quoted_template: templateOf,
  heredoc_template: (node) => {
    const text = node.namedChildren.some((part) => part && templated.has(part.type))
      ? undefined
      : heredocText(node.text);
    return text === undefined ? { form: "other", words: "a text over several lines" } : value(text);
  },
};

const templated: ReadonlySet<string> = new Set(["template_interpolation", "template_directive"]);

/** What messages call expressions that are not evaluated. */
const words: Readonly<Record<string, string>> = {
  for_tuple_expr: "a for expression",
  for_object_expr: "a for expression",
  unary_operation: "an operation",
};

function unread({ type }: Node): HclExpression {
  return { form: "other", words: words[type] ?? "an expression" };
}

function value(each: string | number | boolean | null): HclExpression {
  return { form: "value", value: each };
}

/** An expression of the tree. @throws RangeError where it is nested too deep. */
export function hclExpression(node: Node, depth: number): HclExpression {
  if (depth > deepest) throw new RangeError();
  return readers[node.type]?.(node, depth + 1) ?? unread(node);
}

/** A variable with attributes or indices is a path. */
function ofParts(parts: readonly Node[], depth: number): HclExpression {
  const [first, ...others] = parts;
  if (first?.type === "variable_expr") return pathOf(first, others, depth);
  if (first && others.length === 0) return hclExpression(first, depth);
  return { form: "other", words: "an expression" };
}

function pathOf(first: Node, others: readonly Node[], depth: number): HclExpression {
  const steps = others.map((each) => stepOf(each, depth));
  if (steps.includes(undefined)) return { form: "other", words: "an expression" };
  const known = steps.filter((step) => step !== undefined);
  const names = known.map((step) => (typeof step === "string" ? `.${step}` : "[…]"));
  return { form: "path", steps: [first.text, ...known], text: `${first.text}${names.join("")}` };
}

function stepOf(node: Node, depth: number): string | HclExpression | undefined {
  if (node.type === "get_attr") return node.namedChildren.find(isMeant)?.text;
  const [index] = node.type === "index" ? (node.namedChildren.find(isMeant)?.namedChildren ?? []) : [];
  return index ? hclExpression(index, depth + 1) : undefined;
}

/** `!a`, or a negative number. */
function unary(node: Node, depth: number): HclExpression {
  const inner = ofParts(node.namedChildren.filter(isMeant), depth + 1);
  if (node.text.startsWith("!")) return { form: "operation", operator: "!", sides: [inner] };
  const isNumber = inner.form === "value" && typeof inner.value === "number" && node.text.startsWith("-");
  return isNumber ? value(-Number(inner.value)) : unread(node);
}

function binary(node: Node, depth: number): HclExpression {
  const at = node.children.findIndex((each) => each !== null && !each.isNamed);
  const sides = [node.children.slice(0, at), node.children.slice(at + 1)];
  const [left, right] = sides.map((side) => ofParts(side.filter(isMeant), depth + 1));
  const operator = node.children[at]?.text ?? "";
  return left && right ? { form: "operation", operator, sides: [left, right] } : unread(node);
}

/** `[for k, v in of : value if condition]`, and the same of pairs; not one that groups values by key. */
function loop(node: Node, depth: number): HclExpression {
  const parts = node.namedChildren.filter(isMeant);
  const intro = parts.find(({ type }) => type === "for_intro")?.namedChildren.filter(isMeant) ?? [];
  const condition = parts.find(({ type }) => type === "for_cond")?.namedChildren.find(isMeant);
  const bound = intro.filter(({ type }) => type === "identifier").map(({ text }) => text);
  const of = intro.find(({ type }) => type === "expression");
  const results = parts.filter(({ type }) => type === "expression").map((each) => hclExpression(each, depth + 1));
  if (!of || results.length === 0 || parts.some(({ type }) => type === "ellipsis")) return unread(node);
  return {
    form: "for",
    bound,
    of: hclExpression(of, depth + 1),
    results,
    ...(condition && { condition: hclExpression(condition, depth + 1) }),
  };
}

function expressionsIn(node: Node): readonly Node[] {
  return node.namedChildren.filter(isMeant).filter(({ type }) => !/_(?:start|end)$/.test(type));
}

function pairOf(pair: Node, depth: number): (readonly [HclExpression, HclExpression])[] {
  const [key, of] = pair.type === "object_elem" ? pair.namedChildren.filter(isMeant) : [];
  if (!key || !of) return [];
  const name = hclExpression(key, depth + 1);
  const isBare = name.form === "path" && name.steps.length === 1 && !key.text.startsWith("(");
  return [[isBare ? value(name.text) : name, hclExpression(of, depth + 1)]];
}

/** Literal parts are taken from the source, because the tree omits white space. `"${a.id}"` is the same as `a.id`. */
function templateOf(node: Node, depth: number): HclExpression {
  const parts: HclExpression[] = [];
  const start = node.startIndex;
  let from = start + 1;
  const text = (to: number) => {
    const plain = unescaped(node.text.slice(from - start, to - start));
    if (plain !== "") parts.push(plain === undefined ? { form: "other", words: "a text" } : value(plain));
  };
  for (const part of node.namedChildren.filter(isMeant).filter(({ type }) => templated.has(type))) {
    text(part.startIndex);
    const inner =
      part.type === "template_interpolation" && part.namedChildren.find((each) => each?.type === "expression");
    parts.push(inner ? hclExpression(inner, depth + 1) : { form: "other", words: "a directive" });
    from = part.endIndex;
  }
  text(node.endIndex - 1);
  const [only] = parts;
  return only && parts.length === 1 ? only : { form: "template", parts };
}
