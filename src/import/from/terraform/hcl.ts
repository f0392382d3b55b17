import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Node, Parser } from "web-tree-sitter";
import { UserError } from "../../../base/exit.ts";
import { systemCode } from "../../../base/system-errors.ts";
import type { Place, Problem } from "../../../model/types.ts";
import { type ForeignFile, unusable } from "../foreign.ts";
import { deepest, hclExpression, isMeant, stringText } from "./hcl-expressions.ts";
import type { HclAttribute, HclBlock } from "./syntax.ts";

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
    if (node && name && value)
      attributes.set(name.text, { value: hclExpression(value, 0), place: placeOf(node, file) });
  }
  return { attributes, blocks };
}

function blockOf(node: Node, file: ForeignFile, depth: number): HclBlock {
  const parts = node.namedChildren.filter(isMeant);
  const [type = "", ...labels] = parts
    .filter((part) => part.type === "identifier" || part.type === "string_lit")
    .map((part) => (part.type === "identifier" ? part.text : stringText(part)));
  const bodies = parts.filter((part) => part.type === "body");
  return { type, labels, ...contentOf(bodies, file, depth + 1), place: placeOf(node, file) };
}
