import { invisible } from "./printable.ts";

/**
 * A word as it is written in a POSIX shell, ready to be pasted: bare where that is safe, else in quotes. What cannot be
 * seen is written in `$'…'`, which shells that do not know it take as text too, never as a command. No two
 * `#` stand side by side, which CI runners could take for a command of theirs.
 */
export function shellWord(word: string): string {
  if (/^[\w./][\w./:@%+,=-]*$/.test(word)) return word;
  if (!hidden.test(word)) return `'${word.replaceAll("'", "'\\''").replace(/#(?=#)/g, "#''")}'`;
  return `$'${word.replace(/[\\'#]|[^ -~]/gu, bytes)}'`;
}

const hidden = new RegExp(`[${invisible}]`, "u");

function bytes(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
