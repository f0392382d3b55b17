import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";
import { UserError } from "../../../../base/exit.ts";
import { systemCode } from "../../../../base/system-errors.ts";
import type { Place, Problem } from "../../../../model/types.ts";
import { type ForeignFile, unusable } from "../foreign.ts";
import { compileHcl, deepest, type HclExpression, membersOf, stringText } from "./expression.ts";

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

function readContent(bodies: readonly (Node | null)[], file: ForeignFile, depth: number) {
  if (depth > deepest) throw new RangeError();
  const attributes = new Map<string, HclAttribute>();
  const blocks: HclBlock[] = [];
  for (const node of bodies.flatMap((body) => body?.namedChildren ?? [])) {
    if (node?.type === "block") blocks.push(readBlock(node, file, depth));
    const [name, value] = node?.type === "attribute" ? membersOf(node) : [];
    if (node && name && value) attributes.set(name.text, { value: compileHcl(value), place: toPlace(node, file) });
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
