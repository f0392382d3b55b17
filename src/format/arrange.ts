import { type CST, isMap, isNode, isScalar, isSeq, type LineCounter, type Pair, type YAMLMap } from "yaml";
import { linesOf } from "../base/lines.ts";
import { blankLines, endsInBlockScalar, lastPair, swallowed, withMovedGap } from "./gaps.ts";
import { inOrder } from "./in-order.ts";
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
  readonly pair: Pair;
}

/** What takes the place of a stretch. */
export interface Arranged extends Stretch {
  readonly text: string;
  /** The pair that comes last in it, wherever it was. */
  readonly last: Pair;
}

/**
 * A mapping with its keys in order, and the mappings below it. Blocks are moved as they are written: with the comments
 * above and behind them, and no line changes: a mapping in braces stays as it is, and so does all that is in one.
 * Undefined where there is nothing to move.
 */
export function arrange(source: Lined, map: YAMLMap, order: Order): Arranged | undefined {
  return arranged(source, map, order, (behind) => blankLines(behind));
}

function arranged(source: Lined, map: YAMLMap, order: Order, tailIn: (behind: string) => string): Arranged | undefined {
  const blocks = map.flow ? [] : lineBlocks(source, map);
  const [first] = blocks;
  const last = blocks.at(-1);
  if (!first || !last) return undefined;
  const inner = new Map(blocks.map((block) => [block, innerOf(source, block, order)]));
  const texts = new Map(blocks.map((block) => [block, textOf(source, block, inner.get(block))]));
  const sorted = inOrder(blocks, order);
  const moved = sorted[0] === first ? texts : withMovedGap(texts, first, sorted[0] ?? first);
  const tail = tailIn(source.text.slice(last.to));
  const parts = sorted.map((block): Part => {
    const end = inner.get(block)?.last ?? lastPair(block.pair);
    const next = blocks[blocks.indexOf(block) + 1];
    return { block, text: moved.get(block) ?? "", end, next: end === lastPair(block.pair) ? next : block };
  });
  const text = unswallowed(source, parts, tail);
  return { from: first.from, to: last.to + tail.length, text, last: parts.at(-1)?.end ?? last.pair };
}

/** A block at its new place. */
interface Part {
  readonly block: Block;
  readonly text: string;
  /** The pair that it ends with now. */
  readonly end: Pair;
  /** The block that stood behind this end so far: none at the end of all, the block itself where something else of it did. */
  readonly next: Block | undefined;
}

/** The texts one after the other. Lines that a block scalar would take for its own behind it come before its block. */
function unswallowed(source: Lined, parts: readonly Part[], tail: string): string {
  let handed = "";
  let [whole, behind, next]: [string, string, Block | undefined] = ["", tail, undefined];
  for (const { block, text, end, next: was } of parts.toReversed()) {
    const isSafe: boolean = (was === next && handed === "") || !endsInBlockScalar(end);
    const lines: string = isSafe ? "" : swallowed(handed + behind, columnOf(source, end));
    whole = (handed + behind).slice(lines.length) + whole;
    [handed, behind, next] = [lines, text, block];
  }
  return handed + behind + whole;
}

function innerOf(source: Lined, { key, pair: { value } }: Block, order: Order): Arranged | undefined {
  const below = order.below(key);
  return below && isMap(value) ? arranged(source, value, below, () => "") : undefined;
}

function textOf({ text }: Lined, { from, to }: Block, inner: Arranged | undefined): string {
  if (!inner) return text.slice(from, to);
  return text.slice(from, inner.from) + inner.text + text.slice(inner.to, to);
}

/** Keys of a mapping of lines: each from the comments above it to the line before the next; none where a line holds more. */
function lineBlocks(source: Lined, map: YAMLMap): readonly Block[] {
  const { items } = map;
  const starts = items.map((pair, index) => blockStart(source, pair, items[index - 1]));
  if (starts.includes(undefined)) return [];
  return items.map((pair, index) => {
    const next = starts[index + 1] ?? lineStart(source, lineBehind(source, pair));
    return { key: wordOf(pair), pair, from: starts[index] ?? 0, to: next };
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
  const column = columnOf(source, pair);
  let behind = lineAt(source, endOf(pair) - 1) + 1;
  for (let at = behind; at < source.lines.lineStarts.length && isFloating(lineText(source, at)); at++) {
    const indent = /^ *(?=#)/.exec(lineText(source, at))?.[0] ?? "";
    if (indent.length > column) behind = at + 1;
  }
  return behind;
}

function columnOf(source: Lined, pair: Pair): number {
  const start = startOf(pair);
  return start - lineStart(source, lineAt(source, start));
}

function isFloating(line: string): boolean {
  return /^[ \t]*(?:#.*)?\r?\n?$/.test(line);
}

function wordOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

const beforeKeys: ReadonlySet<CST.SourceToken["type"]> = new Set(["anchor", "tag", "explicit-key-ind"]);

/** Where a pair's key begins: with its anchor, tag or question mark, where the pair has its tokens. */
export function startOf({ key, srcToken }: Pair): number {
  const first = srcToken?.start.find(({ type }) => beforeKeys.has(type));
  return first?.offset ?? (isNode(key) ? (key.range?.[0] ?? 0) : 0);
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
