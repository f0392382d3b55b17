import { vocabulary } from "../model/deprecations.ts";
import type { Program } from "./program.ts";
import type { Token } from "./tokens.ts";
import type { Address } from "./traffic.ts";

/** An expression that is a response or a field of one. */
export interface ResponseValue {
  readonly addresses: readonly Address[];
  /** The name of the field; undefined for the response itself. */
  readonly field: Token | undefined;
}

/** The end and the value of an expression that begins with a response. */
export interface FollowedValue extends ResponseValue {
  readonly end: number;
  /** Whether it continues in an unknown way. */
  readonly isUnknown: boolean;
  /** Fields that it reads. */
  readonly read: readonly Token[];
  /** Callback parameters that receive the response or a part of it. */
  readonly parameters: readonly number[];
}

const { unwrapping, getting, decoding, mapping, folding } = vocabulary.code;

/** Follows an expression after a response into lists, wrappers and callbacks, up to a field. */
export function followed(program: Program, from: number, { addresses, field }: ResponseValue): FollowedValue {
  return { addresses, ...new ResponsePath(program, from, field).follow() };
}

class ResponsePath {
  readonly #program: Program;
  readonly #parameters: number[] = [];
  readonly #read: Token[] = [];
  #at: number;
  #named: Token | undefined;

  constructor(program: Program, from: number, field: Token | undefined) {
    this.#program = program;
    this.#at = from;
    this.#named = field;
  }

  follow(): Omit<FollowedValue, "addresses"> {
    let next: number | undefined = this.#at;
    for (let steps = 0; steps < 400 && next !== undefined; steps++) {
      this.#at = next;
      next = this.#step();
      if (next === this.#at) break;
    }
    const [read, parameters] = [this.#read, this.#parameters];
    return { field: this.#named, end: this.#at, isUnknown: next === undefined, read, parameters };
  }

  #step(): number | undefined {
    const sign = this.#program.textAt(this.#at);
    if (this.#program.isWord(this.#at) && (sign === "do" || sign === "as")) return this.#block(this.#at) ?? this.#at;
    if (this.#program.tokens[this.#at]?.kind !== "sign") return this.#at;
    if (sign === ")") return this.#closing(this.#at);
    if (sign === ",") return this.#decoded();
    if (sign === "?" || sign === "!")
      return this.#program.textAt(this.#at + 1) === "." || this.#program.textAt(this.#at + 1) === "["
        ? this.#at + 1
        : this.#at;
    if (sign === "[") return this.#index();
    if (sign === "|") return this.#piped();
    if (sign === "{") return this.#block(this.#at) ?? this.#at;
    if (sign === ".") return this.#member(this.#at + 1);
    if (sign === "&" && this.#program.textAt(this.#at + 1) === ".") return this.#member(this.#at + 2);
    return sign === "-" &&
      this.#program.textAt(this.#at + 1) === ">" &&
      this.#program.areAdjacent(this.#at, this.#at + 1)
      ? this.#member(this.#at + 2)
      : this.#at;
  }

  /** `(await x)` and `JSON.parse(x)` are x; the value of any other call is unknown. */
  #closing(close: number): number | undefined {
    const open = this.#program.matching(close);
    const name = open < 0 ? undefined : this.#program.callee(open);
    if (name === undefined) return this.#at;
    if (name === "")
      return /^(?:if|elif|elsif|while|until|for|foreach|switch|match|catch)$/.test(this.#program.textAt(open - 1))
        ? this.#at
        : this.#at + 1;
    if (this.#named !== undefined) return this.#at;
    return decoding.has(name) ? this.#at + 1 : this.#at;
  }

  /** `json_decode(x, true)`. */
  #decoded(): number | undefined {
    const open = this.#program.enclosing(this.#at);
    const close = this.#program.matching(open);
    return close > this.#at && this.#named === undefined && decoding.has(this.#program.callee(open))
      ? close + 1
      : this.#at;
  }

  #index(): number | undefined {
    const close = this.#program.matching(this.#at);
    if (close < 0 || this.#program.startsLine(this.#at)) return this.#at;
    const key = this.#program.tokens[close - 1];
    const isText = key?.kind === "text" && close === this.#at + 2;
    const isSymbol = key?.kind === "word" && this.#program.textAt(this.#at + 1) === ":" && close === this.#at + 3;
    if (!isText && !isSymbol) return close + 1;
    return this.#enter(key, close + 1);
  }

  #member(name: number): number | undefined {
    const token = this.#program.tokens[name];
    if (token?.kind !== "word") return this.#at;
    const called = this.#program.textAt(name + 1) === "(" ? name + 1 : -1;
    if (called < 0) return this.#isMapped(token, name + 1) ? undefined : this.#enter(token, name + 1);
    const close = this.#program.matching(called);
    if (close < 0) return undefined;
    const key = this.#program.tokens[called + 1];
    if (key?.kind === "text" && getting.has(token.text)) return this.#enter(key, close + 1);
    if (/^get[A-Z]/.test(token.text) && close === called + 1 && !unwrapping.has(token.text))
      return this.#enter(token, close + 1);
    if (!unwrapping.has(token.text)) return undefined;
    const parameter = this.#callback(called);
    return mapping.has(token.text) && !this.#gives(parameter, close) ? undefined : close + 1;
  }

  /** `.map { |r| … }` has another value than its receiver. */
  #isMapped({ text }: Token, open: number): boolean {
    const isBlock = mapping.has(text) && /^(?:\{|do)$/.test(this.#program.textAt(open));
    if (isBlock) this.#block(open);
    return isBlock;
  }

  #enter(key: Token, end: number): number | undefined {
    if (unwrapping.has(key.text)) return end;
    if (this.#named !== undefined) return undefined;
    this.#named = key;
    this.#read.push(key);
    return end;
  }

  /** `(r) => …`, `function (r) {`, `lambda r:`, `fn($r) =>` as the first argument. */
  #callback(open: number): number {
    let first = open + 1;
    while (/^(?:async|function|fn|lambda|static|func|\(|\{|\[|&|mut)$/.test(this.#program.textAt(first))) first++;
    const end = this.#program.matching(open);
    // A fold passes the accumulator first, and then an item.
    if (this.#isFolding(open) && this.#program.textAt(first + 1) === ",")
      first += this.#program.textAt(first + 2) === "{" ? 3 : 2;
    // `.json(&map)` has no callback.
    const isAlone = first + 1 === end;
    if (this.#program.isWord(first) && !isAlone && first < Math.min(end, open + 10)) this.#parameters.push(first);
    if (this.#program.textAt(end + 1) === "{" || this.#program.textAt(end + 1) === "do") this.#block(end + 1);
    return first;
  }

  /** Whether a callback returns its parameter, or a wrapper of it: `(r) => r.json()`, `{ return r; }`. */
  #gives(parameter: number, close: number): boolean {
    const name = this.#program.textAt(parameter);
    const isGiven = (start: number) => this.#program.textAt(start) === name && this.#isWrapper(start + 1, close);
    for (let start = parameter + 1; start < Math.min(close, parameter + 80); start++) {
      const before = this.#program.textAt(start - 1);
      if (/^(?:return|await)$/.test(before) && isGiven(start)) return true;
      if (before === ">" && this.#program.textAt(start - 2) === "=" && isGiven(start)) return true;
    }
    return false;
  }

  #isWrapper(start: number, close: number): boolean {
    const sign = this.#program.textAt(start);
    if (start === close || /^[;}]$/.test(sign)) return true;
    const isWrapping = sign === "." && unwrapping.has(this.#program.textAt(start + 1));
    return isWrapping && !mapping.has(this.#program.textAt(start + 1));
  }

  /** `do |r|`, `{ |r|` and, in a loop, `as $r`. */
  #block(open: number): number | undefined {
    if (this.#program.textAt(open) === "as") {
      const last =
        this.#program.textAt(open + 2) === "=" && this.#program.textAt(open + 3) === ">" ? open + 4 : open + 1;
      this.#parameters.push(last);
      return undefined;
    }
    if (this.#program.textAt(open + 1) !== "|" || !this.#program.isWord(open + 2)) return undefined;
    const behind = this.#isFolding(open) && this.#program.textAt(open + 3) === "," ? open + 4 : open + 2;
    this.#parameters.push(behind);
    return undefined;
  }

  /** Whether a bracket belongs to a fold: `.reduce(`, `.inject(0) {`, `.inject {`. */
  #isFolding(open: number): boolean {
    const before = this.#program.textAt(open - 1) === ")" ? this.#program.matching(open - 1) : open;
    return folding.has(this.#program.textAt(before - 1));
  }

  /** `| Where-Object { $_.name … }`. */
  #piped(): number | undefined {
    const open = [1, 2, 3, 4].map((step) => this.#at + step).find((index) => this.#program.textAt(index) === "{");
    if (open === undefined) return this.#at;
    const end = Math.min(this.#program.matching(open), open + 60);
    for (let inner = open + 1; inner < end; inner++)
      if (this.#program.textAt(inner) === "$_") this.#parameters.push(inner);
    return undefined;
  }
}

/** The API's name of a field: tags_count for `TagsCount`, `getTagsCount` and `tagsCount`. */
export function apiName({ kind, text }: Token): string {
  if (kind === "text" || !/[A-Z]/.test(text)) return text;
  const bare = text.replace(/^get(?=[A-Z])/, "");
  return bare.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}
