import { isMap, isScalar, isSeq, type Pair, Scalar } from "yaml";

/** Swaps the blank lines of the block that was first and of the one that is first now. */
export function withMovedGap<Block>(texts: ReadonlyMap<Block, string>, was: Block, is: Block): Map<Block, string> {
  const [before, after] = [texts.get(was) ?? "", texts.get(is) ?? ""];
  const [given, own] = [blankLines(after), blankLines(before)];
  return new Map([...texts, [was, given + before.slice(own.length)], [is, own + after.slice(given.length)]]);
}

/** The leading blank lines of a text. */
export function blankLines(text: string): string {
  return /^(?:[ \t]*\r?\n)*/.exec(text)?.[0] ?? "";
}

/** The leading lines that a preceding block scalar would absorb, below a key in this column. */
export function swallowed(text: string, column: number): string {
  let end = 0;
  for (const [line] of text.matchAll(/[^\n]*\n/g)) {
    const indent = /^ *(?=#)/.exec(line)?.[0].length ?? 0;
    if (/[^ \t\r\n]/.test(line) && indent <= column) break;
    end += line.length;
  }
  return text.slice(0, end);
}

/** The last pair of a pair's value, or the pair itself. */
export function lastPair(pair: Pair): Pair {
  const below = lastOf(pair.value);
  const last = isMap(below) && !below.flow ? below.items.at(-1) : undefined;
  return last ? lastPair(last) : pair;
}

/** Whether a pair ends with a block scalar, which may absorb the lines after it. */
export function endsInBlockScalar({ value }: Pair): boolean {
  const last = lastOf(value);
  return isScalar(last) && (last.type === Scalar.BLOCK_LITERAL || last.type === Scalar.BLOCK_FOLDED);
}

function lastOf(value: unknown): unknown {
  return isSeq(value) && !value.flow && value.items.length > 0 ? lastOf(value.items.at(-1)) : value;
}
