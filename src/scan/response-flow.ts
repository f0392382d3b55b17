import { surroundings } from "../model/deprecations.ts";
import type { Structure } from "./structure.ts";
import type { Token } from "./tokens.ts";
import type { Address } from "./traffic.ts";

/** An answer, or a field of it, that an expression gives. */
export interface AnswerUse {
  readonly addresses: readonly Address[];
  /** The token that names the field; undefined for the answer itself. */
  readonly field: Token | undefined;
}

/** Where an expression that begins with an answer ends, what it gives, and the tokens that are given parts of it. */
export interface FollowedValue extends AnswerUse {
  readonly end: number;
  /** Whether it continues in a form that is not understood. */
  readonly isLost: boolean;
  /** Fields that it goes through. */
  readonly read: readonly Token[];
  /** Parameters of callbacks, which are given the answer or a part of it. */
  readonly parameters: readonly number[];
}

const { unwrapping, getting, decoding, mapping, folding } = surroundings.code;

/** Follows an expression from behind an answer: into its lists and wrappers, through callbacks, up to a field of it. */
export function followed(structure: Structure, from: number, { addresses, field }: AnswerUse): FollowedValue {
  return { addresses, ...new ResponsePath(structure, from, field).follow() };
}

/** The steps of one expression behind an answer. */
class ResponsePath {
  readonly #structure: Structure;
  readonly #tokens: Structure["tokens"];
  readonly #other: Structure["other"];
  readonly #parameters: number[] = [];
  readonly #read: Token[] = [];
  #at: number;
  #named: Token | undefined;

  constructor(structure: Structure, from: number, field: Token | undefined) {
    this.#structure = structure;
    this.#tokens = structure.tokens;
    this.#other = structure.other;
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
    return { field: this.#named, end: this.#at, isLost: next === undefined, read, parameters };
  }

  #step(): number | undefined {
    const sign = this.#tokens[this.#at]?.text;
    if (this.#tokens[this.#at]?.kind === "word" && (sign === "do" || sign === "as"))
      return this.#block(this.#at) ?? this.#at;
    if (this.#tokens[this.#at]?.kind !== "sign") return this.#at;
    if (sign === ")") return this.#closing(this.#at);
    if (sign === ",") return this.#decoded();
    if (sign === "?" || sign === "!")
      return this.#tokens[this.#at + 1]?.text === "." || this.#tokens[this.#at + 1]?.text === "["
        ? this.#at + 1
        : this.#at;
    if (sign === "[") return this.#index();
    if (sign === "|") return this.#piped();
    if (sign === "{") return this.#block(this.#at) ?? this.#at;
    if (sign === ".") return this.#member(this.#at + 1);
    if (sign === "&" && this.#tokens[this.#at + 1]?.text === ".") return this.#member(this.#at + 2);
    return sign === "-" && this.#tokens[this.#at + 1]?.text === ">" && this.#structure.touches(this.#at, this.#at + 1)
      ? this.#member(this.#at + 2)
      : this.#at;
  }

  /** `(await x)` and `JSON.parse(x)` are x; what any other call gives is not known. */
  #closing(close: number): number | undefined {
    const open = this.#other[close] ?? -1;
    const name = open < 0 ? undefined : this.#structure.callee(open);
    if (name === undefined) return this.#at;
    if (name === "")
      return /^(?:if|elif|elsif|while|until|for|foreach|switch|match|catch)$/.test(this.#tokens[open - 1]?.text ?? "")
        ? this.#at
        : this.#at + 1;
    if (this.#named !== undefined) return this.#at;
    return decoding.includes(name) ? this.#at + 1 : this.#at;
  }

  /** `json_decode(x, true)`. */
  #decoded(): number | undefined {
    const open = this.#structure.parent[this.#at] ?? -1;
    const close = this.#other[open] ?? -1;
    return close > this.#at && this.#named === undefined && decoding.includes(this.#structure.callee(open))
      ? close + 1
      : this.#at;
  }

  #index(): number | undefined {
    const close = this.#other[this.#at] ?? -1;
    if (close < 0 || this.#structure.leads(this.#at)) return this.#at;
    const key = this.#tokens[close - 1];
    const isText = key?.kind === "text" && close === this.#at + 2;
    const isSymbol = key?.kind === "word" && this.#tokens[this.#at + 1]?.text === ":" && close === this.#at + 3;
    if (!isText && !isSymbol) return close + 1;
    return this.#enter(key, close + 1);
  }

  #member(name: number): number | undefined {
    const token = this.#tokens[name];
    if (token?.kind !== "word") return this.#at;
    const called = this.#tokens[name + 1]?.text === "(" ? name + 1 : -1;
    if (called < 0) return this.#isMapped(token, name + 1) ? undefined : this.#enter(token, name + 1);
    const close = this.#other[called] ?? -1;
    if (close < 0) return undefined;
    const key = this.#tokens[called + 1];
    if (key?.kind === "text" && getting.includes(token.text)) return this.#enter(key, close + 1);
    if (/^get[A-Z]/.test(token.text) && close === called + 1 && !unwrapping.includes(token.text))
      return this.#enter(token, close + 1);
    if (!unwrapping.includes(token.text)) return undefined;
    const parameter = this.#callback(called);
    return mapping.includes(token.text) && !this.#gives(parameter, close) ? undefined : close + 1;
  }

  /** `.map { |r| … }` gives something else than it is called on. */
  #isMapped({ text }: Token, open: number): boolean {
    const isBlock = mapping.includes(text) && /^(?:\{|do)$/.test(this.#tokens[open]?.text ?? "");
    if (isBlock) this.#block(open);
    return isBlock;
  }

  #enter(key: Token, end: number): number | undefined {
    if (unwrapping.includes(key.text)) return end;
    if (this.#named !== undefined) return undefined;
    this.#named = key;
    this.#read.push(key);
    return end;
  }

  /** `(r) => …`, `function (r) {`, `lambda r:`, `fn($r) =>` as the first argument. */
  #callback(open: number): number {
    let first = open + 1;
    while (/^(?:async|function|fn|lambda|static|func|\(|\{|\[|&|mut)$/.test(this.#tokens[first]?.text ?? "")) first++;
    const end = this.#other[open] ?? first;
    // A fold gives its callback the sum, and then an entry.
    if (this.#isFolding(open) && this.#tokens[first + 1]?.text === ",")
      first += this.#tokens[first + 2]?.text === "{" ? 3 : 2;
    // `.json(&map)` is given a value, no callback.
    const isAlone = first + 1 === end;
    if (this.#tokens[first]?.kind === "word" && !isAlone && first < Math.min(end, open + 10))
      this.#parameters.push(first);
    if (this.#tokens[end + 1]?.text === "{" || this.#tokens[end + 1]?.text === "do") this.#block(end + 1);
    return first;
  }

  /** Whether a callback gives its parameter itself, or an answer's wrapper of it: `(r) => r.json()`, `{ return r; }`. */
  #gives(parameter: number, close: number): boolean {
    const name = this.#tokens[parameter]?.text;
    const isGiven = (start: number) => this.#tokens[start]?.text === name && this.#isWrapper(start + 1, close);
    for (let start = parameter + 1; start < Math.min(close, parameter + 80); start++) {
      const before = this.#tokens[start - 1]?.text ?? "";
      if (/^(?:return|await)$/.test(before) && isGiven(start)) return true;
      if (before === ">" && this.#tokens[start - 2]?.text === "=" && isGiven(start)) return true;
    }
    return false;
  }

  #isWrapper(start: number, close: number): boolean {
    const sign = this.#tokens[start]?.text ?? "";
    if (start === close || /^[;}]$/.test(sign)) return true;
    const isWrapping = sign === "." && unwrapping.includes(this.#tokens[start + 1]?.text ?? "");
    return isWrapping && !mapping.includes(this.#tokens[start + 1]?.text ?? "");
  }

  /** `do |r|`, `{ |r|` and, in a loop, `as $r`. */
  #block(open: number): number | undefined {
    if (this.#tokens[open]?.text === "as") {
      const last = this.#tokens[open + 2]?.text === "=" && this.#tokens[open + 3]?.text === ">" ? open + 4 : open + 1;
      this.#parameters.push(last);
      return undefined;
    }
    if (this.#tokens[open + 1]?.text !== "|" || this.#tokens[open + 2]?.kind !== "word") return undefined;
    const behind = this.#isFolding(open) && this.#tokens[open + 3]?.text === "," ? open + 4 : open + 2;
    this.#parameters.push(behind);
    return undefined;
  }

  /** Whether a bracket belongs to a fold: `.reduce(`, `.inject(0) {`, `.inject {`. */
  #isFolding(open: number): boolean {
    const before = this.#tokens[open - 1]?.text === ")" ? (this.#other[open - 1] ?? open) : open;
    return folding.includes(this.#tokens[before - 1]?.text ?? "");
  }

  /** `| Where-Object { $_.name … }`. */
  #piped(): number | undefined {
    const open = [1, 2, 3, 4].map((step) => this.#at + step).find((index) => this.#tokens[index]?.text === "{");
    if (open === undefined) return this.#at;
    const end = Math.min(this.#other[open] ?? open, open + 60);
    for (let inner = open + 1; inner < end; inner++)
      if (this.#tokens[inner]?.text === "$_") this.#parameters.push(inner);
    return undefined;
  }
}

/** A field's name as the API writes it: `TagsCount`, `getTagsCount` and `tagsCount` are tags_count. */
export function apiName({ kind, text }: Token): string {
  if (kind === "text" || !/[A-Z]/.test(text)) return text;
  const bare = text.replace(/^get(?=[A-Z])/, "");
  return bare.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}
