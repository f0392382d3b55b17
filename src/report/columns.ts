import type { Palette } from "./palette.ts";

/** Rows below a faint heading, each column as {@link widthOf} says; columns without a cell are left out. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[], palette: Palette): string {
  const used = heading.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const table = [heading, ...rows].map((row) => used.map((column) => row[column] ?? ""));
  const widths = used.map((_, column) => widthOf(table.map((row) => row[column] ?? "")));
  const lines = table.map((row) => line(row, widths));
  return lines.map((text, index) => (index === 0 ? palette.faint(text) : text)).join("\n");
}

/** Facts, each on a line after its word; those without a value are left out. */
export function factLines(facts: readonly (readonly [word: string, value: string])[], palette: Palette): string {
  const known = facts.filter(([, value]) => value !== "");
  const width = widthOf(known.map(([word]) => word));
  return known.map(([word, value]) => `  ${palette.faint(word.padEnd(width))}  ${value}`).join("\n");
}

function line(row: readonly string[], widths: readonly number[]): string {
  return `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
}

/** Wide enough for slugs, paths and references; a longer cell moves the rest of its own row, and no other. */
const widest = 60;

/** The width of a column: that of its widest cell, but for cells of more than 60 characters. */
export function widthOf(cells: readonly string[]): number {
  const lengths = cells.map(({ length }) => length).filter((length) => length <= widest);
  return lengths.reduce((most, length) => Math.max(most, length), 0);
}
