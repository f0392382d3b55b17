import { keepBlock, knownBlock, markCommon } from "./common-blocks.ts";
import { NotPlain, notPlain, PlainLines } from "./plain-lines.ts";

type Mapping = Record<string, unknown>;

/**
 * The document of a text that is as plain as nearly all manifests are: block mappings, and lists and mappings of scalars without
 * escapes, anchors or tags. Undefined for all other texts, valid or not, which the parser of YAML reads.
 */
export function readPlainYaml(text: string): { readonly root: unknown } | undefined {
  if (unusual.test(text)) return undefined;
  try {
    return { root: new PlainReader(text).document() };
  } catch (error) {
    if (error instanceof NotPlain) return undefined;
    throw error;
  }
}

/** Also characters that YAML allows: tabs, and those that some take for the end of a line. */
const unusual = /[^\n -~\u00a1-\u1fff\u3001-\ud7ff]/;

const [comma, dash, listBegins, listEnds, mappingBegins, mappingEnds] = [44, 45, 91, 93, 123, 125] as const;

const mostDepth = 20;

class PlainReader {
  readonly #text: string;
  readonly #lines: PlainLines;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lines = new PlainLines(text);
  }

  document(): Mapping {
    const lines = this.#lines;
    lines.next();
    if (lines.indent === 0 && lines.isRest("---")) lines.next();
    if (lines.indent !== 0) notPlain();
    const root = this.#mapping(0);
    return lines.indent < 0 ? root : notPlain();
  }

  #mapping(indent: number): Mapping {
    const lines = this.#lines;
    const mapping: Mapping = {};
    let pairs = 0;
    if (this.#depth++ > mostDepth) notPlain();
    for (; lines.indent === indent; pairs++) {
      const key = lines.key();
      mapping[key] = this.#valueIn(indent, key);
    }
    this.#depth--;
    return lines.indent > indent || hasDuplicates(mapping, pairs) ? notPlain() : mapping;
  }

  /** The value of a key of a mapping, to the line behind it. */
  #valueIn(indent: number, key: string): unknown {
    const lines = this.#lines;
    lines.skipSpaces();
    if (!lines.isRestEmpty()) return this.#onLine();
    lines.next();
    if (lines.indent >= indent && lines.isAlone(dash)) return this.#list(lines.indent);
    return lines.indent > indent ? this.#block(key) : notPlain();
  }

  /** The mapping of a key in the lines from here on, which may be the same one as in other manifests. */
  #block(key: string): object {
    const lines = this.#lines;
    const { startOfLine, indent } = lines;
    const known = knownBlock(key, this.#text, startOfLine);
    if (known) {
      lines.goTo(startOfLine + known.text.length);
      if (lines.indent < indent) {
        markCommon(known);
        return known.value;
      }
      lines.goTo(startOfLine);
    }
    const value = this.#mapping(indent);
    const text = this.#text.slice(startOfLine, lines.indent < 0 ? undefined : lines.startOfLine);
    if (text.endsWith("\n")) keepBlock(key, { text, value });
    return value;
  }

  #list(indent: number): readonly unknown[] {
    const lines = this.#lines;
    const items: unknown[] = [];
    while (lines.indent === indent && lines.isAlone(dash)) {
      lines.at++;
      lines.skipSpaces();
      items.push(lines.isRestEmpty() ? notPlain() : this.#onLine());
    }
    return lines.indent > indent ? notPlain() : items;
  }

  /** A value that ends on its line, to the line behind it. */
  #onLine(): unknown {
    const lines = this.#lines;
    const { code } = lines;
    const value =
      code === listBegins ? this.#flowList() : code === mappingBegins ? this.#flowMapping() : lines.scalar();
    lines.nextAfterValue();
    return value;
  }

  #flowList(): readonly unknown[] {
    const items: unknown[] = [];
    this.#eachIn(listEnds, () => items.push(this.#lines.flowScalar()));
    return items;
  }

  #flowMapping(): Mapping {
    const lines = this.#lines;
    const mapping: Mapping = {};
    let pairs = 0;
    this.#eachIn(mappingEnds, () => {
      const key = lines.key();
      lines.skipSpaces();
      mapping[key] = lines.flowScalar();
      pairs++;
    });
    return hasDuplicates(mapping, pairs) ? notPlain() : mapping;
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
}

/** Duplicate keys may be a mistake. */
function hasDuplicates(mapping: Mapping, pairs: number): boolean {
  return Object.keys(mapping).length !== pairs;
}
