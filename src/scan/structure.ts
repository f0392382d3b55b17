import { surroundings } from "../model/deprecations.ts";
import type { Token } from "./tokens.ts";

/** The tokens of a program with the brackets that they stand in. Never fails: what is not balanced has no end. */
export interface Structure {
  readonly tokens: readonly Token[];
  /** Of a bracket, the other one; -1 where there is none. */
  readonly other: Int32Array;
  /** Of each token, the innermost bracket that is open around it; -1 outside of any. */
  readonly parent: Int32Array;
  /** Whether a token is the first of its line. */
  readonly leads: (index: number) => boolean;
  /** How far the line of a token is indented. */
  readonly indent: (index: number) => number;
  /** Whether a brace holds statements. */
  readonly isBlock: (index: number) => boolean;
  /** The name of what a parenthesis calls; empty where it only groups. */
  readonly callee: (open: number) => string;
  /** Whether two signs touch. */
  readonly touches: (index: number, next: number) => boolean;
}

/** Reads brackets and lines once. */
export function structureOf(tokens: readonly Token[], text: string): Structure {
  const other = new Int32Array(tokens.length).fill(-1);
  const parent = new Int32Array(tokens.length).fill(-1);
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.kind === "sign" && closers.has(token.text)) close(index, token.text);
    parent[index] = open.at(-1) ?? -1;
    if (token.kind === "sign" && token.text in pairs) open.push(index);
  }
  const { leads: newlines, indents } = linesOf(tokens, text);
  const lines = { leads: (index: number) => newlines[index] === 1, indent: (index: number) => indents[index] ?? 0 };
  return { tokens, other, parent, ...lines, isBlock, callee, touches };

  function close(index: number, mark: string): void {
    const at = open.at(-1);
    if (at === undefined || pairs[tokens[at]?.text ?? ""] !== mark) return;
    open.pop();
    other[at] = index;
    other[index] = at;
  }

  function touches(index: number, next: number): boolean {
    const [a, b] = [tokens[index], tokens[next]];
    return a !== undefined && b !== undefined && a.start + a.text.length === b.start;
  }

  function callee(at: number): string {
    let before = at - 1;
    if (tokens[before]?.text === "!" || tokens[before]?.text === "?") before--;
    // A generic call has its types between the name and the parenthesis.
    if (tokens[before]?.text === ">") before = genericStart(before);
    const token = tokens[before];
    if (tokens[at]?.text !== "(" || token?.kind !== "word") return "";
    return surroundings.code.control.includes(token.text) && !isMember(tokens, before) ? "" : token.text;
  }

  function genericStart(at: number): number {
    for (let index = at; index > at - 12 && index > 0; index--) if (tokens[index]?.text === "<") return index - 1;
    return at;
  }

  function isBlock(at: number): boolean {
    if (at < 0) return true;
    if (tokens[at]?.text !== "{") return false;
    const before = tokens[at - 1];
    if (!before || (before.kind === "sign" && /[);{}]/.test(before.text))) return true;
    const isArrow = before.text === ">" && /^[=-]$/.test(tokens[at - 2]?.text ?? "");
    return isArrow || ((before.kind === "word" || /^[>\]]$/.test(before.text)) && isBehindHead(at));
  }

  /** `else {`, `class Name {`, `name(): Type {`, `name() throws Fault {`: on the same line stands such a head. */
  function isBehindHead(at: number): boolean {
    for (let index = at - 1; index >= Math.max(0, at - 14); index--) {
      const { kind, text: word = "" } = tokens[index] ?? {};
      if (kind === "word" && surroundings.code.blocks.includes(word)) return true;
      if (word === ")") return true;
      if (newlines[index] === 1 || (kind === "sign" && !/^[:<>[\].|*&?]$/.test(word))) return false;
    }
    return false;
  }
}

/** Whether a dot or an arrow before a token makes it a member of something. */
export function isMember(tokens: readonly Token[], index: number): boolean {
  const sign = tokens[index - 1]?.text;
  return sign === "." || (sign === ">" && tokens[index - 2]?.text === "-");
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };
const closers = new Set(Object.values(pairs));

function linesOf(tokens: readonly Token[], text: string): { readonly leads: Uint8Array; readonly indents: Int32Array } {
  const leads = new Uint8Array(tokens.length);
  const indents = new Int32Array(tokens.length);
  let ended = 0;
  for (const [index, { start, text: own }] of tokens.entries()) {
    const gap = text.slice(ended, start);
    leads[index] = index === 0 || gap.includes("\n") ? 1 : 0;
    indents[index] = leads[index] === 1 ? gap.length - gap.lastIndexOf("\n") - 1 : (indents[index - 1] ?? 0);
    ended = Math.max(ended, start + own.length);
  }
  return { leads, indents };
}
