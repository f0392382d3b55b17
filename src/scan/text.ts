/** A stretch of a file's text: `text` is as long as what stands from `start` on, so that each offset stays true. */
export interface Stretch {
  readonly text: string;
  readonly start: number;
}

/** A replacement of the text between two offsets. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Stands in for each character of an interpolation. */
export const hole = "\u0001";

/** The text with edits made; of two that overlap, the one that begins first. */
export function edited(text: string, edits: readonly Edit[]): string {
  let done = "";
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < at) continue;
    done += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return done + text.slice(at);
}

/** Line and column of an offset, each from 1. */
export function placer(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** Replaces what matches by as many characters as it has. */
export function masked(text: string, pattern: RegExp, fill = hole): string {
  return text.replace(pattern, (found) => fill.repeat(found.length));
}

/** A comma- or space-separated list without a word, with the separators of what stays; undefined where it is not in it. */
export function withoutWord(list: string, word: string): string | undefined {
  const parts = list.split(",");
  const left = parts.filter((part) => part.trim() !== word);
  return left.length === parts.length ? undefined : left.join(",").replace(/^\s+/, "");
}
