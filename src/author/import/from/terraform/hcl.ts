import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";
import { UserError } from "../../../../base/exit.ts";
import { isObject } from "../../../../base/json.ts";
import { systemCode } from "../../../../base/system-errors.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { isScalar } from "../../../../model/values.ts";
import { type ForeignFile, unusable } from "../foreign.ts";

/** Parses an HCL file, or returns its first error. */
export type HclReader = (file: ForeignFile) => HclBlock | Problem;

/** Loads the optional packages. @throws UserError if they are not installed. */
export async function hclReader(): Promise<HclReader> {
  const parser = await hclParser();
  return (file) => {
    const tree = parser.parse(file.text);
    try {
      return tree ? parseBlock(tree.rootNode, file) : unusable(undefined, `${file.name} cannot be parsed`);
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

function parseBlock(root: Node, file: ForeignFile): HclBlock | Problem {
  const fault = root.hasError ? findFault(root) : undefined;
  if (fault) return unusable(toPlace(fault, file), "expected Terraform's language; this cannot be parsed");
  try {
    const bodies = root.namedChildren.filter((child) => child?.type === "body");
    return { type: "", labels: [], ...readContent(bodies, file, 0), place: toPlace(root, file) };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return unusable(toPlace(root, file), `nested more than ${deepest} levels deep`);
  }
}

function findFault(root: Node): Node {
  let at = root;
  for (;;) {
    const next = at.children.find((child) => child?.hasError || child?.isMissing);
    if (!next || at.isError) return at;
    at = next;
  }
}

function toPlace({ startPosition: { row, column } }: Node, { name }: ForeignFile): Place {
  return { file: name, line: row + 1, column: column + 1 };
}

function readContent(
  bodies: readonly (Node | null)[],
  file: ForeignFile,
  depth: number,
): Pick<HclBlock, "attributes" | "blocks"> {
  if (depth > deepest) throw new RangeError();
  const attributes = new Map<string, HclAttribute>();
  const blocks: HclBlock[] = [];
  for (const node of bodies.flatMap((body) => body?.namedChildren ?? [])) {
    if (node?.type === "block") blocks.push(readBlock(node, file, depth));
    const [name, value] = node?.type === "attribute" ? membersOf(node) : [];
    if (node && name && value)
      attributes.set(name.text, { value: hclExpression(value, 0), place: toPlace(node, file) });
  }
  return { attributes, blocks };
}

function readBlock(node: Node, file: ForeignFile, depth: number): HclBlock {
  const parts = membersOf(node);
  const [type = "", ...labels] = parts
    .filter((part) => part.type === "identifier" || part.type === "string_lit")
    .map((part) => (part.type === "identifier" ? part.text : stringText(part)));
  const bodies = parts.filter((part) => part.type === "body");
  return { type, labels, ...readContent(bodies, file, depth + 1), place: toPlace(node, file) };
}

/** An HCL expression that can be evaluated without Terraform. */
export type HclExpression =
  | { readonly form: "value"; readonly value: string | number | boolean | null }
  | { readonly form: "template"; readonly parts: readonly HclExpression[] }
  | { readonly form: "list"; readonly items: readonly HclExpression[] }
  | { readonly form: "mapping"; readonly pairs: readonly (readonly [key: HclExpression, value: HclExpression])[] }
  | { readonly form: "path"; readonly steps: readonly (string | HclExpression)[]; readonly text: string }
  /** `isSpread`: the last input is a list of further inputs. */
  | {
      readonly form: "call";
      readonly name: string;
      readonly inputs: readonly HclExpression[];
      readonly isSpread: boolean;
    }
  | {
      readonly form: "condition";
      readonly of: HclExpression;
      readonly results: readonly [then: HclExpression, otherwise: HclExpression];
    }
  | { readonly form: "operation"; readonly operator: string; readonly sides: readonly HclExpression[] }
  /** `bound`: names of the value, or of key and value. `results`: a value, or a key and a value. */
  | {
      readonly form: "for";
      readonly bound: readonly string[];
      readonly of: HclExpression;
      readonly results: readonly HclExpression[];
      readonly condition?: HclExpression;
    }
  /** An unsupported expression, described without its content. */
  | { readonly form: "other"; readonly words: string };

export interface HclAttribute {
  readonly value: HclExpression;
  readonly place: Place;
}

/** `resource "type" "name" { … }`, or a whole file, without type and labels. */
export interface HclBlock {
  readonly type: string;
  readonly labels: readonly string[];
  readonly attributes: ReadonlyMap<string, HclAttribute>;
  readonly blocks: readonly HclBlock[];
  readonly place: Place;
}

/** A value of JSON as an expression. */
export function hclLiteral(value: unknown): HclExpression {
  if (Array.isArray(value)) return { form: "list", items: value.map(hclLiteral) };
  if (isObject(value))
    return {
      form: "mapping",
      pairs: Object.entries(value).map(([key, each]) => [hclLiteral(key), hclLiteral(each)] as const),
    };
  return { form: "value", value: isScalar(value) ? value : null };
}

const escapes: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", '"': '"', "\\": "\\" };

/** The value of a quoted HCL string; undefined if an escape is invalid. */
function decodeEscapes(text: string): string | undefined {
  let isFaulty = false;
  const plain = text.replace(
    /\\(u[\da-fA-F]{4}|U[\da-fA-F]{8}|[\s\S])|([$%])\2\{/g,
    (whole, name?: string, mark?: string) => {
      if (mark !== undefined) return `${mark}{`;
      const escaped = name === undefined ? undefined : (escapes[name] ?? codePoint(name));
      isFaulty ||= escaped === undefined;
      return escaped ?? whole;
    },
  );
  return isFaulty ? undefined : plain;
}

function codePoint(name: string): string | undefined {
  const code = name.length > 1 ? Number.parseInt(name.slice(1), 16) : Number.NaN;
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The value of a heredoc without interpolation; `<<-` removes common indentation. */
function heredocText(source: string): string {
  const lines = source.split(/\r?\n/).slice(1, -1);
  const depths = lines.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = source.startsWith("<<-") ? Math.min(...depths, Number.MAX_SAFE_INTEGER) : 0;
  return lines.map((line) => `${line.slice(indent)}\n`.replace(/([$%])\1\{/g, "$1{")).join("");
}

/** Maximum nesting of blocks and expressions. */
const deepest = 100;

/** True if a node is not a comment. */
function isMeant(node: Node | null): node is Node {
  return node !== null && node.type !== "comment";
}

function membersOf({ namedChildren }: Node): readonly Node[] {
  return namedChildren.filter(isMeant);
}

/** The value of a quoted string without interpolation. */
function stringText(node: Node): string {
  return decodeEscapes(node.text.slice(1, -1)) ?? "";
}

type NodeReader = (node: Node, depth: number) => HclExpression;

const wrapped: NodeReader = (node, depth) => ofParts(membersOf(node), depth);

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
    const [of, then, otherwise] = membersOf(node).map((each) => hclExpression(each, depth + 1));
    return of && then && otherwise ? { form: "condition", of, results: [then, otherwise] } : unread();
  },
  for_expr: wrapped,
  for_tuple_expr: loop,
  for_object_expr: loop,
  tuple: (node, depth) => ({
    form: "list",
    items: listExpressions(node).map((item) => hclExpression(item, depth + 1)),
  }),
  object: (node, depth) => ({
    form: "mapping",
    pairs: membersOf(node).flatMap((pair) => readPair(pair, depth)),
  }),
  function_call: (node, depth) => {
    const [name, inputs] = membersOf(node);
    const args = inputs ? listExpressions(inputs).filter(({ type }) => type !== "ellipsis") : [];
    const isSpread = inputs?.namedChildren.some((each) => each?.type === "ellipsis") ?? false;
    return {
      form: "call",
      name: name?.text ?? "",
      inputs: args.map((each) => hclExpression(each, depth + 1)),
      isSpread,
    };
  },
  quoted_template: readTemplate,
  heredoc_template: (node) => {
    const isTemplate = node.namedChildren.some((part) => part && templated.has(part.type));
    return isTemplate ? unread("a text over several lines") : value(heredocText(node.text));
  },
};

const templated: ReadonlySet<string> = new Set(["template_interpolation", "template_directive"]);

function unread(words = "an expression"): HclExpression {
  return { form: "other", words };
}

function value(each: string | number | boolean | null): HclExpression {
  return { form: "value", value: each };
}

/** Converts a node of the tree. @throws RangeError if it is nested too deeply. */
function hclExpression(node: Node, depth: number): HclExpression {
  if (depth > deepest) throw new RangeError();
  return readers[node.type]?.(node, depth + 1) ?? unread();
}

/** A variable with attributes or indices is a path. */
function ofParts(parts: readonly Node[], depth: number): HclExpression {
  const [first, ...others] = parts;
  if (first?.type === "variable_expr") return readPath(first, others, depth);
  return first && others.length === 0 ? hclExpression(first, depth) : unread();
}

function readPath(first: Node, others: readonly Node[], depth: number): HclExpression {
  const steps = others.map((each) => readStep(each, depth)).filter((step) => step !== undefined);
  if (steps.length < others.length) return unread();
  const names = steps.map((step) => (typeof step === "string" ? `.${step}` : "[…]"));
  return { form: "path", steps: [first.text, ...steps], text: `${first.text}${names.join("")}` };
}

function readStep(node: Node, depth: number): string | HclExpression | undefined {
  if (node.type === "get_attr") return node.namedChildren.find(isMeant)?.text;
  const [index] = node.type === "index" ? (node.namedChildren.find(isMeant)?.namedChildren ?? []) : [];
  return index ? hclExpression(index, depth + 1) : undefined;
}

/** `!a`, or a negative number. */
function unary(node: Node, depth: number): HclExpression {
  const inner = ofParts(membersOf(node), depth + 1);
  if (node.text.startsWith("!")) return { form: "operation", operator: "!", sides: [inner] };
  const isNumber = inner.form === "value" && typeof inner.value === "number" && node.text.startsWith("-");
  return isNumber ? value(-Number(inner.value)) : unread("an operation");
}

function binary(node: Node, depth: number): HclExpression {
  const at = node.children.findIndex((each) => each !== null && !each.isNamed);
  const sides = [node.children.slice(0, at), node.children.slice(at + 1)];
  const [left, right] = sides.map((side) => ofParts(side.filter(isMeant), depth + 1));
  const operator = node.children[at]?.text ?? "";
  return left && right ? { form: "operation", operator, sides: [left, right] } : unread();
}

/** `[for k, v in of : value if condition]`, or a mapping; grouping (`...`) is not supported. */
function loop(node: Node, depth: number): HclExpression {
  const parts = membersOf(node);
  const intro = parts.find(({ type }) => type === "for_intro")?.namedChildren.filter(isMeant) ?? [];
  const condition = parts.find(({ type }) => type === "for_cond")?.namedChildren.find(isMeant);
  const bound = intro.filter(({ type }) => type === "identifier").map(({ text }) => text);
  const of = intro.find(({ type }) => type === "expression");
  const results = parts.filter(({ type }) => type === "expression").map((each) => hclExpression(each, depth + 1));
  if (!of || results.length === 0 || parts.some(({ type }) => type === "ellipsis")) return unread("a for expression");
  return {
    form: "for",
    bound,
    of: hclExpression(of, depth + 1),
    results,
    ...(condition && { condition: hclExpression(condition, depth + 1) }),
  };
}

function listExpressions(node: Node): readonly Node[] {
  return membersOf(node).filter(({ type }) => !/_(?:start|end)$/.test(type));
}

function readPair(pair: Node, depth: number): (readonly [HclExpression, HclExpression])[] {
  const [key, of] = pair.type === "object_elem" ? membersOf(pair) : [];
  if (!key || !of) return [];
  const name = hclExpression(key, depth + 1);
  const isBare = name.form === "path" && name.steps.length === 1 && !key.text.startsWith("(");
  return [[isBare ? value(name.text) : name, hclExpression(of, depth + 1)]];
}

/** Literal parts are taken from the source, because the tree omits white space. `"${a.id}"` is the same as `a.id`. */
function readTemplate(node: Node, depth: number): HclExpression {
  const parts: HclExpression[] = [];
  const start = node.startIndex;
  let from = start + 1;
  const text = (to: number) => {
    const plain = decodeEscapes(node.text.slice(from - start, to - start));
    if (plain !== "") parts.push(plain === undefined ? unread("a text") : value(plain));
  };
  for (const part of membersOf(node).filter(({ type }) => templated.has(type))) {
    text(part.startIndex);
    const inner =
      part.type === "template_interpolation" && part.namedChildren.find((each) => each?.type === "expression");
    parts.push(inner ? hclExpression(inner, depth + 1) : unread("a directive"));
    from = part.endIndex;
  }
  text(node.endIndex - 1);
  const [only] = parts;
  return only && parts.length === 1 ? only : { form: "template", parts };
}
