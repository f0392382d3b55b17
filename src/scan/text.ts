/** A part of a file at offset `start`. `text` may be masked, but has the length of the original. */
export interface TextFragment {
  readonly text: string;
  readonly start: number;
}

export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces each character of an interpolation. */
export const hole = "\u0001";

/** Applies edits; of overlapping ones, only the first. */
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

export function masked(text: string, pattern: RegExp, fill = hole): string {
  return text.replace(pattern, (found) => fill.repeat(found.length));
}

/** A comma-separated list without a word; undefined if the list does not contain it. */
export function withoutWord(list: string, word: string): string | undefined {
  const parts = list.split(",");
  const left = parts.filter((part) => part.trim() !== word);
  return left.length === parts.length ? undefined : left.join(",").replace(/^\s+/, "");
}

/** The offset after the brace that closes one opened before `from`. */
export function braceEnd(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "{") depth++;
    else if (text[at] === "}") depth--;
  }
  return Math.min(at, text.length);
}

function parenthesisEnd(text: string, from: number): number {
  let depth = 1;
  let at = from;
  for (; at < text.length && depth > 0; at++) depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
  return at;
}

const simple = /\$(?:[A-Za-z_]\w*|[\d@*#?$!])/y;

/** A shell's text with interpolations as holes. An unclosed one extends to the end. */
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

/** A string literal with interpolations as holes, in any language. */
export function maskedInterpolations(text: string): string {
  return /[{%$]/.test(text) ? masked(text, interpolation) : text;
}

export interface Source {
  /** As shown in findings, with forward slashes. */
  readonly file: string;
  /** Without a byte order mark. */
  readonly text: string;
  /** The release to check for. */
  readonly release: string;
}

/** A use at an offset, with edits if the replacement is mechanical. */
export interface Use {
  readonly offset: number;
  readonly edits?: readonly Edit[];
  /** Uncertain: reported as a hint and never rewritten. */
  readonly isLikely?: boolean;
  /** The first release on which the rewritten file works; overrides that of the detection. */
  readonly since?: string;
  /** Appended to the message of the entry. */
  readonly note?: string;
  /** Replaces the message of the entry. */
  readonly message?: string;
}

export function rewriting(start: number, end: number, text: string | undefined): Pick<Use, "edits"> {
  return text === undefined ? {} : { edits: [{ start, end, text }] };
}
