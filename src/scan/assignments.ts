import { goesOn } from "./enclosing-statement.ts";
import type { Structure } from "./structure.ts";

/** `names = expression`, a loop over one, or a `return` of one, whose names are none. */
export interface Assignment {
  /** Tokens that are given what the expression gives. */
  readonly from: number;
  readonly to: number;
  /** Of the expression. */
  readonly start: number;
  readonly end: number;
  readonly is: "assigned" | "looped" | "returned";
}

/** The assignment whose sign, or whose `in`, `of` or `return`, a token is. */
export function assignmentAt(structure: Structure, index: number): Assignment | undefined {
  const { tokens } = structure;
  const { kind, text } = tokens[index] ?? {};
  if (kind === "word") return text === "return" ? returned(structure, index) : looped(structure, index);
  if (text === ":" && isForHead(structure, index)) return looped(structure, index);
  if (text !== "=" || !isAssigning(structure, index)) return undefined;
  const to = operatorStart(structure, index);
  const isRange = tokens[index + 1]?.text === "range";
  const start = isRange ? index + 2 : index + 1;
  return {
    from: leftStart(structure, to),
    to,
    start,
    end: endOf(structure, start, isRange),
    is: isRange ? "looped" : "assigned",
  };
}

function returned(structure: Structure, index: number): Assignment {
  return { from: index, to: index, start: index + 1, end: endOf(structure, index + 1, false), is: "returned" };
}

function isAssigning(structure: Structure, index: number): boolean {
  const { tokens, parent } = structure;
  const before = tokens[index - 1]?.text ?? "";
  const after = tokens[index + 1]?.text ?? "";
  if (structure.touches(index, index + 1) && /^[=>~]$/.test(after)) return false;
  if (structure.touches(index - 1, index) && /^[=!<>*/%^-]$/.test(before)) return false;
  const open = parent[index] ?? -1;
  return structure.isBlock(open) || tokens[open]?.text === "[";
}

function operatorStart(structure: Structure, index: number): number {
  const before = structure.tokens[index - 1]?.text ?? "";
  return structure.touches(index - 1, index) && /^[:+.|?&]$/.test(before) ? operatorStart(structure, index - 1) : index;
}

/** Words, commas, brackets and dots before the sign. */
function leftStart(structure: Structure, to: number): number {
  const { tokens, other } = structure;
  let at = to;
  for (let steps = 0; steps < 12; steps++) {
    const before = tokens[at - 1];
    if (!before || (structure.leads(at) && at < to)) return at;
    if (/^[\])}]$/.test(before.text) && (other[at - 1] ?? -1) >= 0) at = other[at - 1] ?? at;
    else if (before.kind === "word" || /^[.,:>*&-]$/.test(before.text)) at--;
    else return at;
  }
  return at;
}

/** `for names in expression`, `for (const names of expression)`, `for (Type name : expression)`. */
function looped(structure: Structure, index: number): Assignment | undefined {
  const { tokens } = structure;
  if (!/^(?:in|of|:)$/.test(tokens[index]?.text ?? "")) return undefined;
  const head = forBefore(structure, index);
  if (head < 0) return undefined;
  return { from: head + 1, to: index, start: index + 1, end: endOf(structure, index + 1, true), is: "looped" };
}

function isForHead(structure: Structure, index: number): boolean {
  const { tokens, parent } = structure;
  const open = parent[index] ?? -1;
  return (
    tokens[open]?.text === "(" &&
    /^(?:for|foreach)$/.test(tokens[open - 1]?.text ?? "") &&
    forBefore(structure, index) >= 0
  );
}

function forBefore({ tokens }: Structure, index: number): number {
  for (let at = index - 1; at >= Math.max(0, index - 14); at--) {
    if (/^(?:for|foreach)$/.test(tokens[at]?.text ?? "")) return at;
    if (/^[;=]$/.test(tokens[at]?.text ?? "")) return -1;
  }
  return -1;
}

/** Longer expressions are cut. */
const longest = 500;

/** Behind the last token of an expression. */
function endOf(structure: Structure, start: number, isLoop: boolean): number {
  const { tokens, other, parent } = structure;
  const isOpen = structure.isBlock(parent[start] ?? -1);
  let at = start;
  for (let steps = 0; steps < longest && at < tokens.length; steps++) {
    const token = tokens[at];
    const before = tokens[at - 1];
    if (!token || (token.kind === "sign" && /^[;)\]}]$/.test(token.text))) return at;
    if (token.kind === "sign" && token.text === "," && !isLoop) return at;
    if (at > start && isOpen && structure.leads(at) && !goesOn(before?.text ?? "", token.text)) return at;
    if (isLoop && isLoopEnd(structure, at)) return at;
    const close = /^[([{]$/.test(token.text) && token.kind === "sign" ? (other[at] ?? -1) : typesEnd(structure, at);
    at = close >= 0 ? close + 1 : at + 1;
  }
  return Math.min(at, tokens.length);
}

/** The end of `<Type, Type>` behind a name; -1 where there is none. */
function typesEnd({ tokens, touches }: Structure, at: number): number {
  if (tokens[at]?.text !== "<" || !touches(at - 1, at) || tokens[at - 1]?.kind !== "word") return -1;
  let depth = 0;
  for (let index = at; index < at + 20; index++) {
    const { kind, text = "" } = tokens[index] ?? {};
    if (text === "<") depth++;
    if (text === ">" && --depth === 0) return index;
    if (kind !== "word" && !/^[<>,.?[\]]$/.test(text)) return -1;
  }
  return -1;
}

function isLoopEnd(structure: Structure, at: number): boolean {
  const { kind, text } = structure.tokens[at] ?? {};
  if (kind === "word") return text === "if" || text === "do" || text === "for";
  return text === ":" || (text === "{" && structure.isBlock(at)) || text === "{";
}
