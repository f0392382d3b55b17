import { vocabulary } from "../model/deprecations.ts";
import type { Program } from "./program.ts";
import type { TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";
import type { Address, SentParameter } from "./traffic.ts";

/** The value of a name or an expression. */
export interface FlowValue {
  /** Addresses of requests that are not sent yet. */
  readonly addresses: readonly Address[];
  readonly responses: readonly Address[];
  /** Set where it is a field of the responses. */
  readonly field: Token | undefined;
  readonly sent: readonly SentParameter[];
  /** Set where it is a string literal. */
  readonly literal: TextFragment | undefined;
}

export const unknown: FlowValue = { addresses: [], responses: [], field: undefined, sent: [], literal: undefined };

/** A function that ends at a bracket, or before a line that is indented no deeper than its own. */
interface Scope {
  readonly mark: number;
  readonly end: number;
  readonly column: number;
}

/**
 * The values of names in nested scopes. Assignments in a function are undone at its end. Functions are delimited
 * by braces, or by indentation.
 */
export class Scopes {
  readonly #program: Program;
  readonly #values = new Map<string, FlowValue>();
  readonly #undo: { readonly name: string; readonly before: FlowValue | undefined }[] = [];
  readonly #scopes: Scope[] = [];
  readonly #parameters = new Set<number>();

  constructor(program: Program) {
    this.#program = program;
  }

  get(name: string): FlowValue | undefined {
    return this.#values.get(name);
  }

  isParameter(index: number): boolean {
    return this.#parameters.has(index);
  }

  set(name: string, value: FlowValue): void {
    // Members of an object outlive the method that sets them.
    if (!/^(?:this\.|@)/.test(name)) this.#undo.push({ name, before: this.#values.get(name) });
    this.#values.set(name, value);
  }

  /** Enters and leaves scopes; to be called for each token in order. */
  reach(index: number): void {
    for (let scope = this.#scopes.at(-1); scope && this.#isOver(scope, index); scope = this.#scopes.at(-1))
      this.#leave(scope.mark);
    if (this.#program.textAt(index) === "(") this.#enterBraces(index);
    if (this.#isDefinition(index)) this.#enterLines(index);
    if (this.#program.textAt(index) === "(" && this.#isArrow(this.#program.matching(index) + 1))
      this.#takeAll(index, this.#program.matching(index));
    if (this.#program.isWord(index) && this.#isArrow(index + 1)) this.#take(index);
    if (this.#program.textAt(index) === "|" && /^(?:\{|do)$/.test(this.#program.textAt(index - 1)))
      this.#takeUntil("|", index + 1);
    if (this.#program.textAt(index) === "lambda") this.#takeUntil(":", index + 1);
  }

  #isOver({ end, column }: Scope, index: number): boolean {
    if (end >= 0) return index > end;
    return (
      this.#program.startsLine(index) && this.#program.enclosing(index) < 0 && this.#program.indent(index) <= column
    );
  }

  #leave(mark: number): void {
    this.#scopes.pop();
    for (
      let entry = this.#undo.length > mark ? this.#undo.pop() : undefined;
      entry;
      entry = this.#undo.length > mark ? this.#undo.pop() : undefined
    ) {
      if (entry.before) this.#values.set(entry.name, entry.before);
      else this.#values.delete(entry.name);
    }
  }

  /** `name(a, b) type {`, `(a, b) => {`; not `if (a) {`. */
  #enterBraces(open: number): void {
    const close = this.#program.matching(open);
    const word = this.#program.tokens[open - 1];
    if (close < 0 || (word?.kind === "word" && vocabulary.code.control.has(word.text))) return;
    const body = this.#bodyBehind(close);
    if (body < 0) return;
    this.#scopes.push({ mark: this.#undo.length, end: this.#program.matching(body), column: 0 });
    this.#takeAll(open, close);
  }

  /** Types may be between parameters and body. */
  #bodyBehind(close: number): number {
    for (let at = close + 1; at < close + 10; at++) {
      const { text: sign = "", kind } = this.#program.tokens[at] ?? {};
      if (sign === "{") return at;
      if (sign === "(" && this.#program.matching(at) > 0) at = this.#program.matching(at);
      else if (kind !== "word" && !/[:<>*=[\],|?-]/.test(sign)) return -1;
      else if (this.#program.startsLine(at)) return -1;
    }
    return -1;
  }

  #isDefinition(index: number): boolean {
    return this.#program.isWord(index) && this.#program.textAt(index) === "def";
  }

  #enterLines(index: number): void {
    this.#scopes.push({ mark: this.#undo.length, end: -1, column: this.#program.indent(index) });
    const open = [1, 2, 3, 4, 5].map((step) => index + step).find((at) => this.#program.textAt(at) === "(");
    if (open !== undefined) this.#takeAll(open, this.#program.matching(open));
  }

  /** `=>` after parameters. */
  #isArrow(index: number): boolean {
    return (
      this.#program.textAt(index) === "=" &&
      this.#program.textAt(index + 1) === ">" &&
      this.#program.areAdjacent(index, index + 1)
    );
  }

  #takeAll(open: number, close: number): void {
    for (let at = open + 1; at < Math.min(close, open + 200); at++) this.#take(at);
  }

  #takeUntil(sign: string, from: number): void {
    for (let at = from; this.#program.textAt(at) !== sign && at < from + 10; at++) this.#take(at);
  }

  #take(at: number): void {
    if (this.#program.isWord(at)) this.#parameters.add(at);
  }
}
