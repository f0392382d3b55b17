import { vocabulary } from "../model/deprecations.ts";
import type { Token } from "./tokens.ts";

/**
 * The tokens of a program with their brackets and lines. Never throws: a bracket without its other half has none. Each
 * method takes the index of a token, which may be out of range.
 */
export class Program {
  readonly tokens: readonly Token[];
  readonly #matching: Int32Array;
  readonly #enclosing: Int32Array;
  readonly #startsLine: Uint8Array;
  readonly #indents: Int32Array;

  constructor(tokens: readonly Token[], text: string) {
    this.tokens = tokens;
    this.#matching = new Int32Array(tokens.length).fill(-1);
    this.#enclosing = new Int32Array(tokens.length).fill(-1);
    this.#startsLine = new Uint8Array(tokens.length);
    this.#indents = new Int32Array(tokens.length);
    this.#readBrackets();
    this.#readLines(text);
  }

  #readBrackets(): void {
    const open: number[] = [];
    for (const [index, { kind, text }] of this.tokens.entries()) {
      const last = open.at(-1);
      if (kind === "sign" && last !== undefined && pairs[this.textAt(last)] === text) {
        open.pop();
        this.#matching[last] = index;
        this.#matching[index] = last;
      }
      this.#enclosing[index] = open.at(-1) ?? -1;
      if (kind === "sign" && text in pairs) open.push(index);
    }
  }

  #readLines(text: string): void {
    let ended = 0;
    for (const [index, { start, text: own }] of this.tokens.entries()) {
      const gap = text.slice(ended, start);
      const isFirst = index === 0 || gap.includes("\n");
      this.#startsLine[index] = isFirst ? 1 : 0;
      this.#indents[index] = isFirst ? gap.length - gap.lastIndexOf("\n") - 1 : this.indent(index - 1);
      ended = Math.max(ended, start + own.length);
    }
  }

  /** The token's text; empty out of range. */
  textAt(index: number): string {
    return this.tokens[index]?.text ?? "";
  }

  isWord(index: number): boolean {
    return this.tokens[index]?.kind === "word";
  }

  isText(index: number): boolean {
    return this.tokens[index]?.kind === "text";
  }

  /** The other half of a bracket; -1 where there is none. */
  matching(index: number): number {
    return this.#matching[index] ?? -1;
  }

  /** The innermost open bracket; -1 outside of any. */
  enclosing(index: number): number {
    return this.#enclosing[index] ?? -1;
  }

  startsLine(index: number): boolean {
    return this.#startsLine[index] === 1;
  }

  /** The indentation of the token's line. */
  indent(index: number): number {
    return this.#indents[index] ?? 0;
  }

  /** Whether nothing is between two tokens. */
  areAdjacent(index: number, next: number): boolean {
    const [a, b] = [this.tokens[index], this.tokens[next]];
    return a !== undefined && b !== undefined && a.start + a.text.length === b.start;
  }

  /** Whether a dot or an arrow before a token makes it a member of something. */
  isMember(index: number): boolean {
    const sign = this.textAt(index - 1);
    return sign === "." || (sign === ">" && this.textAt(index - 2) === "-");
  }

  /** The name of the function that a parenthesis calls; empty where it only groups. */
  callee(open: number): string {
    let before = open - 1;
    if (/^[!?]$/.test(this.textAt(before))) before--;
    // A generic call has its types between the name and the parenthesis.
    if (this.textAt(before) === ">") before = this.#beforeTypes(before);
    if (this.textAt(open) !== "(" || !this.isWord(before)) return "";
    return vocabulary.code.control.has(this.textAt(before)) && !this.isMember(before) ? "" : this.textAt(before);
  }

  #beforeTypes(close: number): number {
    for (let at = close; at > close - 12 && at > 0; at--) if (this.textAt(at) === "<") return at - 1;
    return close;
  }

  /** Whether a brace holds statements; so does the program itself (-1). */
  isBlock(open: number): boolean {
    if (open < 0) return true;
    if (this.textAt(open) !== "{") return false;
    const before = this.tokens[open - 1];
    if (!before || (before.kind === "sign" && /[);{}]/.test(before.text))) return true;
    const isArrow = before.text === ">" && /^[=-]$/.test(this.textAt(open - 2));
    return isArrow || ((before.kind === "word" || /^[>\]]$/.test(before.text)) && this.#followsHead(open));
  }

  /** `else {`, `class Name {`, `name(): Type {`, `name() throws Fault {`, on the same line. */
  #followsHead(open: number): boolean {
    for (let index = open - 1; index >= Math.max(0, open - 14); index--) {
      const { kind, text = "" } = this.tokens[index] ?? {};
      if ((kind === "word" && vocabulary.code.blocks.has(text)) || text === ")") return true;
      if (this.startsLine(index) || (kind === "sign" && !/^[:<>[\].|*&?]$/.test(text))) return false;
    }
    return false;
  }
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
