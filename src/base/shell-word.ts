import { invisible } from "./printable.ts";

/**
 * Quotes a word for a POSIX shell where necessary. Invisible characters
 * are written in `$'…'`, which is never a command in any shell. No two
 * `#` are adjacent, because CI runners could interpret them as a command.
 */
export function shellWord(word: string): string {
  if (/^(?:-|[\w./][\w./:@%+,=-]*)$/.test(word)) return word;
  if (!hidden.test(word)) return `'${word.replaceAll("'", "'\\''").replace(/#(?=#)/g, "#''")}'`;
  return `$'${word.replace(/[\\'#]|[^ -~]/gu, bytes)}'`;
}

const hidden = new RegExp(`[${invisible}]`, "u");

function bytes(character: string): string {
  return [...new TextEncoder().encode(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
