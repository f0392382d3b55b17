import { hole, withHoles } from "./text.ts";
import { type Piece, pieceAt } from "./traffic.ts";

/** Longer texts are truncated. */
const maxLength = 4000;

/** Concatenates pieces. */
export function spliced(pieces: readonly Piece[]): Piece {
  const [only] = pieces;
  if (only && pieces.length === 1) return only;
  const starts: number[] = [];
  let text = "";
  for (const piece of pieces) {
    starts.push(text.length);
    text = (text + piece.text).slice(0, maxLength);
  }
  const at = (from: number, to: number) => {
    const index = starts.findLastIndex((start) => start <= from);
    const start = starts[index] ?? 0;
    const piece = pieces[index];
    return piece && to <= start + piece.text.length ? piece.at(from - start, to - start) : undefined;
  };
  const isShared = (index: number) => {
    const part = starts.findLastIndex((start) => start <= index);
    return pieces[part]?.isShared?.(index - (starts[part] ?? 0)) ?? false;
  };
  return { text, at, isShared };
}

/** A reference to a shell variable. */
export const reference = /\$(?:\{([A-Za-z_]\w*)(?:\[[@*]\]|:?[-=][\w .-]*)?\}|([A-Za-z_]\w*))/g;

/** Expands known variables in a shell's text; everything else becomes a hole. */
export function expanded(raw: string, start: number, known: (name: string) => Piece | undefined): Piece {
  if (!raw.includes("$")) return pieceAt(withHoles(raw), start);
  const pieces: Piece[] = [];
  let from = 0;
  const masked = withHoles(raw);
  for (const { 0: whole, 1: braced, 2: bare, index } of raw.matchAll(reference)) {
    const value = known(braced ?? bare ?? "") ?? defaultIn(whole, start + index);
    if (!value || value.text.length > maxLength / 4) continue;
    pieces.push(pieceAt(masked.slice(from, index), start + from), value);
    from = index + whole.length;
  }
  return spliced([...pieces, pieceAt(masked.slice(from), start + from)]);
}

/** The default in `${name:-value}`. */
function defaultIn(whole: string, start: number): Piece | undefined {
  const [before, value] = /^([^-=]+[-=])([^}]+)/.exec(whole)?.slice(1) ?? [];
  return before === undefined || value === undefined ? undefined : pieceAt(value, start + before.length);
}

/** A part of a piece. */
export function slice({ text, at, isShared }: Piece, from: number, to = text.length): Piece {
  const part: Piece = { text: text.slice(from, to), at: (start, end) => at(from + start, from + end) };
  return isShared ? { ...part, isShared: (index) => isShared(from + index) } : part;
}

/** A name and a value in a text. */
export interface TextPair {
  readonly name: string;
  readonly value: string;
  readonly nameAt: number;
  readonly valueAt: number;
}

const pairForm = new RegExp(
  `(?<![\\w.\\[-])(?:\\\\*["'])?([A-Za-z_]\\w*)(?:\\\\*["'])?(?:\\[\\])?\\s*(?:==?|:|=>)\\s*(?:\\\\*["'])?([\\w${hole}]*)`,
  "g",
);

/** Pairs such as `name=value`, `name==value`, `"name": "value"`, in a query, a form or JSON. */
export function pairsInText(text: string, wanted: ReadonlySet<string>): readonly TextPair[] {
  return [...text.matchAll(pairForm)].flatMap(({ index, 0: whole, 1: name = "", 2: value = "" }) => {
    if (!wanted.has(name)) return [];
    const nameAt = index + whole.indexOf(name);
    return [{ name, value, nameAt, valueAt: index + whole.length - value.length }];
  });
}
