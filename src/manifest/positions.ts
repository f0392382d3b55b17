import { loadAll, type State, YAMLException } from "js-yaml";
import { lazy } from "../base/memoize.ts";
import type { Place } from "../model/types.ts";
import { coreSchema, Respelled } from "./yaml.ts";

export type Path = readonly (string | number)[];

/** A part of a file that was parsed on its own, and the number of lines before it. */
export interface ManifestSource {
  readonly file: string;
  readonly text: string;
  readonly linesBefore: number;
}

/** Finds positions in the documents of a source. Indices do not count empty documents. */
export interface Places {
  /** Position of a value or of its key; if the path does not exist, of its deepest existing part. */
  place(document: number, path: Path, of: "key" | "value"): Place;
  /** Position of a character of the string at a path; `text` is the value of the string. */
  within(document: number, path: Path, text: string, offset: number): Place;
  isCommented(document: number, path: Path): boolean;
  duplicates(document: number): readonly { readonly path: Path; readonly place: Place; readonly first: Place }[];
}

/** Parses the text again, with positions, on first use: most manifests need none. */
export function placesIn({ file, text, linesBefore }: ManifestSource): Places {
  const documents = lazy(() => composeYaml(text));
  const lines = lazy(() => findLineStarts(text));
  const placeAt = (offset: number): Place => {
    const line = lastUpTo(lines(), offset);
    return { file, line: line + 1 + linesBefore, column: offset - (lines()[line] ?? 0) + 1 };
  };
  const spot = (document: number, path: Path) => nearestSpot(documents()[document], path);
  return {
    place: (document, path, of) => placeAt(spot(document, path)[of]),
    within: (document, path, value, offset) => {
      const start = spot(document, path).value;
      return placeAt(start + offsetWithin(text.slice(start, start + longestScalar), value, offset));
    },
    isCommented: (document, path) => {
      const { key } = spot(document, path);
      return commented.test(text.slice(key, key + longestScalar).split("\n")[0] ?? "");
    },
    duplicates: (document) =>
      listDuplicates(documents()[document], [])
        .sort((a, b) => a.at - b.at)
        .map(({ path, at, first }) => ({ path, place: placeAt(at), first: placeAt(first) })),
  };
}

const commented = /^(?:[^:#]*:\s+)?#/;

function findLineStarts(text: string): readonly number[] {
  return [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
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

/** Offsets of a value and of its key. Values inside an alias have the position of the alias. */
function nearestSpot(root: YamlNode | undefined, path: Path): { readonly key: number; readonly value: number } {
  let [key, node] = [root?.start ?? 0, root];
  for (const part of path) {
    const pair = node?.below.get(String(part));
    if (!pair) break;
    [key, node] = [pair.key.start, pair.value];
    if (!node) return { key, value: key };
  }
  return { key, value: node?.start ?? key };
}

interface Duplicate {
  readonly path: Path;
  readonly at: number;
  readonly first: number;
}

function listDuplicates(node: YamlNode | undefined, path: Path): Duplicate[] {
  if (!node) return [];
  const own = node.repeated.map(({ name, start }): Duplicate => {
    return { path: [...path, name], at: start, first: node.below.get(name)?.key.start ?? 0 };
  });
  return [...own, ...Array.from(node.below).flatMap(([name, { value }]) => listDuplicates(value, [...path, name]))];
}

interface YamlNode {
  /** Offset of its first character, after its tag and anchor. */
  readonly start: number;
  readonly name: string;
  readonly below: ReadonlyMap<string, YamlPair>;
  readonly repeated: readonly YamlNode[];
}

interface YamlPair {
  readonly key: YamlNode;
  readonly value: YamlNode | undefined;
}

/**
 * The documents of a text that `parseYaml` accepts, without empty ones, from the same parser. Aliases have no inner
 * positions. Empty if a text is not YAML.
 */
function composeYaml(text: string): readonly YamlNode[] {
  const composer = new Composer();
  const documents: unknown[] = [];
  try {
    const listener = (event: "open" | "close", state: State) => composer[event](state);
    loadAll(text, (root) => documents.push(root), { schema: coreSchema, json: true, listener });
  } catch (error) {
    if (!(error instanceof YAMLException || error instanceof RangeError)) throw error;
  }
  return documents.filter((root): root is ComposedNode => root instanceof ComposedNode && !root.isEmpty);
}

/** Replaces each value of the parser, in its list or as a key. */
class ComposedNode implements YamlNode {
  readonly start: number;
  readonly name: string;
  readonly below: ReadonlyMap<string, YamlPair>;
  readonly repeated: readonly YamlNode[];
  readonly isEmpty: boolean;
  readonly #composer: Composer;

  constructor(composer: Composer, start: number, value: unknown, parts: readonly NamedPair[]) {
    this.#composer = composer;
    this.start = start;
    this.name = value instanceof ComposedNode ? value.name : nodeName(value);
    this.isEmpty = value === null || (value instanceof Respelled && value.value === null);
    const below = new Map<string, YamlPair>();
    const repeated: YamlNode[] = [];
    for (const [name, pair] of parts) {
      if (below.has(name)) repeated.push(pair.key);
      else below.set(name, pair);
    }
    this.below = below;
    this.repeated = repeated;
  }

  /** The parser calls it once, to store the pair with this key. */
  toString(): string {
    this.#composer.pair(this);
    return this.name;
  }

  /** js-yaml rejects keys that are plain objects, which it recognises by this tag. */
  get [Symbol.toStringTag](): string {
    return "ComposedNode";
  }
}

function nodeName(value: unknown): string {
  return typeof value === "object" && value !== null && !(value instanceof Respelled) ? "" : String(value);
}

type NamedPair = readonly [name: string, pair: YamlPair];

function byKey(pair: YamlPair): NamedPair {
  return [pair.key.name, pair];
}

/** In `[a, b: c]`, the pair is a mapping without its own node. */
function listItems(values: readonly unknown[], pairs: readonly YamlPair[]): readonly NamedPair[] {
  const inList = pairs.values();
  const nodes = values.flatMap((value): YamlNode[] => {
    if (value instanceof ComposedNode) return [value];
    const pair = inList.next().value;
    return pair ? [{ start: pair.key.start, name: "", below: new Map([byKey(pair)]), repeated: [] }] : [];
  });
  return nodes.map((node, index) => [String(index), { key: node, value: node }]);
}

/** White space, comments, tag and anchor before a node. */
const before = /(?:\s+|#[^\r\n]*|[!&][^\s,\]}]*)*/y;

/** Listens to the parser. A scalar may be composed twice, nested: first as a key, which it turns out not to be. */
class Composer {
  readonly #open: { readonly from: number; readonly pairs: number }[] = [];
  readonly #pairs: YamlPair[] = [];
  #last: YamlNode | undefined;

  open({ position }: State): void {
    this.#open.push({ from: position, pairs: this.#pairs.length });
  }

  close(state: State): void {
    const { from, pairs: first } = this.#open.pop() ?? { from: 0, pairs: 0 };
    const start = findStart(state.input, from, state.position);
    const pairs = this.#pairs.splice(first);
    const { result } = state;
    if (state.input[start] === "*") state.result = new ComposedNode(this, start, result, []);
    else if (!(result instanceof ComposedNode)) {
      const parts = Array.isArray(result) ? listItems(result, pairs) : pairs.map(byKey);
      state.result = new ComposedNode(this, start, result, parts);
    }
    this.#last = state.result as YamlNode;
  }

  pair(key: YamlNode): void {
    this.#pairs.push({ key, value: this.#last === key ? undefined : this.#last });
  }
}

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
    if (isBlank(written)) continue;
    if (left-- === 0) return start + index;
    end = start + index + written.length;
  }
  return end;
}

function isBlank(written: string): boolean {
  return /^(?:\s|\\[nrt\s])$/.test(written) || /^\\\r?\n$/.test(written);
}
