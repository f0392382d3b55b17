import { PlainLines } from "./plain-lines.ts";

const dash = 45;

/** The offsets of a key and its value; of an item of a list, both are those of the item. */
export interface PlainSpot {
  readonly key: number;
  readonly value: number;
}

/**
 * Where a path is in a text that is as plain as `readPlainYaml` reads it, line by line up to there. Undefined for what is not
 * there, for what is inside of brackets, and for the document itself.
 */
export function plainSpot(text: string, path: readonly (string | number)[]): PlainSpot | undefined {
  const lines = new PlainLines(text);
  lines.next();
  if (lines.isRest("---")) lines.next();
  let spot: PlainSpot | undefined;
  for (const part of path) {
    if (spot && !isBelow(lines, spot)) return undefined;
    spot = lines.isAlone(dash) ? itemAt(lines, Number(part)) : pairOf(lines, String(part));
    if (!spot) return undefined;
  }
  return spot;
}

/** Whether what was found has lines of its own, which begin here; else it ends on the line of its key. */
function isBelow(lines: PlainLines, { key }: PlainSpot): boolean {
  return lines.startOfLine > key;
}

function pairOf(lines: PlainLines, name: string): PlainSpot | undefined {
  const { indent } = lines;
  for (; lines.indent >= indent; lines.next()) {
    if (lines.indent > indent || lines.isAlone(dash)) continue;
    const key = lines.at;
    if (lines.key() !== name) continue;
    lines.skipSpaces();
    if (lines.isRestEmpty()) lines.next();
    return { key, value: lines.at };
  }
  return undefined;
}

function itemAt(lines: PlainLines, index: number): PlainSpot | undefined {
  const { indent } = lines;
  for (let at = 0; lines.indent === indent && lines.isAlone(dash); at++, lines.next()) {
    if (at < index) continue;
    lines.at++;
    lines.skipSpaces();
    return { key: lines.at, value: lines.at };
  }
  return undefined;
}
