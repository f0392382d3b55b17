import { valueOfPlain } from "./yaml-scalars.ts";

/** Thrown for what is not plain. */
export class NotPlain extends Error {}

/** @throws NotPlain */
export function notPlain(): never {
  throw new NotPlain();
}

// Codes of characters, because those are compared faster than characters.
const space = 32;
const doubleQuote = 34;
const hash = 35;
const singleQuote = 39;
const colon = 58;

function charactersOf(pattern: RegExp): readonly boolean[] {
  return Array.from({ length: 128 }, (_, code) => pattern.test(String.fromCharCode(code)));
}

const beginsKey = charactersOf(/\w/);
const inKey = charactersOf(/[\w .+/()-]/);
const beginsScalar = charactersOf(/[\w./$(~+]/);

/** In `[…]` and `{…}`. */
const flowScalar = /[\w/][\w./@*+-]*(?::[\w/][\w./@*+-]*)*/y;

/** Reads the keys and the scalars of a text, line by line. What it cannot read is not plain, which it throws. */
export class PlainLines {
  readonly #text: string;
  /** The offset of the next character. */
  at = 0;
  /** The indentation of the line; -1 after the last one. */
  indent = 0;
  /** The offset at which the line begins. */
  startOfLine = 0;
  #end = -1;

  constructor(text: string) {
    this.#text = text;
  }

  /** The code of the next character. */
  get code(): number {
    return this.#text.charCodeAt(this.at);
  }

  /** To the first character of the next line that is neither blank nor a comment. */
  next(): void {
    const text = this.#text;
    for (let start = this.#end + 1; start < text.length; start = this.#end + 1) {
      this.at = start;
      this.startOfLine = start;
      this.skipSpaces();
      const end = text.indexOf("\n", this.at);
      this.#end = end < 0 ? text.length : end;
      this.indent = this.at - start;
      if (!this.isRestEmpty()) return;
    }
    this.indent = -1;
  }

  /** The same from the beginning of a line on. */
  goTo(startOfLine: number): void {
    this.#end = startOfLine - 1;
    this.next();
  }

  skipSpaces(): void {
    while (this.#text.charCodeAt(this.at) === space) this.at++;
  }

  /** Whether the line ends here, or a comment begins. */
  isRestEmpty(): boolean {
    return this.at >= this.#end || this.#text.charCodeAt(this.at) === hash;
  }

  /** To the next line, from the end of a value. */
  nextAfterValue(): void {
    const last = this.at;
    this.skipSpaces();
    if (!this.isRestEmpty() || (this.at === last && this.at < this.#end)) notPlain();
    this.next();
  }

  /** Whether the rest of the line is a text. */
  isRest(text: string): boolean {
    return this.#text.slice(this.at, this.#end) === text;
  }

  /** Whether a character is the next one, with a space behind it. */
  isAlone(code: number): boolean {
    return this.#text.charCodeAt(this.at) === code && this.#text.charCodeAt(this.at + 1) === space;
  }

  /** The key here, to behind its colon. */
  key(): string {
    const text = this.#text;
    const key = this.isQuote() ? this.quoted() : this.#plainKey();
    if (key === "__proto__" || text.charCodeAt(this.at++) !== colon) notPlain();
    return this.at === this.#end || text.charCodeAt(this.at) === space ? key : notPlain();
  }

  #plainKey(): string {
    const text = this.#text;
    const start = this.at;
    if (!beginsKey[text.charCodeAt(start)]) notPlain();
    while (inKey[text.charCodeAt(this.at)]) this.at++;
    return text.charCodeAt(this.at - 1) === space ? notPlain() : text.slice(start, this.at);
  }

  isQuote(): boolean {
    const code = this.#text.charCodeAt(this.at);
    return code === doubleQuote || code === singleQuote;
  }

  /** The quoted text here, which has no escapes, to behind its last quote. */
  quoted(): string {
    const text = this.#text;
    const isDouble = text.charCodeAt(this.at) === doubleQuote;
    const start = this.at + 1;
    const last = text.indexOf(isDouble ? '"' : "'", start);
    if (last < 0 || last > this.#end) notPlain();
    this.at = last + 1;
    const inside = text.slice(start, last);
    const isEscaped = isDouble ? inside.includes("\\") : text.charCodeAt(this.at) === singleQuote;
    return isEscaped ? notPlain() : inside;
  }

  /** The value of the scalar here, to its end. It ends before a comment; a key in it would make a mapping of it. */
  scalar(): unknown {
    if (this.isQuote()) return this.quoted();
    const text = this.#text;
    const start = this.at;
    if (!beginsScalar[text.charCodeAt(start)]) notPlain();
    let last = start;
    for (let at = start; at < this.#end; at++) {
      const code = text.charCodeAt(at);
      if (code === colon && (at + 1 === this.#end || text.charCodeAt(at + 1) === space)) notPlain();
      if (code === hash && text.charCodeAt(at - 1) === space) break;
      if (code !== space) last = at;
    }
    this.at = last + 1;
    return valueOfPlain(text.slice(start, this.at));
  }

  /** The same in `[…]` and `{…}`. */
  flowScalar(): unknown {
    if (this.isQuote()) return this.quoted();
    flowScalar.lastIndex = this.at;
    const [text] = flowScalar.exec(this.#text) ?? notPlain();
    this.at = flowScalar.lastIndex;
    return valueOfPlain(text);
  }
}
