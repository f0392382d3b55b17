import { lazy } from "../base/memoize.ts";
import type { Place } from "../model/types.ts";
import { plainSpot } from "./plain-spot.ts";
import { composeYaml, type YamlNode } from "./yaml-nodes.ts";

/** The keys and indices of a value in a document. */
export type Path = readonly (string | number)[];

/** A part of a file that was parsed on its own, and the number of lines before it. */
export interface ManifestSource {
  readonly file: string;
  readonly text: string;
  readonly linesBefore: number;
  /** Whether it is one document that `readPlainYaml` reads. */
  readonly isPlain?: boolean;
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
  /** Whether what follows a key, or the dash of an item, is only a comment. */
  isCommented(document: number, path: Path): boolean;
  /** Duplicate keys, and where the key is for the first time. */
  duplicates(document: number): readonly { readonly path: Path; readonly place: Place; readonly first: Place }[];
}

/** Of so many places each is searched for in a plain text. If more are asked for, all of them are worked out and kept. */
const mostSearches = 8;

/** Parses again, with positions, where they are needed: of most manifests none is asked for, or few. */
export function placesIn(source: ManifestSource): Places {
  let searches = 0;
  const search = (path: Path, of: "key" | "value"): Place | undefined => {
    if (!source.isPlain || searches++ >= mostSearches) return undefined;
    const spot = plainSpot(source.text, path);
    return spot && countedPlace(source, spot[of]);
  };
  const documents = lazy(() => composeYaml(source.text).map(spotsOf));
  const lines = lazy(() => lineStartsOf(source.text));
  const placeAt = (offset: number): Place => {
    const line = lastUpTo(lines(), offset);
    return { file: source.file, line: line + 1 + source.linesBefore, column: offset - (lines()[line] ?? 0) + 1 };
  };
  return {
    place: (document, path, of) => search(path, of) ?? placeAt(nearestSpot(documents()[document], path)[of]),
    within: (document, path, text, offset) => {
      const { value } = nearestSpot(documents()[document], path);
      return placeAt(value + offsetWithin(source.text.slice(value, value + longestScalar), text, offset));
    },
    isCommented: (document, path) => {
      const { key } = nearestSpot(documents()[document], path);
      return commented.test(source.text.slice(key, key + longestScalar).split("\n")[0] ?? "");
    },
    duplicates: (document) =>
      (documents()[document]?.duplicates ?? []).map(({ path, offset }) => {
        const first = placeAt(nearestSpot(documents()[document], path).key);
        return { path, place: placeAt(offset), first };
      }),
  };
}

function countedPlace({ file, text, linesBefore }: ManifestSource, offset: number): Place {
  let [line, start] = [1, 0];
  for (let end = text.indexOf("\n"); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  return { file, line: line + linesBefore, column: offset - start + 1 };
}

/** A line from a key, or from the comment that stands for an item. */
const commented = /^(?:[^:#]*:\s+)?#/;

function lineStartsOf(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
  return starts;
}

/** The index of the last of these rising numbers, of which the first is 0, that is no greater than another. */
function lastUpTo(numbers: readonly number[], most: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= most) low = middle;
    else high = middle - 1;
  }
  return low;
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

function spotsOf(root: YamlNode): Spots {
  const found: Spots = { root: spotOf(root, root), duplicates: [] };
  collect(root, [], found.root, found.duplicates);
  return found;
}

function collect(node: YamlNode | undefined, path: Path, spot: Spot, duplicates: Duplicate[]): void {
  const add = (name: string | number, key: YamlNode, value: YamlNode | undefined) => {
    const inner = spotOf(key, value);
    spot.below.set(String(name), inner);
    collect(value, [...path, name], inner, duplicates);
  };
  for (const [index, item] of (node?.items ?? []).entries()) add(index, item, item);
  for (const { key, value } of node?.pairs ?? []) {
    if (spot.below.has(key.name)) duplicates.push({ path: [...path, key.name], offset: key.start });
    else add(key.name, key, value);
  }
}

function spotOf(key: YamlNode, value: YamlNode | undefined): Spot {
  return { key: key.start, value: (value ?? key).start, below: new Map() };
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
