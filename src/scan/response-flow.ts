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
  const { tokens, other } = structure;
  const parameters: number[] = [];
  const read: Token[] = [];
  let at = from;
  let named = field;
  let next: number | undefined = from;
  for (let steps = 0; steps < 400 && next !== undefined; steps++) {
    at = next;
    next = step();
    if (next === at) break;
  }
  return { addresses, field: named, end: at, isLost: next === undefined, read, parameters };

  function step(): number | undefined {
    const sign = tokens[at]?.text;
    if (tokens[at]?.kind === "word" && (sign === "do" || sign === "as")) return block(at) ?? at;
    if (tokens[at]?.kind !== "sign") return at;
    if (sign === ")") return closing(at);
    if (sign === ",") return decoded();
    if (sign === "?" || sign === "!") return tokens[at + 1]?.text === "." || tokens[at + 1]?.text === "[" ? at + 1 : at;
    if (sign === "[") return index();
    if (sign === "|") return piped();
    if (sign === "{") return block(at) ?? at;
    if (sign === ".") return member(at + 1);
    if (sign === "&" && tokens[at + 1]?.text === ".") return member(at + 2);
    return sign === "-" && tokens[at + 1]?.text === ">" && structure.touches(at, at + 1) ? member(at + 2) : at;
  }

  /** `(await x)` and `JSON.parse(x)` are x; what any other call gives is not known. */
  function closing(close: number): number | undefined {
    const open = other[close] ?? -1;
    const name = open < 0 ? undefined : structure.callee(open);
    if (name === undefined) return at;
    if (name === "")
      return /^(?:if|elif|elsif|while|until|for|foreach|switch|match|catch)$/.test(tokens[open - 1]?.text ?? "")
        ? at
        : at + 1;
    if (named !== undefined) return at;
    return decoding.includes(name) ? at + 1 : at;
  }

  /** `json_decode(x, true)`. */
  function decoded(): number | undefined {
    const open = structure.parent[at] ?? -1;
    const close = other[open] ?? -1;
    return close > at && named === undefined && decoding.includes(structure.callee(open)) ? close + 1 : at;
  }

  function index(): number | undefined {
    const close = other[at] ?? -1;
    if (close < 0 || structure.leads(at)) return at;
    const key = tokens[close - 1];
    const isText = key?.kind === "text" && close === at + 2;
    const isSymbol = key?.kind === "word" && tokens[at + 1]?.text === ":" && close === at + 3;
    if (!isText && !isSymbol) return close + 1;
    return enter(key, close + 1);
  }

  function member(name: number): number | undefined {
    const token = tokens[name];
    if (token?.kind !== "word") return at;
    const called = tokens[name + 1]?.text === "(" ? name + 1 : -1;
    if (called < 0) return isMapped(token, name + 1) ? undefined : enter(token, name + 1);
    const close = other[called] ?? -1;
    if (close < 0) return undefined;
    const key = tokens[called + 1];
    if (key?.kind === "text" && getting.includes(token.text)) return enter(key, close + 1);
    if (/^get[A-Z]/.test(token.text) && close === called + 1 && !unwrapping.includes(token.text))
      return enter(token, close + 1);
    if (!unwrapping.includes(token.text)) return undefined;
    const parameter = callback(called);
    return mapping.includes(token.text) && !gives(parameter, close) ? undefined : close + 1;
  }

  /** `.map { |r| … }` gives something else than it is called on. */
  function isMapped({ text }: Token, open: number): boolean {
    const isBlock = mapping.includes(text) && /^(?:\{|do)$/.test(tokens[open]?.text ?? "");
    if (isBlock) block(open);
    return isBlock;
  }

  function enter(key: Token, end: number): number | undefined {
    if (unwrapping.includes(key.text)) return end;
    if (named !== undefined) return undefined;
    named = key;
    read.push(key);
    return end;
  }

  /** `(r) => …`, `function (r) {`, `lambda r:`, `fn($r) =>` as the first argument. */
  function callback(open: number): number {
    let first = open + 1;
    while (/^(?:async|function|fn|lambda|static|func|\(|\{|\[|&|mut)$/.test(tokens[first]?.text ?? "")) first++;
    const end = other[open] ?? first;
    // A fold gives its callback the sum, and then an entry.
    if (isFolding(open) && tokens[first + 1]?.text === ",") first += tokens[first + 2]?.text === "{" ? 3 : 2;
    // `.json(&map)` is given a value, no callback.
    const isAlone = first + 1 === end;
    if (tokens[first]?.kind === "word" && !isAlone && first < Math.min(end, open + 10)) parameters.push(first);
    if (tokens[end + 1]?.text === "{" || tokens[end + 1]?.text === "do") block(end + 1);
    return first;
  }

  /** Whether a callback gives its parameter itself, or an answer's wrapper of it: `(r) => r.json()`, `{ return r; }`. */
  function gives(parameter: number, close: number): boolean {
    const name = tokens[parameter]?.text;
    const isGiven = (start: number) => tokens[start]?.text === name && isWrapper(start + 1, close);
    for (let start = parameter + 1; start < Math.min(close, parameter + 80); start++) {
      const before = tokens[start - 1]?.text ?? "";
      if (/^(?:return|await)$/.test(before) && isGiven(start)) return true;
      if (before === ">" && tokens[start - 2]?.text === "=" && isGiven(start)) return true;
    }
    return false;
  }

  function isWrapper(start: number, close: number): boolean {
    const sign = tokens[start]?.text ?? "";
    if (start === close || /^[;}]$/.test(sign)) return true;
    const isWrapping = sign === "." && unwrapping.includes(tokens[start + 1]?.text ?? "");
    return isWrapping && !mapping.includes(tokens[start + 1]?.text ?? "");
  }

  /** `do |r|`, `{ |r|` and, in a loop, `as $r`. */
  function block(open: number): number | undefined {
    if (tokens[open]?.text === "as") {
      const last = tokens[open + 2]?.text === "=" && tokens[open + 3]?.text === ">" ? open + 4 : open + 1;
      parameters.push(last);
      return undefined;
    }
    if (tokens[open + 1]?.text !== "|" || tokens[open + 2]?.kind !== "word") return undefined;
    const behind = isFolding(open) && tokens[open + 3]?.text === "," ? open + 4 : open + 2;
    parameters.push(behind);
    return undefined;
  }

  /** Whether a bracket belongs to a fold: `.reduce(`, `.inject(0) {`, `.inject {`. */
  function isFolding(open: number): boolean {
    const before = tokens[open - 1]?.text === ")" ? (other[open - 1] ?? open) : open;
    return folding.includes(tokens[before - 1]?.text ?? "");
  }

  /** `| Where-Object { $_.name … }`. */
  function piped(): number | undefined {
    const open = [1, 2, 3, 4].map((step) => at + step).find((index) => tokens[index]?.text === "{");
    if (open === undefined) return at;
    const end = Math.min(other[open] ?? open, open + 60);
    for (let inner = open + 1; inner < end; inner++) if (tokens[inner]?.text === "$_") parameters.push(inner);
    return undefined;
  }
}

/** A field's name as the API writes it: `TagsCount`, `getTagsCount` and `tagsCount` are tags_count. */
export function apiName({ kind, text }: Token): string {
  if (kind === "text" || !/[A-Z]/.test(text)) return text;
  const bare = text.replace(/^get(?=[A-Z])/, "");
  return bare.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}
