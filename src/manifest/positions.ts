import { loadAll, type State, YAMLException } from "js-yaml";
import { lazy, memoized } from "../base/memoize.ts";
import type { Place } from "../model/types.ts";
import { coreSchema, Respelled } from "./yaml.ts";

export type Path = readonly (string | number)[];

/** A part of a file that was parsed on its own, and the number of lines before it. */
export interface ManifestSource {
  readonly file: string;
  readonly text: string;
  readonly linesBefore: number;
}

/**
 * Finds positions in the documents of a source, which are counted without empty ones. Parses the text again, with
 * positions, on first use: most manifests need none.
 */
export function placesIn({ file, text, linesBefore }: ManifestSource) {
  const documents = lazy(() => composeYaml(text));
  const lines = lazy(() => [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)]);
  const placeAt = (offset: number): Place => {
    const line = lastUpTo(lines(), offset);
    return { file, line: line + 1 + linesBefore, column: offset - (lines()[line] ?? 0) + 1 };
  };
  const spot = (document: number, path: Path) => nearestSpot(documents()[document], path);
  return {
    /** Position of a value or of its key; if the path does not exist, of its deepest existing part. */
    place: (document: number, path: Path, of: "key" | "value") => placeAt(spot(document, path)[of]),
    /** Position of a character of the string at a path; `value` is the value of the string. */
    within: (document: number, path: Path, value: string, offset: number) => {
      const start = spot(document, path).value;
      return placeAt(start + offsetWithin(text.slice(start, start + longestScalar), value, offset));
    },
    isCommented: (document: number, path: Path) => {
      const { key } = spot(document, path);
      return /^(?:[^:#]*:\s+)?#/.test(text.slice(key, key + longestScalar).split("\n")[0] ?? "");
    },
    duplicates: (document: number) =>
      listDuplicates(documents()[document], [])
        .sort((a, b) => a.at - b.at)
        .map(({ path, at, first }) => ({ path, place: placeAt(at), first: placeAt(first) })),
  };
}

/** Index of the last of these ascending numbers that is at most `limit`; the first one is 0. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((numbers[middle] ?? 0) <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Characters of source text that are searched for a position in a string; with escapes and indentation it exceeds the value. */
const longestScalar = 100_000;

/** A value of the parser, and the offsets of it and of its key. */
interface Spot {
  readonly key: number;
  readonly value: number;
  readonly node: unknown;
}

/** The deepest existing part of a path. Values inside an alias have the position of the alias. */
function nearestSpot(root: YamlNode | undefined, path: Path): Spot {
  let spot: Spot = { key: root?.start ?? 0, value: root?.start ?? 0, node: root };
  for (const part of path) {
    const found = partsOf(insideOf(spot.node)).byName.get(String(part));
    if (!found) break;
    spot = found;
  }
  return spot;
}

function listDuplicates(node: unknown, path: Path): { path: Path; at: number; first: number }[] {
  const { byName, repeated } = partsOf(insideOf(node));
  const own = repeated.map(([name, at]) => ({ path: [...path, name], at, first: byName.get(name)?.key ?? 0 }));
  return [...own, ...[...byName].flatMap(([name, part]) => listDuplicates(part.node, [...path, name]))];
}

/**
 * A value that the parser composed, in its place. The parser makes a text of a key once it has composed the value: the
 * offsets of both and the name, `12,16:name`, so keys that are repeated stay apart.
 */
class YamlNode {
  /** Offset of its first character, after its tag and anchor. */
  readonly start: number;
  /** A scalar, or a list or mapping of nodes. */
  readonly value: unknown;
  /** The node that the parser completed last. */
  readonly #latest: { readonly start: number };

  constructor(start: number, value: unknown, latest: { readonly start: number }) {
    this.start = start;
    this.value = value;
    this.#latest = latest;
  }

  toString(): string {
    return `${this.start},${this.#latest.start}:${this.value === insideOf(this) ? "" : String(this.value)}`;
  }

  /** js-yaml rejects keys that are plain objects, which it recognises by this tag. */
  get [Symbol.toStringTag](): string {
    return "YamlNode";
  }
}

const nothingInside = {};

/** The list or mapping that a node is. In `[a, b: c]`, the pair is a mapping without its own node. */
function insideOf(node: unknown): object {
  const value = node instanceof YamlNode ? node.value : node;
  return typeof value !== "object" || value === null || value instanceof Respelled ? nothingInside : value;
}

interface Parts {
  readonly byName: ReadonlyMap<string, Spot>;
  readonly repeated: readonly (readonly [name: string, key: number])[];
}

const partsOf = memoized((inside: object): Parts => {
  const byName = new Map<string, Spot>();
  const repeated: [string, number][] = [];
  for (const [text, node] of Object.entries(inside)) {
    const [, key, value, name = ""] = /^(\d+),(\d+):(.*)$/s.exec(text) ?? [];
    if (Array.isArray(inside)) {
      const [[, first] = []] = partsOf(insideOf(node)).byName;
      const start = node instanceof YamlNode ? node.start : first?.key;
      if (start !== undefined) byName.set(text, { key: start, value: start, node });
    } else if (byName.has(name)) repeated.push([name, Number(key)]);
    else if (key !== undefined) byName.set(name, { key: Number(key), value: Number(value), node });
  }
  return { byName, repeated };
}, new WeakMap());

/** The documents of a text that `parseYaml` accepts, without empty ones, from the same parser. Empty if it is not YAML. */
function composeYaml(text: string): readonly YamlNode[] {
  const opened: number[] = [];
  const latest = { start: 0 };
  const documents: unknown[] = [];
  const listener = (event: "open" | "close", state: State) => {
    const { input, position, result } = state;
    if (event === "open") return opened.push(position);
    const start = findStart(input, opened.pop() ?? 0, position);
    latest.start = start;
    // A scalar may be composed twice, nested: first as a key, which it turns out not to be.
    if (result instanceof YamlNode) return;
    const isAlias = input[start] === "*" && insideOf(result) === result;
    state.result = new YamlNode(start, isAlias ? nothingInside : result, latest);
  };
  try {
    loadAll(text, (root) => documents.push(root), { schema: coreSchema, json: true, listener });
  } catch (error) {
    if (!(error instanceof YAMLException || error instanceof RangeError)) throw error;
  }
  return documents.filter((root): root is YamlNode => {
    return root instanceof YamlNode && (root.value instanceof Respelled ? root.value.value : root.value) !== null;
  });
}

/** White space, comments, tag and anchor before a node. */
const before = /(?:\s+|#[^\r\n]*|[!&][^\s,\]}]*)*/y;

function findStart(input: string, from: number, end: number): number {
  before.lastIndex = from;
  before.test(input);
  return before.lastIndex < end ? before.lastIndex : from;
}

/** Matches one written character of a scalar, such as an escape, by the style of the scalar. */
const styles: Readonly<Record<string, RegExp>> = {
  '"': /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|\r?\n|[\s\S])|[\s\S]/gi,
  "'": /''|[\s\S]/g,
};

/**
 * The offset in a written YAML scalar of a character of its value; beyond the last character, the end. YAML changes only
 * white space by folding and indentation, so the other characters are counted.
 */
function offsetWithin(scalar: string, value: string, offset: number): number {
  const [first = ""] = scalar;
  if (first === "*") return 0;
  const start = first in styles ? 1 : /^[|>]/.test(first) ? scalar.indexOf("\n") + 1 : 0;
  let left = value.slice(0, offset).replace(/\s/g, "").length;
  let end = start;
  const isEnd = value.slice(offset).trim() === "";
  for (const { 0: written, index } of scalar.slice(start).matchAll(styles[first] ?? /[\s\S]/g)) {
    if (left === 0 && isEnd) return end;
    if (/^(?:\s|\\[nrt\s]|\\\r\n)$/.test(written)) continue;
    if (left-- === 0) return start + index;
    end = start + index + written.length;
  }
  return end;
}
