import { continues } from "./enclosing-statement.ts";
import type { Program } from "./program.ts";

/** `names = expression`, a loop over an expression, or `return expression`, which has no names. */
export interface Assignment {
  /** The tokens that are assigned to. */
  readonly from: number;
  readonly to: number;
  /** The tokens of the expression. */
  readonly start: number;
  readonly end: number;
  readonly is: "assigned" | "looped" | "returned";
}

/** The assignment of an operator token: `=`, `in`, `of`, `:` of a loop, or `return`. */
export function assignmentAt(program: Program, index: number): Assignment | undefined {
  const { kind, text } = program.tokens[index] ?? {};
  if (kind === "word") return text === "return" ? returned(program, index) : looped(program, index);
  if (text === ":" && isForHead(program, index)) return looped(program, index);
  if (text !== "=" || !isAssigning(program, index)) return undefined;
  const to = operatorStart(program, index);
  const isRange = program.textAt(index + 1) === "range";
  const start = isRange ? index + 2 : index + 1;
  return {
    from: leftStart(program, to),
    to,
    start,
    end: endOf(program, start, isRange),
    is: isRange ? "looped" : "assigned",
  };
}

function returned(program: Program, index: number): Assignment {
  return { from: index, to: index, start: index + 1, end: endOf(program, index + 1, false), is: "returned" };
}

function isAssigning(program: Program, index: number): boolean {
  const before = program.textAt(index - 1);
  const after = program.textAt(index + 1);
  if (program.areAdjacent(index, index + 1) && /^[=>~]$/.test(after)) return false;
  if (program.areAdjacent(index - 1, index) && /^[=!<>*/%^-]$/.test(before)) return false;
  const open = program.enclosing(index);
  return program.isBlock(open) || program.textAt(open) === "[";
}

function operatorStart(program: Program, index: number): number {
  const before = program.textAt(index - 1);
  return program.areAdjacent(index - 1, index) && /^[:+.|?&]$/.test(before) ? operatorStart(program, index - 1) : index;
}

/** Words, commas, brackets and dots before the sign. */
function leftStart(program: Program, to: number): number {
  let at = to;
  for (let steps = 0; steps < 12; steps++) {
    const before = program.tokens[at - 1];
    if (!before || (program.startsLine(at) && at < to)) return at;
    if (/^[\])}]$/.test(before.text) && program.matching(at - 1) >= 0) at = program.matching(at - 1);
    else if (before.kind === "word" || /^[.,:>*&-]$/.test(before.text)) at--;
    else return at;
  }
  return at;
}

/** `for names in expression`, `for (const names of expression)`, `for (Type name : expression)`. */
function looped(program: Program, index: number): Assignment | undefined {
  if (!/^(?:in|of|:)$/.test(program.textAt(index))) return undefined;
  const head = forBefore(program, index);
  if (head < 0) return undefined;
  return { from: head + 1, to: index, start: index + 1, end: endOf(program, index + 1, true), is: "looped" };
}

function isForHead(program: Program, index: number): boolean {
  const open = program.enclosing(index);
  return (
    program.textAt(open) === "(" && /^(?:for|foreach)$/.test(program.textAt(open - 1)) && forBefore(program, index) >= 0
  );
}

function forBefore(program: Program, index: number): number {
  for (let at = index - 1; at >= Math.max(0, index - 14); at--) {
    if (/^(?:for|foreach)$/.test(program.textAt(at))) return at;
    if (/^[;=]$/.test(program.textAt(at))) return -1;
  }
  return -1;
}

/** Longer expressions are truncated. */
const maxTokens = 500;

/** The index after the last token of an expression. */
function endOf(program: Program, start: number, isLoop: boolean): number {
  const isOpen = program.isBlock(program.enclosing(start));
  let at = start;
  for (let steps = 0; steps < maxTokens && at < program.tokens.length; steps++) {
    const token = program.tokens[at];
    const before = program.tokens[at - 1];
    if (!token || (token.kind === "sign" && /^[;)\]}]$/.test(token.text))) return at;
    if (token.kind === "sign" && token.text === "," && !isLoop) return at;
    if (at > start && isOpen && program.startsLine(at) && !continues(before?.text ?? "", token.text)) return at;
    if (isLoop && isLoopEnd(program, at)) return at;
    const close = /^[([{]$/.test(token.text) && token.kind === "sign" ? program.matching(at) : typesEnd(program, at);
    at = close >= 0 ? close + 1 : at + 1;
  }
  return Math.min(at, program.tokens.length);
}

/** The end of the type arguments after a name; -1 where there are none. */
function typesEnd(program: Program, at: number): number {
  if (program.textAt(at) !== "<" || !program.areAdjacent(at - 1, at) || !program.isWord(at - 1)) return -1;
  let depth = 0;
  for (let index = at; index < at + 20; index++) {
    const { kind, text = "" } = program.tokens[index] ?? {};
    if (text === "<") depth++;
    if (text === ">" && --depth === 0) return index;
    if (kind !== "word" && !/^[<>,.?[\]]$/.test(text)) return -1;
  }
  return -1;
}

function isLoopEnd(program: Program, at: number): boolean {
  const { kind, text } = program.tokens[at] ?? {};
  if (kind === "word") return text === "if" || text === "do" || text === "for";
  return text === ":" || (text === "{" && program.isBlock(at)) || text === "{";
}
