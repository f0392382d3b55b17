import { printable } from "../base/printable.ts";

/** Longest text that is shown in one piece; what is beyond it is counted. */
const longest = 300;

/**
 * Text from elsewhere in a markdown cell, line or list: always as code, where no forge reads markup, HTML, mentions,
 * references or quick actions. A code span where that holds it; entities inside `<code>` where it would not.
 */
export function code(text: string): string {
  const shown = clipped(text);
  return /^(?! )[^`|\\]*[^`|\\ ]$/.test(shown) ? `\`${shown}\`` : entities(shown);
}

/** A code span that leads to a page, if there is one. */
export function linked(text: string, url: string | undefined): string {
  return url === undefined ? code(text) : `[${code(text)}](${url})`;
}

/** The same inside HTML, such as a `<summary>`, where markdown is not read. */
export function htmlCode(text: string): string {
  return entities(clipped(text));
}

/** The same with a page to lead to, if there is one. */
export function htmlLinked(text: string, url: string | undefined): string {
  return url === undefined ? htmlCode(text) : `<a href="${url}">${htmlCode(text)}</a>`;
}

/** A row of a table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

/** The heading of a table. */
export function heading(titles: readonly string[]): readonly string[] {
  return [row(titles), `|${" --- |".repeat(titles.length)}`];
}

/** As many of the parts, from the first on, as fit into so many characters with an empty line between each two. */
export function fitting(parts: readonly string[], limit: number): readonly string[] {
  let length = 0;
  const tooMany = parts.findIndex((part) => {
    length += part.length + 2;
    return length > limit;
  });
  return tooMany < 0 ? parts : parts.slice(0, tooMany);
}

/** The same for lines; a sentence counts those that did not fit. */
export function fittingOr(
  lines: readonly string[],
  limit: number,
  rest: (omitted: number) => string,
): readonly string[] {
  const fit = fitting(lines, limit);
  return fit.length === lines.length ? lines : [...fit, "", rest(lines.length - fit.length)];
}

function clipped(text: string): string {
  const shown = printable(text.toWellFormed());
  if (shown.length <= longest) return shown;
  return `${shown.slice(0, longest).toWellFormed()}… (${shown.length - longest} more characters)`;
}

function entities(text: string): string {
  const inert = text.replace(/[^A-Za-z0-9 ]/gu, (character) => `&#${character.codePointAt(0)};`);
  return `<code>${inert.trim() === "" ? "&#32;" : inert}</code>`;
}
