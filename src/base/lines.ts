import { LineCounter } from "yaml";

/** Where the lines of a text begin. `linePos` of an offset counts from 1. */
export function linesOf(text: string): LineCounter {
  const lines = new LineCounter();
  lines.addNewLine(0);
  for (const { index } of text.matchAll(/\n/g)) lines.addNewLine(index + 1);
  return lines;
}
