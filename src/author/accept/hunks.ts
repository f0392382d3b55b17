/** Lines that an edit removes and adds, at a line of the final file, from 1. */
export interface Hunk {
  readonly file: string;
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function hunkOf(file: string, before: string, after: string): Hunk {
  const [was, is] = [linesOf(before), linesOf(after)];
  const most = Math.min(was.length, is.length);
  let head = 0;
  while (head < most && was[head] === is[head]) head++;
  let tail = 0;
  while (tail < most - head && was[was.length - 1 - tail] === is[is.length - 1 - tail]) tail++;
  return { file, line: head + 1, removed: was.slice(head, was.length - tail), added: is.slice(head, is.length - tail) };
}

/** Adds the hunks between successive texts of a file; undefined is an edit that leaves the text as it is. */
export function withHunks(
  hunks: readonly Hunk[],
  file: string,
  [first = "", ...texts]: readonly (string | undefined)[],
): readonly Hunk[] {
  let before = first;
  return texts.reduce<readonly Hunk[]>((found, text = before) => {
    const hunk = hunkOf(file, before, text);
    before = text;
    return [...movedByAll([hunk], found), hunk];
  }, hunks);
}

/** Shifts earlier edits by later ones of the same file. */
export function movedByAll(later: readonly Hunk[], hunks: readonly Hunk[]): readonly Hunk[] {
  return hunks.map((hunk) => later.reduce((moved, each) => movedBy(each, moved), hunk));
}

function movedBy(later: Hunk, { file, line, ...hunk }: Hunk): Hunk {
  const moves = file === later.file && line > later.line;
  return { file, line: moves ? line + later.added.length - later.removed.length : line, ...hunk };
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
