import {
  Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  Pair,
  parseAllDocuments,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from "yaml";
import type { Path } from "../../manifest/positions.ts";
import type { Plain } from "../../model/types.ts";
import { isList, isScalar as isPlainScalar } from "../../model/values.ts";
import { endOf, endOfNode, type Lined, lineAt, lineBehind, lined, lineEnd, lineStart, startOf } from "./format.ts";

/** A document of a file: the file's text, and the index of the document among the non-empty ones. */
export interface Editable {
  readonly text: string;
  readonly document: number;
}

/** The whole text after an edit; undefined if the edit is impossible. */
export type Edited = string | undefined;

/** A value to write: a scalar, in the style of the one that it replaces, a list or mapping, or a node with comments. */
export type WritableValue = Plain | Node;

/** Replaces the value at a path, or adds its last key. Nothing else changes. */
export function setIn({ text, document }: Editable, path: Path, value: WritableValue): Edited {
  const root = parseRoots(text)[document];
  const found = findPath(root, path);
  if (!found) {
    const parent = path.slice(0, -1);
    const isMissing = findPath(root, parent)?.pair === undefined && parent.length > 0;
    return isMissing ? setIn({ text, document }, parent, toMapping(path, value)) : undefined;
  }
  const { map, pair, inFlow } = found;
  if (!pair) return isMap(map) ? withPair(lined(text), map, path, value) : undefined;
  const node = pair.value as Node | null;
  const [from, to] = node?.range ?? [];
  if (from === undefined || to === undefined || to <= from) return undefined;
  if (node && !isPlainScalar(value as Plain) && !inFlow) return withCollection(text, pair, node, value);
  const end = text.slice(from, to).endsWith("\n") ? lineEnd(text) : "";
  return `${text.slice(0, from)}${inline(value, isScalar(node) ? node : undefined, inFlow)}${end}${text.slice(to)}`;
}

/** Replaces the value of a key by a list or mapping on one line; undefined if comments or an anchor would be lost. */
function withCollection(text: string, { key }: Pair, node: Node, value: WritableValue): Edited {
  const [, keyEnd = 0] = (key as Node | null)?.range ?? [];
  const [from, to] = node.range ?? [keyEnd, keyEnd];
  const between = text.slice(keyEnd, from);
  const old = text.slice(from, to);
  if (isAlias(node) || node.anchor || !/^:\s*$/.test(between) || (old.includes("\n") && /(^|\s)#/m.test(old)))
    return undefined;
  return `${text.slice(0, keyEnd)}: ${inline(value, undefined, true)}${old.endsWith("\n") ? lineEnd(text) : ""}${text.slice(to)}`;
}

/** Removes a key, and its mapping if that is then empty. */
export function removeIn({ text, document }: Editable, path: Path): Edited {
  const found = findPath(parseRoots(text)[document], path);
  if (!found?.pair || path.length === 0) return undefined;
  const { map, pair } = found;
  if (map.items.length === 1) return removeIn({ text, document }, path.slice(0, -1));
  const spans = isMap(map)
    ? map.items.map((each): Span => [startOf(each), endOf(each)])
    : map.items.map((item): Span => [isScalar(item) || isAlias(item) ? item.range?.[0] : undefined, endOfNode(item)]);
  const index = isMap(map) ? map.items.indexOf(pair) : Number(path.at(-1));
  if (!map.flow) return withoutLines(lined(text), spans[index]);
  // An item is removed with one adjacent comma.
  const [from, to] = index > 0 ? [spans[index - 1]?.[1], spans[index]?.[1]] : [spans[0]?.[0], spans[1]?.[0]];
  return from === undefined || to === undefined ? undefined : text.slice(0, from) + text.slice(to);
}

/** Splits a file before its separators, so that each document can be edited alone; undefined for one with directives. */
export function splitDocuments(text: string): string[] | undefined {
  if (/^(?:%|\.\.\.)/m.test(text)) return undefined;
  const starts = [0, ...Array.from(text.matchAll(/^---(?=\s|$)/gm), ({ index }) => index)];
  return starts.map((from, index) => text.slice(from, starts[index + 1]));
}

/** Whether a text has a document that is not empty. */
export function hasDocument(text: string): boolean {
  return parseRoots(text).length > 0;
}

/** Joins split documents without those that are removed; comments that head the file stay. */
export function joinDocuments(parts: readonly string[], isRemoved: (index: number) => boolean): string {
  const kept = [...parts.keys()].filter((index) => !isRemoved(index));
  const [first] = kept;
  if (first === undefined || !kept.some((index) => hasDocument(parts[index] ?? ""))) return "";
  const heading = first === 0 ? "" : (/^(?:#.*\n)*/.exec(parts[0] ?? "")?.[0] ?? "");
  const [start = "", ...rest] = kept.map((index) => parts[index] ?? "");
  return [heading, first === 0 ? start : start.replace(/^---[ \t]*\r?\n?/, ""), ...rest].join("");
}

/** Adds a word to a list, which is created if necessary. */
export function addTo({ text, document }: Editable, path: Path, word: string): Edited {
  const found = findPath(parseRoots(text)[document], path);
  if (!found?.pair) return setIn({ text, document }, path, [word]);
  const list = found.pair.value;
  if (!isSeq(list)) return undefined;
  const last = list.items.at(-1);
  if (list.flow)
    return withFlow(text, list, last === undefined ? last : endOfNode(last), inline(word, undefined, true));
  const start = list.range?.[0];
  if (start === undefined || !last) return undefined;
  const source = lined(text);
  const column = start - lineStart(source, lineAt(source, start));
  return withLines(source, lineAt(source, endOfNode(last) - 1) + 1, `- ${inline(word, undefined, false)}`, column);
}

function parseRoots(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, { schema: "core", uniqueKeys: false, prettyErrors: false });
  const roots = [...documents].map(({ contents }) => contents as unknown);
  return roots.filter((root) => root !== null && !(isScalar(root) && root.value === null));
}

interface Found {
  /** The collection of the last key. */
  readonly map: YAMLMap | YAMLSeq;
  /** Undefined if it does not exist. */
  readonly pair: Pair | undefined;
  readonly inFlow: boolean;
}

/** Finds a path; undefined if its parent does not exist, or is behind an alias. */
function findPath(root: unknown, path: Path): Found | undefined {
  let [at, inFlow] = [root, false];
  let found: Found | undefined;
  for (const part of path) {
    if (!isMap(at) && !isSeq(at)) return undefined;
    inFlow ||= at.flow === true;
    const item = isSeq(at) ? at.items[Number(part)] : undefined;
    const pair = isMap(at)
      ? at.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
      : item === undefined
        ? undefined
        : new Pair(item, item);
    found = { map: at, pair, inFlow };
    at = pair?.value;
  }
  return found;
}

function withPair(source: Lined, map: YAMLMap, path: Path, value: WritableValue): Edited {
  const added = toMapping(path, value);
  const last = map.items.at(-1);
  if (map.flow) return withFlow(source.text, map, last && endOf(last), renderNode(added, true).slice(1, -1).trim());
  const [first] = map.items;
  if (!first || !last) return undefined;
  const column = startOf(first) - lineStart(source, lineAt(source, startOf(first)));
  return withLines(source, lineBehind(source, last), renderNode(added, false), column);
}

/** `behind`: the end of the last item; undefined if there is none. */
function withFlow(text: string, { range }: Node, behind: number | undefined, added: string): Edited {
  if (behind !== undefined) return `${text.slice(0, behind)}, ${added}${text.slice(behind)}`;
  const opened = range && range[0] + 1;
  return opened ? `${text.slice(0, opened)} ${added} ${text.slice(opened)}` : undefined;
}

function withLines(source: Lined, line: number, added: string, column: number): string {
  const { text } = source;
  const end = lineEnd(text);
  const indent = " ".repeat(column);
  const lines = added.split("\n").map((each) => `${each === "" ? "" : indent + each}${end}`);
  const at = lineStart(source, line);
  const before = at > 0 && text[at - 1] !== "\n" ? end : "";
  return `${text.slice(0, at)}${before}${lines.join("")}${text.slice(at)}`;
}

type Span = readonly (number | undefined)[];

/** Removes the lines of a range, but no comments above. Undefined if the range does not start its line. */
function withoutLines(source: Lined, [from, to]: Span = []): Edited {
  if (from === undefined || to === undefined) return undefined;
  const first = lineStart(source, lineAt(source, from));
  if (!/^ *(?:- +)?$/.test(source.text.slice(first, from))) return undefined;
  return source.text.slice(0, first) + source.text.slice(lineStart(source, lineAt(source, to - 1) + 1));
}

/** The YAML text of a value on one line, with escapes where necessary. */
function inline(value: WritableValue, like: Scalar | undefined, inFlow: boolean): string {
  const node = toNode(value);
  if (!isScalar(node)) return renderNode(node, true);
  const style = like?.type;
  if (node.type === undefined && (style === "QUOTE_DOUBLE" || style === "QUOTE_SINGLE") && typeof value === "string")
    node.type = style;
  if (typeof value === "string" && value.includes("\n")) node.type = Scalar.QUOTE_DOUBLE;
  const text = renderNode(node, inFlow);
  if (typeof value !== "string" || !inFlow || /^["']/.test(text)) return text;
  node.type = Scalar.QUOTE_DOUBLE;
  return /^[\w./@#:+-]+$/.test(text) && !text.endsWith(":") ? text : renderNode(node, inFlow);
}

/** A longer list or mapping has one item on each line. */
const longestLine = 90;

/** A value as a node. A short list or mapping is on one line. */
export function toNode(value: WritableValue): Node {
  if (isNode(value)) return value;
  if (isPlainScalar(value)) return scalarOf(value);
  const node = isList(value) ? new YAMLSeq() : new YAMLMap();
  node.items = isList(value)
    ? value.map(toNode)
    : Object.entries(value).map(([name, each]) => new Pair(scalarOf(name), toNode(each)));
  node.flow = JSON.stringify(value).length < longestLine;
  return node;
}

/** A mapping with the last key of a path. */
function toMapping(path: Path, value: WritableValue): YAMLMap {
  const map = new YAMLMap();
  const node = toNode(value);
  if (isMap(node) && !isNode(value)) node.flow = false;
  map.items = [new Pair(scalarOf(String(path.at(-1))), node)];
  return map;
}

function renderNode(node: Node, inFlow: boolean): string {
  if (inFlow) visit(node, { Node: (_, each) => flattenNode(each), Pair: (_, { key }) => flattenNode(key) });
  // Lists are written `[a, b]`, and mappings `{ a: b }`; few values here have both.
  let flowCollectionPadding = true;
  visit(node, {
    Seq: () => {
      flowCollectionPadding = false;
    },
  });
  const text = new Document(node).toString({
    lineWidth: 0,
    doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    blockQuote: !inFlow,
    flowCollectionPadding,
  });
  return asciiEscapes(text.trimEnd());
}

/** Converts a node to flow style without comments, because it is written on one line. */
function flattenNode(node: unknown): void {
  if (isMap(node) || isSeq(node)) node.flow = true;
  if (typeof node !== "object" || node === null) return;
  Object.assign(node, { comment: null, commentBefore: null, spaceBefore: false });
}

/** Characters that must be escaped in YAML, and Unicode line separators. */
const unprintable = /[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]/u;

/** A scalar that can be written to YAML, after {@link asciiEscapes}. Without quotes, `<<` would be a merge key. */
export function scalarOf(value: string | number | boolean | null): Scalar {
  const node = new Scalar(value);
  if (typeof value === "string" && (value === "<<" || unprintable.test(value))) node.type = Scalar.QUOTE_DOUBLE;
  return node;
}

/** Escapes unprintable characters, which only occur in double-quoted strings ({@link scalarOf}). */
export function asciiEscapes(text: string): string {
  const each = new RegExp(unprintable, "gu");
  return text.replace(each, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
