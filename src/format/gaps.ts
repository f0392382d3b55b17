import { isMap, isScalar, isSeq, type Pair, Scalar } from "yaml";

/** Blank lines part blocks: the one that comes first now gives its own to the one that was first. */
export function withMovedGap<Block>(texts: ReadonlyMap<Block, string>, was: Block, is: Block): Map<Block, string> {
  const [before, after] = [texts.get(was) ?? "", texts.get(is) ?? ""];
  const [given, own] = [blankLines(after), blankLines(before)];
  return new Map([...texts, [was, given + before.slice(own.length)], [is, own + after.slice(given.length)]]);
}

/** The blank lines that a text begins with. */
export function blankLines(text: string): string {
  return /^(?:[ \t]*\r?\n)*/.exec(text)?.[0] ?? "";
}

/** The lines that a text begins with which a block scalar in front of it would swallow, below a key in this column. */
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

/** Whether a pair without pairs in it ends with a block scalar: the lines behind that may be a part of it. */
export function endsInBlockScalar({ value }: Pair): boolean {
  const last = lastOf(value);
  return isScalar(last) && (last.type === Scalar.BLOCK_LITERAL || last.type === Scalar.BLOCK_FOLDED);
}

function lastOf(value: unknown): unknown {
  return isSeq(value) && !value.flow && value.items.length > 0 ? lastOf(value.items.at(-1)) : value;
}
