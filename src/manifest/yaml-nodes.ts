import { loadAll, type State, YAMLException } from "js-yaml";
import { Respelled } from "./respelled.ts";
import { core } from "./yaml.ts";

/** A value as it is written. */
export interface YamlNode {
  /** The offset of its first character, behind its tag and anchor. */
  readonly start: number;
  /** What it is called as a key. */
  readonly name: string;
  /** Of a list. */
  readonly items: readonly YamlNode[];
  /** Of a mapping, in the order of the text, with keys that are there already. */
  readonly pairs: readonly YamlPair[];
}

interface YamlPair {
  readonly key: YamlNode;
  /** Undefined for a key alone. */
  readonly value: YamlNode | undefined;
}

/**
 * The documents of a text that {@link parseYaml} accepts, without empty ones, as the same parser composes them. Inside an alias
 * there is nothing. None where a text is not YAML.
 */
export function composeYaml(text: string): readonly YamlNode[] {
  const composing = new Composing();
  const documents: unknown[] = [];
  try {
    const listener = (event: "open" | "close", state: State) => composing[event](state);
    loadAll(text, (root) => documents.push(root), { schema: core, json: true, listener });
  } catch (error) {
    if (!(error instanceof YAMLException || error instanceof RangeError)) throw error;
  }
  return documents.filter((root): root is Composed => root instanceof Composed && !root.isEmpty);
}

/** Replaces each value that the parser composes, in its list or as a key. */
class Composed implements YamlNode {
  readonly start: number;
  readonly name: string;
  readonly items: readonly YamlNode[];
  readonly pairs: readonly YamlPair[];
  readonly isEmpty: boolean;
  readonly #composing: Composing;

  constructor(composing: Composing, start: number, value: unknown, { items, pairs }: Inside) {
    this.#composing = composing;
    this.start = start;
    this.name = value instanceof Composed ? value.name : nameOf(value);
    this.items = items;
    this.pairs = pairs;
    this.isEmpty = value === null || (value instanceof Respelled && value.value === null);
  }

  /** The parser asks for it once: where it stores the pair that this is the key of. */
  toString(): string {
    this.#composing.pair(this);
    return this.name;
  }

  /** The parser does not ask plain objects for their text. */
  get [Symbol.toStringTag](): string {
    return "Composed";
  }
}

function nameOf(value: unknown): string {
  return typeof value === "object" && value !== null && !(value instanceof Respelled) ? "" : String(value);
}

type Inside = Pick<YamlNode, "items" | "pairs">;

const nothing: Inside = { items: [], pairs: [] };

function insideOf(value: unknown, pairs: readonly YamlPair[]): Inside {
  return Array.isArray(value) ? { items: itemsOf(value, pairs), pairs: [] } : { items: [], pairs };
}

/** In `[a, b: c]` the pair is a mapping that the parser composes no node for. */
function itemsOf(values: readonly unknown[], pairs: readonly YamlPair[]): readonly YamlNode[] {
  const inList = pairs.values();
  return values.flatMap((value): YamlNode[] => {
    if (value instanceof Composed) return [value];
    const pair = inList.next().value;
    return pair ? [{ start: pair.key.start, name: "", items: [], pairs: [pair] }] : [];
  });
}

/** What comes before a node: white space, comments, its tag and its anchor. */
const before = /(?:\s+|#[^\r\n]*|[!&][^\s,\]}]*)*/y;

/** Listens to the parser. A scalar may be composed twice, one inside the other: as a key that it turns out not to be. */
class Composing {
  readonly #open: { readonly from: number; readonly pairs: number }[] = [];
  readonly #pairs: YamlPair[] = [];
  #last: YamlNode | undefined;

  open({ position }: State): void {
    this.#open.push({ from: position, pairs: this.#pairs.length });
  }

  close(state: State): void {
    const { from, pairs: first } = this.#open.pop() ?? { from: 0, pairs: 0 };
    const start = startOf(state.input, from, state.position);
    const isAlias = state.input[start] === "*";
    const pairs = this.#pairs.splice(first);
    if (isAlias || !(state.result instanceof Composed))
      state.result = new Composed(this, start, state.result, isAlias ? nothing : insideOf(state.result, pairs));
    this.#last = state.result;
  }

  pair(key: YamlNode): void {
    this.#pairs.push({ key, value: this.#last === key ? undefined : this.#last });
  }
}

/** Where nothing is written, the node is where it would begin. */
function startOf(input: string, from: number, end: number): number {
  before.lastIndex = from;
  before.test(input);
  return before.lastIndex < end ? before.lastIndex : from;
}
