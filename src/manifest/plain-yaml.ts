import { NotPlain, notPlain, PlainLines } from "./plain-lines.ts";

/** What is made of the nodes of a text; `start` is the offset of the first character. */
export interface NodeMaker<Node> {
  readonly scalar: (value: unknown, start: number) => Node;
  readonly list: (items: readonly Node[], start: number) => Node;
  readonly mapping: (start: number) => Node;
  /** Adds a pair to a mapping. */
  readonly put: (mapping: Node, key: string, start: number, value: Node) => void;
  /** Whether a mapping to which so many pairs were added is sound: duplicate keys may be a mistake. */
  readonly isSound: (mapping: Node, pairs: number) => boolean;
}

/**
 * The document of a text that is as plain as nearly all manifests are: block mappings, and lists and mappings of scalars without
 * escapes, anchors or tags. Undefined for all other texts, valid or not, which the parser of YAML reads.
 */
export function readPlainYaml<Node>(text: string, make: NodeMaker<Node>): { readonly root: Node } | undefined {
  if (unusual.test(text)) return undefined;
  try {
    return { root: new PlainReader(text, make).document() };
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Also characters that YAML allows: tabs, and those that some take for the end of a line. */
const unusual = /[^\n -~\u00a1-\u1fff\u3001-\ud7ff]/;

const [comma, dash, listBegins, listEnds, mappingBegins, mappingEnds] = [44, 45, 91, 93, 123, 125] as const;

const mostDepth = 20;

class PlainReader<Node> {
  readonly #lines: PlainLines;
  readonly #make: NodeMaker<Node>;
  #depth = 0;

  constructor(text: string, make: NodeMaker<Node>) {
    this.#lines = new PlainLines(text);
    this.#make = make;
  }

  document(): Node {
    const lines = this.#lines;
    lines.next();
    if (lines.indent === 0 && lines.isRest("---")) lines.next();
    if (lines.indent !== 0) notPlain();
    const root = this.#mapping(0);
    return lines.indent < 0 ? root : notPlain();
  }

  #mapping(indent: number): Node {
    const lines = this.#lines;
    const mapping = this.#make.mapping(lines.at);
    let pairs = 0;
    if (this.#depth++ > mostDepth) notPlain();
    for (; lines.indent === indent; pairs++) {
      const start = lines.at;
      const key = lines.key();
      this.#make.put(mapping, key, start, this.#valueIn(indent));
    }
    this.#depth--;
    return lines.indent > indent || !this.#make.isSound(mapping, pairs) ? notPlain() : mapping;
  }

  /** The value of a key of a mapping, to the line behind it. */
  #valueIn(indent: number): Node {
    const lines = this.#lines;
    lines.skipSpaces();
    if (!lines.isRestEmpty()) return this.#onLine();
    lines.next();
    if (lines.indent >= indent && lines.isAlone(dash)) return this.#list(lines.indent);
    return lines.indent > indent ? this.#mapping(lines.indent) : notPlain();
  }

  #list(indent: number): Node {
    const lines = this.#lines;
    const start = lines.at;
    const items: Node[] = [];
    while (lines.indent === indent && lines.isAlone(dash)) {
      lines.at++;
      lines.skipSpaces();
      items.push(lines.isRestEmpty() ? notPlain() : this.#onLine());
    }
    return lines.indent > indent ? notPlain() : this.#make.list(items, start);
  }

  /** A value that ends on its line, to the line behind it. */
  #onLine(): Node {
    const lines = this.#lines;
    const { at, code } = lines;
    const value =
      code === listBegins
        ? this.#flowList(at)
        : code === mappingBegins
          ? this.#flowMapping(at)
          : this.#make.scalar(lines.scalar(), at);
    lines.nextAfterValue();
    return value;
  }

  #flowList(start: number): Node {
    const items: Node[] = [];
    this.#eachIn(listEnds, () => items.push(this.#flowScalar()));
    return this.#make.list(items, start);
  }

  #flowMapping(start: number): Node {
    const mapping = this.#make.mapping(start);
    let pairs = 0;
    this.#eachIn(mappingEnds, () => {
      const { at } = this.#lines;
      const key = this.#lines.key();
      this.#lines.skipSpaces();
      this.#make.put(mapping, key, at, this.#flowScalar());
      pairs++;
    });
    return this.#make.isSound(mapping, pairs) ? mapping : notPlain();
  }

  /** Reads what is between brackets and commas. */
  #eachIn(last: number, read: () => void): void {
    const lines = this.#lines;
    lines.at++;
    for (lines.skipSpaces(); lines.code !== last; lines.skipSpaces()) {
      read();
      lines.skipSpaces();
      if (lines.code === comma) lines.at++;
      else if (lines.code !== last) notPlain();
    }
    lines.at++;
  }

  #flowScalar(): Node {
    const { at } = this.#lines;
    return this.#make.scalar(this.#lines.flowScalar(), at);
  }
}
