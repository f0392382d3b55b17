import { linesOf } from "../base/lines.ts";

/** A stretch of a file's text: `text` is as long as what stands from `start` on, so that each offset stays true. */
export interface TextFragment {
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
  for (const edit of applied(edits)) {
    done += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return done + text.slice(at);
}

/** Where sorted offsets lie when edits are made; one inside an edit goes where that begins. */
export function moved(offsets: readonly number[], edits: readonly Edit[]): readonly number[] {
  const all = applied(edits);
  let gained = 0;
  let next = 0;
  return offsets.map((offset) => {
    for (let edit = all[next]; edit && edit.end <= offset; edit = all[++next]) {
      gained += edit.text.length - (edit.end - edit.start);
    }
    return offset + gained;
  });
}

/** Sorted, without those that overlap one before them. */
function applied(edits: readonly Edit[]): readonly Edit[] {
  const kept: Edit[] = [];
  for (const edit of edits.toSorted((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start >= (kept.at(-1)?.end ?? 0)) kept.push(edit);
  }
  return kept;
}

/** Line and column of an offset, each from 1. */
export function positionsIn(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const lines = linesOf(text);
  return (offset) => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
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

/** The offset behind the brace that closes one opened before `from`; braces in between are counted. */
export function braceEnd(text: string, from: number, end = text.length): number {
  let depth = 1;
  let at = from;
  for (; at < end && depth > 0; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}") depth--;
  }
  return Math.min(at, end);
}

function parenthesisEnd(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
  return at;
}

const simple = /\$(?:[A-Za-z_]\w*|[\d@*#?$!])/y;

/** A shell's text with each interpolation as so many holes. One that is not closed goes on to the end. */
export function withHoles(text: string): string {
  if (!/[$`]/.test(text)) return text;
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = interpolationEnd(text, at);
    parts.push(end > at ? hole.repeat(end - at) : (text[at] ?? ""));
    at = Math.max(end, at + 1);
  }
  return parts.join("");
}

function interpolationEnd(text: string, at: number): number {
  if (text[at] === "`") return text.indexOf("`", at + 1) < 0 ? text.length : text.indexOf("`", at + 1) + 1;
  if (text.startsWith("${", at)) return braceEnd(text, at + 2);
  if (text.startsWith("$(", at)) return parenthesisEnd(text, at + 2);
  simple.lastIndex = at;
  return simple.test(text) ? simple.lastIndex : at;
}

const interpolation =
  /\$\{[^{}]*\}|#\{[^{}]*\}|\$\([^()]*\)|\{[A-Za-z_][\w.[\]'"()]*\}|\{\}|%\(\w+\)s|%[sdv]|\$[A-Za-z_]\w*/g;

/** A text of a program with each interpolation as so many holes, in whichever language it is. */
export function maskedInterpolations(text: string): string {
  return /[{%$]/.test(text) ? masked(text, interpolation) : text;
}
