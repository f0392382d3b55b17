import { vocabulary } from "../model/deprecations.ts";
import type { Program } from "./program.ts";
import { apiName } from "./response-flow.ts";
import type { FlowValue } from "./scopes.ts";
import type { Token } from "./tokens.ts";
import { type SentParameter, wantedNames } from "./traffic.ts";

/** The known values of names. */
export interface Known {
  readonly get: (name: string) => FlowValue | undefined;
  /** How often a name is passed on. */
  readonly uses: (name: string) => number;
}

const setters = vocabulary.code.setters;
const pairs = vocabulary.code.pairs;
const pairMaps = vocabulary.code.mapOf;

/**
 * The parameters at a token: `"name": value`, `name: value`, `name=value` in a call, `("name", value)`,
 * `x["name"] = value`, `{ name }`.
 */
export function sentAt(program: Program, index: number, known: Known): readonly SentParameter[] {
  const token = program.tokens[index];
  const name = token ? apiName(token) : "";
  if (!token || token.kind === "sign" || !wantedNames.has(name)) return [];
  const start = valueStart(program, index, token);
  if (start === undefined) return [];
  if (start === index) return shorthand(token, name, known);
  const values = valuesFrom(program, start, known);
  if (values.length === 0) return [{ name, value: undefined, nameOffset: token.start, offset: token.start, own: true }];
  return values.map(({ text, offset, own }) => ({ name, value: text, nameOffset: token.start, offset, own }));
}

/** The index of the value, which is the name itself in `{ name }`; undefined where the token is no parameter. */
function valueStart(program: Program, index: number, token: Token): number | undefined {
  const [next, after] = [program.tokens[index + 1], program.tokens[index + 2]];
  const open = program.textAt(program.enclosing(index));
  const previous = program.textAt(index - 1);
  if (next?.text === "]") return after?.text === "=" && !isComparison(program, index + 2) ? index + 3 : undefined;
  if (token.kind === "text" && next?.text === "to" && next.kind === "word") return index + 2;
  if (token.kind === "text" && next?.text === "-" && after?.text === ">") return index + 3;
  if (isGiven(program, index)) return index + 2;
  const isScope = after?.text === ":" && program.areAdjacent(index + 1, index + 2);
  if (next?.text === ":" && !isScope && /^[[({]$/.test(open)) return previous === "?" ? undefined : index + 2;
  if (next?.text === "=" && after?.text === ">") return index + 3;
  if (next?.text === "=" && !isComparison(program, index + 1) && token.kind === "word" && open === "(")
    return index + 2;
  if (next?.text === "," && token.kind === "text" && isPair(program, index)) return index + 2;
  const isShort = token.kind === "word" && open === "{" && /^[{,]$/.test(previous) && /^[},]$/.test(next?.text ?? "");
  return isShort ? index : undefined;
}

/** `@{ name = value }`, `new { name = value }` and `x.name = value`. */
function isGiven(program: Program, index: number): boolean {
  if (!program.isWord(index) || program.textAt(index + 1) !== "=" || isComparison(program, index + 1)) return false;
  const open = program.enclosing(index);
  const isTable = program.textAt(open) === "{" && /^(?:@|new)$/.test(program.textAt(open - 1));
  return isTable || (program.textAt(index - 1) === "." && program.isBlock(open));
}

function isComparison(program: Program, index: number): boolean {
  const next = program.textAt(index + 1);
  return program.areAdjacent(index, index + 1) && /^[=~]$/.test(next);
}

/** `("name", value)` with exactly two elements, or in a setter. */
function isPair(program: Program, index: number): boolean {
  const open = program.enclosing(index);
  const close = program.matching(open);
  if (close < 0) return false;
  const callee = program.callee(open);
  if (pairMaps.has(callee)) return commasBetween(program, open, index) % 2 === 0;
  if (open !== index - 1) return false;
  if (callee !== "") return setters.has(callee) || pairs.has(callee);
  const next = program.textAt(index + 2);
  const end = /^[([{]$/.test(next) ? program.matching(index + 2) + 1 : index + 3;
  return close <= end + 1;
}

function commasBetween(program: Program, open: number, index: number): number {
  return program.tokens
    .slice(open, index)
    .filter(({ text }, at) => text === "," && program.enclosing(open + at) === open).length;
}

function shorthand({ text, start }: Token, name: string, known: Known): readonly SentParameter[] {
  const literal = known.get(text)?.literal;
  return [
    { name, value: literal?.text, nameOffset: start, offset: literal?.start ?? start, own: literal === undefined },
  ];
}

interface Literal {
  readonly text: string;
  readonly offset: number;
  readonly own: boolean;
}

/** The string literals of a value: one, a list, or the arguments of a call. */
function valuesFrom(program: Program, start: number, known: Known): readonly Literal[] {
  const token = program.tokens[start];
  if (token?.kind === "text") return [{ text: token.text, offset: token.start, own: true }];
  if (token?.text === ":" && program.isWord(start + 1)) return symbol(program.tokens[start + 1]);
  const open = [start, start + 1, start + 2, start + 3].find(
    (at) => /^[([{]$/.test(program.textAt(at)) && program.matching(at) > at + 1,
  );
  if (token?.kind === "word" && !/^[.([{]$/.test(program.textAt(start + 1))) return named(token, known);
  if (open === undefined) return [];
  const inside = program.tokens.slice(open + 1, Math.min(program.matching(open), open + 20));
  return inside.flatMap((each) => (each.kind === "text" ? [{ text: each.text, offset: each.start, own: true }] : []));
}

function symbol(token: Token | undefined): readonly Literal[] {
  return token ? [{ text: token.text, offset: token.start, own: true }] : [];
}

function named({ text }: Token, known: Known): readonly Literal[] {
  const literal = known.get(text)?.literal;
  return literal ? [{ text: literal.text, offset: literal.start, own: known.uses(text) <= 1 }] : [];
}
