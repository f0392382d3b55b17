import { hole, type TextFragment, withHoles } from "./text.ts";

/** A word of a command, without its quotes if it is quoted as a whole; interpolations are holes. */
export interface Word extends TextFragment {
  readonly end: number;
  /** As written in the file. */
  readonly raw: string;
}

/** The word between two offsets. */
export function wordOf(text: string, start: number, end: number): Word {
  const raw = text.slice(start, end);
  const isQuoted = /^(["'])[\s\S]*\1$/.test(raw) && !raw.slice(1, -1).includes(raw[0] ?? "", 0);
  const escaped = raw.startsWith('"') && /^"(?:[^"\\]|\\[\s\S])*"$/.test(raw);
  if (isQuoted || escaped) {
    const inner = raw.slice(1, -1);
    const isPlain = raw.startsWith("'");
    return { raw, start: start + 1, end: end - 1, text: isPlain ? inner : withHoles(inner) };
  }
  return { raw, start, end, text: withHoles(raw).replace(/["']/g, hole) };
}

/** A word without quotes. */
export function plainWord(text: string, start: number): Word {
  return { text, raw: text, start, end: start + text.length };
}

/** The lines of a here-document; quotes have no meaning in it. */
export function heredocWord(text: string, start: number, end: number): Word {
  const raw = text.slice(start, end);
  return { raw, start, end, text: withHoles(raw) };
}

/** The value of an assignment or of an option such as `-e NAME=VALUE`, without quotes. */
export function assigned(word: Word): Word {
  const { raw, end } = word;
  const start = end - (raw.length - raw.indexOf("=") - 1);
  const quote = /["']/.exec(raw.charAt(raw.indexOf("=") + 1))?.[0] ?? "";
  const value = raw.slice(raw.indexOf("=") + 1 + quote.length, quote ? -1 : undefined);
  const text = quote === "'" ? value : withHoles(value);
  return { raw: value, start: start + quote.length, end: end - quote.length, text };
}
