import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, visit, type YAMLMap, type YAMLSeq } from "yaml";
import { documentParts } from "../manifest/document-parts.ts";
import type { Path } from "../manifest/positions.ts";
import type { Catalogue } from "../model/catalogue.ts";
import { endOf, endOfNode, type Lined, lineAt, lineBehind, lined, lineStart, startOf } from "./arrange.ts";
import { format } from "./format.ts";
import { findIn, isMissing, rootsOf } from "./yaml-path.ts";
import { inline, isNodeValue, listOf, mapOf, rendered, type YamlValue } from "./yaml-text.ts";

/** A document of a file: the file's text, and the index of the document among the non-empty ones. */
export interface Editable {
  readonly text: string;
  readonly document: number;
}

/** The whole text after an edit; undefined where the edit is impossible. */
export type Edited = string | undefined;

/** Replaces the value at a path, or adds its last key. Nothing else changes. */
export function setIn(source: Editable, path: Path, value: YamlValue): Edited {
  return inPart(source, (part) => setInPart(part, path, value));
}

function setInPart({ text, document }: Editable, path: Path, value: YamlValue): Edited {
  const root = rootsOf(text)[document];
  const found = findIn(root, path);
  if (!found)
    return isMissing(root, path.slice(0, -1))
      ? setInPart({ text, document }, path.slice(0, -1), mapOf(path, value))
      : undefined;
  const { map, pair, key, inFlow } = found;
  if (!pair) return isMap(map) ? withPair(lined(text), map, key, value) : undefined;
  const node = pair.value as Node | null;
  const [from, to] = node?.range ?? [];
  if (from === undefined || to === undefined || to <= from) return undefined;
  if (node && isNodeValue(value) && !inFlow) return withCollection(text, pair, node, value);
  const end = text.slice(from, to).endsWith("\n") ? lineEnd(text) : "";
  return `${text.slice(0, from)}${inline(value, isScalar(node) ? node : undefined, inFlow)}${end}${text.slice(to)}`;
}

/** Replaces the value of a key by a list or mapping on one line; undefined where comments or an anchor would be lost. */
function withCollection(text: string, { key }: Pair, node: Node, value: YamlValue): Edited {
  const [, keyEnd = 0] = (key as Node | null)?.range ?? [];
  const [from, to] = node.range ?? [keyEnd, keyEnd];
  const between = text.slice(keyEnd, from);
  const old = text.slice(from, to);
  if (isAlias(node) || node.anchor || !/^:\s*$/.test(between) || (old.includes("\n") && /(^|\s)#/m.test(old)))
    return undefined;
  return `${text.slice(0, keyEnd)}: ${inline(value, undefined, true)}${old.endsWith("\n") ? lineEnd(text) : ""}${text.slice(to)}`;
}

/** Removes a key, and its mapping if that is then empty. */
export function removeIn(source: Editable, path: Path): Edited {
  return inPart(source, (part) => removeInPart(part, path));
}

function removeInPart({ text, document }: Editable, path: Path): Edited {
  const found = findIn(rootsOf(text)[document], path);
  if (!found?.pair || path.length === 0) return undefined;
  const { map, pair } = found;
  if (map.items.length === 1) return removeInPart({ text, document }, path.slice(0, -1));
  const items = isMap(map) ? map.items.map((each) => [startOf(each), endOf(each)]) : spansOf(map);
  const index = isMap(map) ? map.items.indexOf(pair) : Number(path.at(-1));
  return map.flow ? withoutFlow(text, items, index) : withoutLines(lined(text), items[index]);
}

/** Adds a word to a list, which is created if necessary. */
export function addTo(source: Editable, path: Path, word: string): Edited {
  return inPart(source, (part) => addToPart(part, path, word));
}

function addToPart(source: Editable, path: Path, word: string): Edited {
  const found = findIn(rootsOf(source.text)[source.document], path);
  const list = found?.pair?.value;
  if (found && !found.pair) return setInPart(source, path, listOf(word));
  return isSeq(list) ? withItem(lined(source.text), list, word) : undefined;
}

/** The node at a path, to be copied with its comments; undefined if it has aliases or anchors. */
export function nodeIn(source: Editable, path: Path): Node | undefined {
  const { text, document } = partOf(source)?.editable ?? source;
  const node = findIn(rootsOf(text)[document], path)?.pair?.value as Node | undefined;
  let isPlain = true;
  visit(node ?? null, {
    Node: (_, each) => {
      if (isAlias(each) || each.anchor) isPlain = false;
    },
  });
  return isPlain ? node : undefined;
}

/** Restores the order of `fmt` after an edit, in each document that was in that order. */
export function inOrderAs(before: string, after: string, catalogue: Catalogue): string {
  const [were, are] = [documentParts(before), documentParts(after)];
  if (!were || !are || were.length !== are.length) return inOrderAsWhole(before, after, catalogue);
  return are.map(({ text }, index) => inOrderAsWhole(were[index]?.text ?? "", text, catalogue)).join("");
}

function inOrderAsWhole(before: string, after: string, catalogue: Catalogue): string {
  if (before === after) return after;
  const was = format("", before, catalogue);
  const is = format("", after, catalogue);
  return "text" in was && was.text === before && "text" in is ? is.text : after;
}

/** Parses only the document that is edited. */
function inPart(source: Editable, edit: (part: Editable) => Edited): Edited {
  const part = partOf(source);
  if (!part) return edit(source);
  const edited = edit(part.editable);
  return edited === undefined ? undefined : part.before + edited + part.behind;
}

function partOf({ text, document }: Editable) {
  const part = documentParts(text)?.find((each) => each.document === document);
  if (!part) return undefined;
  const before = text.slice(0, part.from);
  return { editable: { text: part.text, document: 0 }, before, behind: text.slice(part.from + part.text.length) };
}

function withPair(source: Lined, map: YAMLMap, key: string, value: YamlValue): Edited {
  const added = mapOf([key], value);
  const last = map.items.at(-1);
  if (map.flow) return withFlow(source.text, map, last && endOf(last), rendered(added, true).slice(1, -1).trim());
  const [first] = map.items;
  if (!first || !last) return undefined;
  const column = startOf(first) - lineStart(source, lineAt(source, startOf(first)));
  return withLines(source, lineBehind(source, last), rendered(added, false), column);
}

function withItem(source: Lined, list: YAMLSeq, word: string): Edited {
  const last = list.items.at(-1);
  if (list.flow)
    return withFlow(source.text, list, last === undefined ? last : endOfNode(last), inline(word, undefined, true));
  const start = list.range?.[0];
  if (start === undefined || !last) return undefined;
  const column = start - lineStart(source, lineAt(source, start));
  return withLines(source, lineAt(source, endOfNode(last) - 1) + 1, `- ${inline(word, undefined, false)}`, column);
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

function spansOf({ items }: YAMLSeq): readonly Span[] {
  return items.map((item) => [isScalar(item) || isAlias(item) ? item.range?.[0] : undefined, endOfNode(item)]);
}

/** Removes an item with one adjacent comma. */
function withoutFlow(text: string, spans: readonly Span[], index: number): Edited {
  const [from, to] = index > 0 ? [spans[index - 1]?.[1], spans[index]?.[1]] : [spans[0]?.[0], spans[1]?.[0]];
  return from === undefined || to === undefined ? undefined : text.slice(0, from) + text.slice(to);
}

/** Removes the lines of a range, but no comments above. Undefined if the range does not start its line. */
function withoutLines(source: Lined, [from, to]: Span = []): Edited {
  if (from === undefined || to === undefined) return undefined;
  const first = lineStart(source, lineAt(source, from));
  if (!/^ *(?:- +)?$/.test(source.text.slice(first, from))) return undefined;
  return source.text.slice(0, first) + source.text.slice(lineStart(source, lineAt(source, to - 1) + 1));
}

function lineEnd(text: string): string {
  return text.includes("\r\n") ? "\r\n" : "\n";
}
