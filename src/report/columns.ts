import type { Palette } from "./palette.ts";

/** Rows below a faint heading, each column as wide as its widest cell; columns without a cell are left out. */
export function columns(heading: readonly string[], rows: readonly (readonly string[])[], palette: Palette): string {
  const used = heading.map((_, column) => column).filter((column) => rows.some((row) => row[column]));
  const table = [heading, ...rows].map((row) => used.map((column) => row[column] ?? ""));
  const widths = used.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) => line(row, widths));
  return lines.map((text, index) => (index === 0 ? palette.faint(text) : text)).join("\n");
}

function line(row: readonly string[], widths: readonly number[]): string {
  return `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
}
