import { surroundings } from "../model/deprecations.ts";
import type { Structure } from "./structure.ts";
import type { Stretch } from "./text.ts";
import type { Token } from "./tokens.ts";
import type { Address } from "./traffic.ts";

/** A parameter with its value, as a program writes it. */
export interface Sent {
  readonly name: string;
  readonly value: string | undefined;
  readonly nameOffset: number;
  readonly offset: number;
  readonly own: boolean;
}

/** What a name stands for. */
export interface FlowValue {
  /** Addresses of requests that were not sent yet. */
  readonly addresses: readonly Address[];
  readonly answers: readonly Address[];
  /** The field of the answers that it is. */
  readonly field: Token | undefined;
  readonly sent: readonly Sent[];
  /** The text that it is. */
  readonly literal: Stretch | undefined;
}

/** A value of which nothing is known. */
export const unknown: FlowValue = { addresses: [], answers: [], field: undefined, sent: [], literal: undefined };

/** Names and what they stand for; what a function assigns is forgotten after its end. */
export interface Scopes {
  readonly get: (name: string) => FlowValue | undefined;
  readonly set: (name: string, value: FlowValue) => void;
  /** To be called for each token in turn, before it is looked at. */
  readonly reach: (index: number) => void;
  /** Whether the token is a parameter of a function. */
  readonly isParameter: (index: number) => boolean;
}

/** Finds functions by their parameters: by braces, or by lines that are indented less. */
export function scopesOf(structure: Structure): Scopes {
  const { tokens, other } = structure;
  const values = new Map<string, FlowValue>();
  const undo: { readonly name: string; readonly before: FlowValue | undefined }[] = [];
  const scopes: { readonly mark: number; readonly end: number; readonly column: number }[] = [];
  const parameters = new Set<number>();
  return { get: (name) => values.get(name), set, reach, isParameter: (index) => parameters.has(index) };

  function set(name: string, value: FlowValue): void {
    // Members of an object outlive the method that sets them.
    if (!/^(?:this\.|@)/.test(name)) undo.push({ name, before: values.get(name) });
    values.set(name, value);
  }

  function reach(index: number): void {
    for (let scope = scopes.at(-1); scope && isOver(scope, index); scope = scopes.at(-1)) leave(scope.mark);
    if (tokens[index]?.text === "(") enterBraces(index);
    if (isDefinition(index)) enterLines(index);
    if (tokens[index]?.text === "(" && isArrow((other[index] ?? -2) + 1)) takeAll(index, other[index] ?? index);
    if (tokens[index]?.kind === "word" && isArrow(index + 1)) take(index);
    if (tokens[index]?.text === "|" && /^(?:\{|do)$/.test(tokens[index - 1]?.text ?? "")) takeUntil("|", index + 1);
    if (tokens[index]?.text === "lambda") takeUntil(":", index + 1);
  }

  function isOver({ end, column }: (typeof scopes)[number], index: number): boolean {
    if (end >= 0) return index > end;
    return structure.leads(index) && (structure.parent[index] ?? -1) < 0 && structure.indent(index) <= column;
  }

  function leave(mark: number): void {
    scopes.pop();
    for (
      let entry = undo.length > mark ? undo.pop() : undefined;
      entry;
      entry = undo.length > mark ? undo.pop() : undefined
    ) {
      if (entry.before) values.set(entry.name, entry.before);
      else values.delete(entry.name);
    }
  }

  /** `name(a, b) type {`, `(a, b) => {`; not `if (a) {`. */
  function enterBraces(open: number): void {
    const close = other[open] ?? -1;
    const word = tokens[open - 1];
    if (close < 0 || (word?.kind === "word" && surroundings.code.control.includes(word.text))) return;
    const body = bodyBehind(close);
    if (body < 0) return;
    scopes.push({ mark: undo.length, end: other[body] ?? tokens.length, column: 0 });
    takeAll(open, close);
  }

  /** Types may stand between parameters and body. */
  function bodyBehind(close: number): number {
    for (let at = close + 1; at < close + 10; at++) {
      const { text: sign = "", kind } = tokens[at] ?? {};
      if (sign === "{") return at;
      if (sign === "(" && (other[at] ?? -1) > 0) at = other[at] ?? at;
      else if (kind !== "word" && !/[:<>*=[\],|?-]/.test(sign)) return -1;
      else if (structure.leads(at)) return -1;
    }
    return -1;
  }

  function isDefinition(index: number): boolean {
    return tokens[index]?.kind === "word" && tokens[index]?.text === "def";
  }

  function enterLines(index: number): void {
    scopes.push({ mark: undo.length, end: -1, column: structure.indent(index) });
    const open = [1, 2, 3, 4, 5].map((step) => index + step).find((at) => tokens[at]?.text === "(");
    if (open !== undefined) takeAll(open, other[open] ?? open);
  }

  /** `=>` behind parameters. */
  function isArrow(index: number): boolean {
    return tokens[index]?.text === "=" && tokens[index + 1]?.text === ">" && structure.touches(index, index + 1);
  }

  function takeAll(open: number, close: number): void {
    for (let at = open + 1; at < Math.min(close, open + 200); at++) take(at);
  }

  function takeUntil(sign: string, from: number): void {
    for (let at = from; tokens[at]?.text !== sign && at < from + 10; at++) take(at);
  }

  function take(at: number): void {
    if (tokens[at]?.kind === "word") parameters.add(at);
  }
}
