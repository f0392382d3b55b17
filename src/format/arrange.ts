import { isMap, isNode, isScalar, isSeq, type LineCounter, type Pair, type YAMLMap } from "yaml";
import { linesOf } from "../base/lines.ts";
import type { Order } from "./order.ts";

/** A text and where its lines begin. */
export interface Lined {
  readonly text: string;
  readonly lines: LineCounter;
}

/** Offsets into a text; `to` is behind the last character. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** A key with its value and its comments, as they stand in the text. */
interface Block extends Stretch {
  readonly key: string;
  readonly value: unknown;
}

/** What takes the place of a stretch. */
export interface Arranged extends Stretch {
  readonly text: string;
}

/**
 * A mapping with its keys in order, and the mappings below it. Blocks are moved as they are written: with the comments
 * above and behind them. Undefined where a mapping is written in a way that leaves nothing to move.
 */
export function arrange(source: Lined, map: YAMLMap, order: Order): Arranged | undefined {
  const blocks = map.flow ? flowBlocks(source, map) : lineBlocks(source, map);
  const [first] = blocks;
  const last = blocks.at(-1);
  if (!first || !last) return undefined;
  const texts = new Map(blocks.map((block) => [block, textOf(source, block, order)]));
  const sorted = blocks.toSorted((a, b) => order.compare(a.key, b.key));
  const moved = sorted[0] === first || map.flow ? texts : withMovedGap(texts, first, sorted[0] ?? first);
  // What stands between two blocks stays where it is: the comma of a flow mapping, and nothing where blocks are lines.
  const between = blocks.map(({ to }, index) => source.text.slice(to, blocks[index + 1]?.from ?? to));
  const text = sorted.map((block, index) => `${moved.get(block)}${between[index]}`).join("");
  return { from: first.from, to: last.to, text };
}

function textOf(source: Lined, { from, to, key, value }: Block, order: Order): string {
  const { text } = source;
  const below = order.below(key);
  const inner = below && isMap(value) ? arrange(source, value, below) : undefined;
  if (!inner) return text.slice(from, to);
  return text.slice(from, inner.from) + inner.text + text.slice(inner.to, to);
}

/** Blank lines part blocks: the one that comes first now gives its own to the one that was first. */
function withMovedGap(texts: ReadonlyMap<Block, string>, was: Block, is: Block): ReadonlyMap<Block, string> {
  const [before, after] = [texts.get(was) ?? "", texts.get(is) ?? ""];
  const [given, own] = [blankLines(after), blankLines(before)];
  return new Map([...texts, [was, given + before.slice(own.length)], [is, own + after.slice(given.length)]]);
}

function blankLines(text: string): string {
  return /^(?:[ \t]*\r?\n)*/.exec(text)?.[0] ?? "";
}

/** Keys of a mapping in braces; none where a comment stands between them. */
function flowBlocks({ text }: Lined, map: YAMLMap): readonly Block[] {
  const blocks = map.items.map((pair) => ({ ...wordsOf(pair), from: startOf(pair), to: endOf(pair) }));
  const gaps = blocks.map(({ to }, index) => text.slice(to, blocks[index + 1]?.from ?? to));
  return gaps.some((gap) => gap.includes("#") || gap.includes("?")) ? [] : blocks;
}

/** Keys of a mapping of lines: each from the comments above it to the line before the next; none where a line holds more. */
function lineBlocks(source: Lined, map: YAMLMap): readonly Block[] {
  const { items } = map;
  const starts = items.map((pair, index) => blockStart(source, pair, items[index - 1]));
  if (starts.includes(undefined)) return [];
  return items.map((pair, index) => {
    const next = starts[index + 1] ?? lineStart(source, lineBehind(source, pair));
    return { ...wordsOf(pair), from: starts[index] ?? 0, to: next };
  });
}

/** Undefined where something else stands before the key in its line. */
function blockStart(source: Lined, pair: Pair, previous: Pair | undefined): number | undefined {
  const start = startOf(pair);
  const line = lineAt(source, start);
  const indent = source.text.slice(lineStart(source, line), start);
  if (/[^ ]/.test(indent)) return undefined;
  if (previous) return lineStart(source, Math.min(lineBehind(source, previous), line));
  // What heads a document stays its head, whatever key comes first.
  return lineStart(source, indent === "" ? line : floatsAbove(source, line));
}

/** The first of the comment and blank lines above a line. */
function floatsAbove(source: Lined, line: number): number {
  let top = line;
  while (top > 0 && isFloating(lineText(source, top - 1))) top--;
  return top;
}

/** The line behind a block: behind the last comment, too, that is indented deeper than its key. */
export function lineBehind(source: Lined, pair: Pair): number {
  const start = startOf(pair);
  const column = start - lineStart(source, lineAt(source, start));
  let behind = lineAt(source, endOf(pair) - 1) + 1;
  for (let at = behind; at < source.lines.lineStarts.length && isFloating(lineText(source, at)); at++) {
    const indent = /^ *(?=#)/.exec(lineText(source, at))?.[0] ?? "";
    if (indent.length > column) behind = at + 1;
  }
  return behind;
}

function isFloating(line: string): boolean {
  return /^[ \t]*(?:#.*)?\r?\n?$/.test(line);
}

function wordsOf({ key, value }: Pair): { readonly key: string; readonly value: unknown } {
  return { key: isScalar(key) ? String(key.value) : "", value };
}

/** Where a pair's key begins. */
export function startOf({ key }: Pair): number {
  return isNode(key) ? (key.range?.[0] ?? 0) : 0;
}

/** Behind the last character of a pair that means something. */
export function endOf({ key, value }: Pair): number {
  return Math.max(endOfNode(key), endOfNode(value));
}

/** Behind the last character of a node that means something. */
export function endOfNode(node: unknown): number {
  if (isMap(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1) as Pair);
  if (isSeq(node) && !node.flow && node.items.length > 0) return endOfNode(node.items.at(-1));
  return isNode(node) ? (node.range?.[1] ?? 0) : 0;
}

/** A text with its lines. */
export function lined(text: string): Lined {
  return { text, lines: linesOf(text) };
}

/** The line of an offset, from 0. */
export function lineAt({ lines }: Lined, offset: number): number {
  return lines.linePos(offset).line - 1;
}

/** The offset of a line; the end of the text behind the last one. */
export function lineStart({ text, lines }: Lined, line: number): number {
  return lines.lineStarts[line] ?? text.length;
}

function lineText(source: Lined, line: number): string {
  return source.text.slice(lineStart(source, line), lineStart(source, line + 1));
}
