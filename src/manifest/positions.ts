import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from "yaml";
import type { Place } from "../model/types.ts";

/** The keys and indices of a value in a document. */
export type Path = readonly (string | number)[];

/** A part of a file that was parsed on its own, and the number of lines before it. */
export interface ManifestSource {
  readonly file: string;
  readonly text: string;
  readonly linesBefore: number;
}

/** Offsets of a value and its key in the source text, and those of nested values. */
interface Spot {
  readonly key: number;
  readonly value: number;
  readonly below: Map<string, Spot>;
}

interface Duplicate {
  readonly path: Path;
  readonly offset: number;
}

interface Spots {
  readonly root: Spot;
  readonly duplicates: Duplicate[];
}

/** Finds positions in the documents of a source. Indices do not count empty documents. */
export interface Places {
  /** Position of a value or of its key; if the path does not exist, of its deepest existing part. */
  place(document: number, path: Path, of: "key" | "value"): Place;
  /** Position of a character of the string at a path; `text` is the value of the string. */
  within(document: number, path: Path, text: string, offset: number): Place;
  /** Duplicate keys. */
  duplicates(document: number): readonly { readonly path: Path; readonly place: Place }[];
}

/** Parses with positions on first use, because that takes ten times as long as parsing values alone. */
export function placesIn(source: ManifestSource): Places {
  let known: Found | undefined;
  const found = () => {
    known ??= find(source.text);
    return known;
  };
  const placeAt = (offset: number): Place => {
    const { line, col } = found().lines.linePos(offset);
    return { file: source.file, line: Math.max(1, line) + source.linesBefore, column: Math.max(1, col) };
  };
  return {
    place: (document, path, of) => placeAt(nearestSpot(found().documents[document], path)[of]),
    within: (document, path, text, offset) => {
      const { value } = nearestSpot(found().documents[document], path);
      return placeAt(value + offsetWithin(source.text.slice(value, value + longestScalar), text, offset));
    },
    duplicates: (document) =>
      (found().documents[document]?.duplicates ?? []).map(({ path, offset }) => ({ path, place: placeAt(offset) })),
  };
}

/** Characters of source text that are searched for a position in a string; with escapes and indentation it exceeds the value. */
const longestScalar = 100_000;

/** Values inside an alias have the position of the alias. */
function nearestSpot(document: Spots | undefined, path: Path): Pick<Spot, "key" | "value"> {
  let spot = document?.root;
  for (const part of path) {
    const next = spot?.below.get(String(part));
    if (!next) break;
    spot = next;
  }
  return spot ?? { key: 0, value: 0 };
}

interface Found {
  readonly documents: readonly Spots[];
  readonly lines: LineCounter;
}

/** Another parser has already accepted the text, so nesting is limited and errors can be ignored. */
function find(text: string): Found {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, {
    schema: "core",
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const roots = [...parsed].flatMap(({ contents }) => (isEmpty(contents) ? [] : [contents]));
  return { documents: roots.map(spotsOf), lines };
}

function isEmpty(node: Node | null): node is null {
  return node === null || (isScalar(node) && node.value === null);
}

function spotsOf(root: Node): Spots {
  const found: Spots = { root: spotOf(root, root), duplicates: [] };
  collect(root, [], found.root, found.duplicates);
  return found;
}

function collect(node: unknown, path: Path, spot: Spot, duplicates: Duplicate[]): void {
  const add = (name: string | number, key: unknown, value: unknown) => {
    const inner = spotOf(key, value);
    spot.below.set(String(name), inner);
    collect(value, [...path, name], inner, duplicates);
  };
  if (isSeq(node)) node.items.forEach((item, index) => void add(index, item, item));
  if (!isMap(node)) return;
  for (const { key, value } of node.items) {
    const name = nameOf(key);
    if (spot.below.has(name)) duplicates.push({ path: [...path, name], offset: offsetOf(key) ?? 0 });
    else add(name, key, value);
  }
}

function nameOf(key: unknown): string {
  return isScalar(key) ? String(key.value) : String(key);
}

function spotOf(key: unknown, value: unknown): Spot {
  const start = offsetOf(key) ?? 0;
  return { key: start, value: offsetOf(value) ?? start, below: new Map() };
}

function offsetOf(node: unknown): number | undefined {
  return isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined;
}

/** Matches one written character of a scalar, such as an escape, by the style of the scalar. */
const styles: Readonly<Record<string, RegExp>> = {
  '"': /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|\r?\n|[\s\S])|[\s\S]/gi,
  "'": /''|[\s\S]/g,
};

const quotes = new Set(Object.keys(styles));

/**
 * The offset in a written YAML scalar of a character of its value; beyond the last character, the end. YAML changes only
 * white space by folding and indentation, so the other characters are counted.
 */
function offsetWithin(scalar: string, value: string, offset: number): number {
  const [first = ""] = scalar;
  if (first === "*") return 0;
  const start = quotes.has(first) ? 1 : /^[|>]/.test(first) ? scalar.indexOf("\n") + 1 : 0;
  let left = value.slice(0, offset).replace(/\s/g, "").length;
  let end = start;
  const isEnd = value.slice(offset).trim() === "";
  for (const { 0: written, index } of scalar.slice(start).matchAll(styles[first] ?? /[\s\S]/g)) {
    if (left === 0 && isEnd) return end;
    if (isBlank(written)) continue;
    if (left-- === 0) return start + index;
    end = start + index + written.length;
  }
  return end;
}

function isBlank(written: string): boolean {
  return /^(?:\s|\\[nrt\s])$/.test(written) || /^\\\r?\n$/.test(written);
}
