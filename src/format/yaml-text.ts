import { Document, isMap, isSeq, type Node, Pair, Scalar, visit, YAMLMap, type YAMLSeq } from "yaml";
import type { Path } from "../manifest/positions.ts";
import { asciiEscapes, scalarOf } from "./scalar.ts";

/** A value to be written: a scalar that takes the style of what it replaces, or a node as it is. */
export type YamlValue = string | number | boolean | Node;

/** A scalar as a document would have it, with escapes for what YAML text cannot hold. */
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

/** Whether a value is written as a node. */
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

/** Comments end a line, and a flow mapping is one line here. */
function flattened(node: unknown): void {
  if (isMap(node) || isSeq(node)) node.flow = true;
  if (typeof node !== "object" || node === null) return;
  Object.assign(node, { comment: null, commentBefore: null, spaceBefore: false });
}

/** A mapping of the last key of a path. */
export function mapOf(path: Path, value: YamlValue): YAMLMap {
  const map = new YAMLMap();
  map.items = [new Pair(scalarOf(String(path.at(-1))), isNodeValue(value) ? value : scalarOf(value))];
  return map;
}

/** A list with one word, in one line. */
export function listOf(word: string): YAMLSeq {
  const list = new Document([word]).contents as unknown as YAMLSeq;
  list.flow = true;
  return list;
}
