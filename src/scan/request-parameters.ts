import { surroundings } from "../model/deprecations.ts";
import { apiName } from "./response-flow.ts";
import type { FlowValue, Sent } from "./scopes.ts";
import type { Structure } from "./structure.ts";
import type { Token } from "./tokens.ts";
import { wantedNames } from "./traffic.ts";

/** What the names of a program are known to stand for. */
export interface Known {
  readonly get: (name: string) => FlowValue | undefined;
  /** How often a name is handed on. */
  readonly uses: (name: string) => number;
}

const setters = new Set(surroundings.code.setters);
const pairs = new Set(surroundings.code.pairs);
const pairMaps = new Set(surroundings.code.mapOf);

/**
 * The parameters that a name in a program is given: `"name": value`, `name: value`, `name=value` in a call, `("name", value)`,
 * `x["name"] = value`, `{ name }`.
 */
export function sentAt(structure: Structure, index: number, known: Known): readonly Sent[] {
  const { tokens } = structure;
  const token = tokens[index];
  const name = token ? apiName(token) : "";
  if (!token || token.kind === "sign" || !wantedNames.has(name)) return [];
  const start = valueStart(structure, index, token);
  if (start === undefined) return [];
  if (start === index) return shorthand(token, name, known);
  const values = valuesFrom(structure, start, known);
  if (values.length === 0) return [{ name, value: undefined, nameOffset: token.start, offset: token.start, own: true }];
  return values.map(({ text, offset, own }) => ({ name, value: text, nameOffset: token.start, offset, own }));
}

/** Where the value stands; the name itself where it is both; undefined where the token is no name of a parameter. */
function valueStart(structure: Structure, index: number, token: Token): number | undefined {
  const { tokens, parent } = structure;
  const [next, after] = [tokens[index + 1], tokens[index + 2]];
  const open = tokens[parent[index] ?? -1]?.text ?? "";
  const previous = tokens[index - 1]?.text ?? "";
  if (next?.text === "]") return after?.text === "=" && !isComparison(structure, index + 2) ? index + 3 : undefined;
  if (token.kind === "text" && next?.text === "to" && next.kind === "word") return index + 2;
  if (token.kind === "text" && next?.text === "-" && after?.text === ">") return index + 3;
  if (isGiven(structure, index)) return index + 2;
  const isScope = after?.text === ":" && structure.touches(index + 1, index + 2);
  if (next?.text === ":" && !isScope && /^[[({]$/.test(open)) return previous === "?" ? undefined : index + 2;
  if (next?.text === "=" && after?.text === ">") return index + 3;
  if (next?.text === "=" && !isComparison(structure, index + 1) && token.kind === "word" && open === "(")
    return index + 2;
  if (next?.text === "," && token.kind === "text" && isPair(structure, index)) return index + 2;
  const isShort = token.kind === "word" && open === "{" && /^[{,]$/.test(previous) && /^[},]$/.test(next?.text ?? "");
  return isShort ? index : undefined;
}

/** `@{ name = value }`, `new { name = value }` and `x.name = value`. */
function isGiven(structure: Structure, index: number): boolean {
  const { tokens, parent } = structure;
  if (tokens[index]?.kind !== "word" || tokens[index + 1]?.text !== "=" || isComparison(structure, index + 1))
    return false;
  const open = parent[index] ?? -1;
  const isTable = tokens[open]?.text === "{" && /^(?:@|new)$/.test(tokens[open - 1]?.text ?? "");
  return isTable || (tokens[index - 1]?.text === "." && structure.isBlock(open));
}

function isComparison(structure: Structure, index: number): boolean {
  const next = structure.tokens[index + 1]?.text ?? "";
  return structure.touches(index, index + 1) && /^[=~]$/.test(next);
}

/** `("name", value)` of two, or of a setter. */
function isPair(structure: Structure, index: number): boolean {
  const { tokens, parent, other } = structure;
  const open = parent[index] ?? -1;
  const close = other[open] ?? -1;
  if (close < 0) return false;
  const callee = structure.callee(open);
  if (pairMaps.has(callee)) return commasBetween(structure, open, index) % 2 === 0;
  if (open !== index - 1) return false;
  if (callee !== "") return setters.has(callee) || pairs.has(callee);
  const next = tokens[index + 2]?.text ?? "";
  const end = /^[([{]$/.test(next) ? (other[index + 2] ?? -1) + 1 : index + 3;
  return close <= end + 1;
}

function commasBetween({ tokens, parent }: Structure, open: number, index: number): number {
  return tokens.slice(open, index).filter(({ text }, at) => text === "," && parent[open + at] === open).length;
}

function shorthand({ text, start }: Token, name: string, known: Known): readonly Sent[] {
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

/** Texts that a value is, or is a list of: in brackets, or wrapped by a call. */
function valuesFrom(structure: Structure, start: number, known: Known): readonly Literal[] {
  const { tokens, other } = structure;
  const token = tokens[start];
  if (token?.kind === "text") return [{ text: token.text, offset: token.start, own: true }];
  if (token?.text === ":" && tokens[start + 1]?.kind === "word") return symbol(tokens[start + 1]);
  const open = [start, start + 1, start + 2, start + 3].find(
    (at) => /^[([{]$/.test(tokens[at]?.text ?? "") && (other[at] ?? 0) > at + 1,
  );
  if (token?.kind === "word" && !/^[.([{]$/.test(tokens[start + 1]?.text ?? "")) return named(token, known);
  if (open === undefined) return [];
  const inside = tokens.slice(open + 1, Math.min(other[open] ?? open, open + 20));
  return inside.flatMap((each) => (each.kind === "text" ? [{ text: each.text, offset: each.start, own: true }] : []));
}

function symbol(token: Token | undefined): readonly Literal[] {
  return token ? [{ text: token.text, offset: token.start, own: true }] : [];
}

function named({ text }: Token, known: Known): readonly Literal[] {
  const literal = known.get(text)?.literal;
  return literal ? [{ text: literal.text, offset: literal.start, own: known.uses(text) <= 1 }] : [];
}
