import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";
import { UserError } from "../../../base/exit.ts";
import { systemCode } from "../../../base/system-errors.ts";
import type { Place, Problem } from "../../../model/types.ts";
import { type ForeignFile, unusable } from "../foreign.ts";
import type { HclAttribute, HclBlock, HclExpression } from "./syntax.ts";
import { heredocText, unescaped } from "./syntax.ts";

/** Parses an HCL file, or returns its first error. */
export type HclReader = (file: ForeignFile) => HclBlock | Problem;

/** Loads the optional packages. @throws UserError where they are not installed. */
export async function hclReader(): Promise<HclReader> {
  const parser = await hclParser();
  return (file) => {
    const tree = parser.parse(file.text);
    try {
      return tree ? blockIn(tree.rootNode, file) : unusable(undefined, `${file.name} cannot be parsed`);
    } finally {
      tree?.delete();
    }
  };
}

const packages = ["web-tree-sitter", "@tree-sitter-grammars/tree-sitter-hcl"] as const;

async function hclParser(): Promise<Parser> {
  try {
    const { Language, Parser } = await import("web-tree-sitter");
    const grammar = createRequire(import.meta.url).resolve(`${packages[1]}/tree-sitter-terraform.wasm`);
    await Parser.init();
    return new Parser().setLanguage(await Language.load(await readFile(grammar)));
  } catch (error) {
    if (!["ERR_MODULE_NOT_FOUND", "MODULE_NOT_FOUND"].includes(systemCode(error) ?? "")) throw error;
    const words = "reading Terraform's language needs packages that are not installed";
    throw new UserError(`${words}: npm install ${packages.join(" ")}; or import what terraform show -json prints`);
  }
}

const deepest = 100;

function blockIn(root: Node, file: ForeignFile): HclBlock | Problem {
  const fault = root.hasError ? faultIn(root) : undefined;
  if (fault) return unusable(placeOf(fault, file), "expected Terraform's language; this cannot be parsed");
  try {
    const bodies = root.namedChildren.filter((child) => child?.type === "body");
    return { type: "", labels: [], ...contentOf(bodies, file, 0), place: placeOf(root, file) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unusable(placeOf(root, file), `nested more than ${deepest} levels deep`);
  }
}

function faultIn(root: Node): Node {
  let at = root;
  for (;;) {
    const next = at.children.find((child) => child?.hasError || child?.isMissing);
    if (!next || at.isError) return at;
    at = next;
  }
}

function placeOf({ startPosition: { row, column } }: Node, { name }: ForeignFile): Place {
  return { file: name, line: row + 1, column: column + 1 };
}

function contentOf(
  bodies: readonly (Node | null)[],
  file: ForeignFile,
  depth: number,
): Pick<HclBlock, "attributes" | "blocks"> {
  if (depth > deepest) throw new RangeError();
  const attributes = new Map<string, HclAttribute>();
  const blocks: HclBlock[] = [];
  for (const node of bodies.flatMap((body) => body?.namedChildren ?? [])) {
    if (node?.type === "block") blocks.push(blockOf(node, file, depth));
    const [name, value] = node?.type === "attribute" ? node.namedChildren.filter(isMeant) : [];
    if (node && name && value) attributes.set(name.text, { value: expressionOf(value, 0), place: placeOf(node, file) });
  }
  return { attributes, blocks };
}

function blockOf(node: Node, file: ForeignFile, depth: number): HclBlock {
  const parts = node.namedChildren.filter(isMeant);
  const [type = "", ...labels] = parts
    .filter((part) => part.type === "identifier" || part.type === "string_lit")
    .map((part) => (part.type === "identifier" ? part.text : textIn(part)));
  const bodies = parts.filter((part) => part.type === "body");
  return { type, labels, ...contentOf(bodies, file, depth + 1), place: placeOf(node, file) };
}

function isMeant(node: Node | null): node is Node {
  return node !== null && node.type !== "comment";
}

/** The value of a quoted string without interpolation. */
function textIn(node: Node): string {
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
  string_lit: (node) => value(textIn(node)),
  numeric_lit: (node) => value(Number(node.text)),
  bool_lit: (node) => value(node.text === "true"),
  null_lit: () => value(null),
  unary_operation: negative,
  tuple: (node, depth) => ({
    form: "list",
    items: expressionsIn(node).map((item) => expressionOf(item, depth + 1)),
  }),
  object: (node, depth) => ({
    form: "mapping",
    pairs: node.namedChildren.filter(isMeant).flatMap((pair) => pairOf(pair, depth)),
  }),
  function_call: (node, depth) => {
    const [name, inputs] = node.namedChildren.filter(isMeant);
    const given = inputs ? expressionsIn(inputs).map((input) => expressionOf(input, depth + 1)) : [];
    return { form: "call", name: name?.text ?? "", inputs: given };
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
  conditional: "a condition",
  for_expr: "a for expression",
  for_tuple_expr: "a for expression",
  for_object_expr: "a for expression",
  binary_operation: "an operation",
  unary_operation: "an operation",
  splat: "a splat expression",
};

function wordsOf({ type }: Node): string {
  return words[type] ?? "an expression";
}

function value(each: string | number | boolean | null): HclExpression {
  return { form: "value", value: each };
}

function expressionOf(node: Node, depth: number): HclExpression {
  if (depth > deepest) throw new RangeError();
  return readers[node.type]?.(node, depth + 1) ?? { form: "other", words: wordsOf(node) };
}

/** A variable with attributes or indices is a path. */
function ofParts(parts: readonly Node[], depth: number): HclExpression {
  const [first, ...others] = parts;
  if (first?.type === "variable_expr") return pathOf(first, others, depth);
  if (first && others.length === 0) return expressionOf(first, depth);
  const told = parts.find(({ type }) => Object.hasOwn(words, type));
  return { form: "other", words: told ? wordsOf(told) : "an expression" };
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
  return index ? expressionOf(index, depth + 1) : undefined;
}

function negative(node: Node, depth: number): HclExpression {
  const [of] = node.namedChildren.filter(isMeant);
  const inner = of ? expressionOf(of, depth + 1) : undefined;
  const isNumber = inner?.form === "value" && typeof inner.value === "number" && node.text.startsWith("-");
  return isNumber ? value(-Number(inner.value)) : { form: "other", words: "an expression" };
}

function expressionsIn(node: Node): readonly Node[] {
  return node.namedChildren.filter(isMeant).filter(({ type }) => !/_(?:start|end)$/.test(type));
}

function pairOf(pair: Node, depth: number): (readonly [HclExpression, HclExpression])[] {
  const [key, of] = pair.type === "object_elem" ? pair.namedChildren.filter(isMeant) : [];
  if (!key || !of) return [];
  const name = expressionOf(key, depth + 1);
  const isBare = name.form === "path" && name.steps.length === 1 && !key.text.startsWith("(");
  return [[isBare ? value(name.text) : name, expressionOf(of, depth + 1)]];
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
    parts.push(inner ? expressionOf(inner, depth + 1) : { form: "other", words: "a directive" });
    from = part.endIndex;
  }
  text(node.endIndex - 1);
  const [only] = parts;
  return only && parts.length === 1 ? only : { form: "template", parts };
}
