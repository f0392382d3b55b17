import { printable } from "../base/printable.ts";

/** Longer texts are truncated, with a count of the rest. */
const longest = 300;

/**
 * Untrusted text in a markdown cell, line or list: always as code, where no forge interprets markup, HTML, mentions,
 * references or quick actions. A code span where possible, else entities inside `<code>`.
 */
export function code(text: string): string {
  const shown = truncate(text);
  return /^(?! )[^`|\\]*[^`|\\ ]$/.test(shown) ? `\`${shown}\`` : encodeEntities(shown);
}

export function linked(text: string, url: string | undefined): string {
  return url === undefined ? code(text) : `[${code(text)}](${url})`;
}

/** Code inside HTML such as a `<summary>`, where markdown is not interpreted. */
export function htmlCode(text: string): string {
  return encodeEntities(truncate(text));
}

export function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

export function heading(titles: readonly string[]): readonly string[] {
  return [row(titles), `|${" --- |".repeat(titles.length)}`];
}

/** Returns the leading parts that fit into `limit` characters, each followed by an empty line. */
export function takeFitting(parts: readonly string[], limit: number): readonly string[] {
  let length = 0;
  const tooMany = parts.findIndex((part) => {
    length += part.length + 2;
    return length > limit;
  });
  return tooMany < 0 ? parts : parts.slice(0, tooMany);
}

/** Returns the leading lines that fit into `limit` characters, and a sentence that counts the others. */
export function fitLines(
  lines: readonly string[],
  limit: number,
  rest: (omitted: number) => string,
): readonly string[] {
  const fit = takeFitting(lines, limit);
  return fit.length === lines.length ? lines : [...fit, "", rest(lines.length - fit.length)];
}

function truncate(text: string): string {
  const shown = printable(text.toWellFormed());
  if (shown.length <= longest) return shown;
  return `${shown.slice(0, longest).toWellFormed()}… (${shown.length - longest} more characters)`;
}

function encodeEntities(text: string): string {
  const inert = text.replace(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${inert.trim() === "" ? "&#32;" : inert}</code>`;
}
