import { Document, isMap, isSeq, type Node, Pair, Scalar, visit, YAMLMap, type YAMLSeq } from "yaml";
import type { Path } from "../manifest/positions.ts";
import { asciiEscapes, scalarOf } from "./scalar.ts";

/** A value to write: a scalar, in the style of the one that it replaces, or a node. */
export type YamlValue = string | number | boolean | Node;

/** The YAML text of a value, with escapes where necessary. */
export function inline(value: YamlValue, like: Scalar | undefined, inFlow: boolean): string {
  if (isNodeValue(value)) return rendered(value, true);
  const node = scalarOf(value);
  const style = like?.type;
  if (node.type === undefined && (style === "QUOTE_DOUBLE" || style === "QUOTE_SINGLE")) node.type = style;
  const text = rendered(node, inFlow);
  if (typeof value !== "string" || !inFlow || /^["']/.test(text)) return text;
  node.type = Scalar.QUOTE_DOUBLE;
  return /^[\w./@#:+-]+$/.test(text) && !text.endsWith(":") ? text : rendered(node, inFlow);
}

export function isNodeValue(value: YamlValue): value is Node {
  return typeof value === "object";
}

/** The text of a node. */
export function rendered(node: Node, inFlow: boolean): string {
  if (inFlow) visit(node, { Node: (_, each) => flattened(each), Pair: (_, { key }) => flattened(key) });
  const flowCollectionPadding = !hasList(node);
  const text = new Document(node).toString({ lineWidth: 0, blockQuote: !inFlow, flowCollectionPadding });
  return asciiEscapes(text.trimEnd());
}

/** Lists are written `[a, b]`, and mappings `{ a: b }`; no value here has both. */
function hasList(node: Node): boolean {
  let found = false;
  visit(node, {
    Seq: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** Converts a node to flow style without comments, because it is written on one line. */
function flattened(node: unknown): void {
  if (isMap(node) || isSeq(node)) node.flow = true;
  if (typeof node !== "object" || node === null) return;
  Object.assign(node, { comment: null, commentBefore: null, spaceBefore: false });
}

/** A mapping with the last key of a path. */
export function mapOf(path: Path, value: YamlValue): YAMLMap {
  const map = new YAMLMap();
  map.items = [new Pair(scalarOf(String(path.at(-1))), isNodeValue(value) ? value : scalarOf(value))];
  return map;
}

/** A flow list with one word. */
export function listOf(word: string): YAMLSeq {
  const list = new Document([word]).contents as unknown as YAMLSeq;
  list.flow = true;
  return list;
}
