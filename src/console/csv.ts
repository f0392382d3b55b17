import { legible } from "./markup.ts";

/** Rows as CSV (RFC 4180). A cell that a spreadsheet would calculate is text. */
export function csvOf(head: readonly string[], rows: Iterable<readonly (string | number | undefined)[]>): string {
  const lines = [head.map(cell).join(",")];
  for (const row of rows) lines.push(row.map(cell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}

function cell(value: string | number | undefined = ""): string {
  const text = legible(String(value));
  const inert = typeof value === "string" && /^[=+\-@]/.test(text) ? `'${text}` : text;
  return /[",]/.test(inert) || inert !== inert.trim() ? `"${inert.replaceAll('"', '""')}"` : inert;
}
