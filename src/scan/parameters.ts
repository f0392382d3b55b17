import { vocabulary } from "../model/deprecations.ts";
import { type SentParameter, wantedNames } from "./addresses.ts";
import type { Program } from "./program.ts";
import type { TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";

const { mapOf, pairs, setters } = vocabulary.code;

/**
 * The parameters at a token: `"name": value`, `name: value`, `name=value` in a call, `("name", value)`,
 * `x["name"] = value`, `{ name }`.
 * @param literalOf The string literal that a variable holds.
 */
export function parametersAt(
  program: Program,
  index: number,
  literalOf: (name: string) => TextFragment | undefined,
): readonly SentParameter[] {
  const token = program.tokens[index];
  const name = token ? apiName(token) : "";
  if (!token || token.kind === "sign" || !wantedNames.has(name)) return [];
  const start = valueStart(program, index, token);
  if (start === undefined) return [];
  const nameOffset = token.start;
  const variable = program.isWord(start) && !/^[.([{]$/.test(program.textAt(start + 1)) ? program.textAt(start) : "";
  const held = variable === "" ? undefined : literalOf(variable);
  if (held) return [{ name, value: held.text, nameOffset, offset: held.start, isVariable: true }];
  const values = start === index ? [] : literalsFrom(program, start);
  if (values.length === 0) return [{ name, value: undefined, nameOffset, offset: nameOffset }];
  return values.map(({ text, start: offset }) => ({ name, value: text, nameOffset, offset }));
}

/** The API's name of a field: tags_count for `TagsCount`, `getTagsCount` and `tagsCount`. */
export function apiName({ kind, text }: Token): string {
  if (kind === "text" || !/[A-Z]/.test(text)) return text;
  const bare = text.replace(/^get(?=[A-Z])/, "");
  return bare.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

/** The index of the value, which is the name itself in `{ name }`; undefined where the token is no parameter. */
function valueStart(program: Program, index: number, token: Token): number | undefined {
  const [next, after] = [program.textAt(index + 1), program.textAt(index + 2)];
  const open = program.textAt(program.enclosing(index));
  const previous = program.textAt(index - 1);
  if (next === "]") return after === "=" && !isComparison(program, index + 2) ? index + 3 : undefined;
  if (token.kind === "text" && next === "to" && program.isWord(index + 1)) return index + 2;
  if (token.kind === "text" && next === "-" && after === ">") return index + 3;
  if (isAssigned(program, index)) return index + 2;
  const isScope = after === ":" && program.areAdjacent(index + 1, index + 2);
  if (next === ":" && !isScope && /^[[({]$/.test(open)) return previous === "?" ? undefined : index + 2;
  if (next === ":" && !isScope && token.kind === "word" && program.isBlock(program.enclosing(index))) return index + 2;
  if (next === "=" && after === ">") return index + 3;
  if (next === "=" && !isComparison(program, index + 1) && token.kind === "word" && open === "(") return index + 2;
  if (next === "," && token.kind === "text" && isPair(program, index)) return index + 2;
  const isShort = token.kind === "word" && open === "{" && /^[{,]$/.test(previous) && /^[},]$/.test(next);
  return isShort ? index : undefined;
}

/** `@{ name = value }`, `new { name = value }` and `x.name = value`. */
function isAssigned(program: Program, index: number): boolean {
  if (!program.isWord(index) || program.textAt(index + 1) !== "=" || isComparison(program, index + 1)) return false;
  const open = program.enclosing(index);
  const isTable = program.textAt(open) === "{" && /^(?:@|new)$/.test(program.textAt(open - 1));
  return isTable || (program.textAt(index - 1) === "." && program.isBlock(open));
}

function isComparison(program: Program, index: number): boolean {
  return program.areAdjacent(index, index + 1) && /^[=~]$/.test(program.textAt(index + 1));
}

/** `("name", value)` with exactly two elements, or in a setter. */
function isPair(program: Program, index: number): boolean {
  const open = program.enclosing(index);
  const close = program.matching(open);
  if (close < 0) return false;
  const callee = program.callee(open);
  if (mapOf.has(callee)) return program.commasBetween(open, index) % 2 === 0;
  if (open !== index - 1) return false;
  if (callee !== "") return setters.has(callee) || pairs.has(callee);
  const next = program.textAt(index + 2);
  const end = /^[([{]$/.test(next) ? program.matching(index + 2) + 1 : index + 3;
  return close <= end + 1;
}

/** The string literals of a value: one, a symbol, a list, or the arguments of a call. */
function literalsFrom(program: Program, start: number): readonly Token[] {
  const token = program.tokens[start];
  if (token?.kind === "text") return [token];
  const symbol = program.tokens[start + 1];
  if (token?.text === ":" && symbol?.kind === "word") return [symbol];
  const open = [start, start + 1, start + 2, start + 3].find(
    (at) => /^[([{]$/.test(program.textAt(at)) && program.matching(at) > at + 1,
  );
  if (open === undefined || (token?.kind === "word" && !/^[.([{]$/.test(program.textAt(start + 1)))) return [];
  const inside = program.tokens.slice(open + 1, Math.min(program.matching(open), open + 20));
  return inside.filter(({ kind }) => kind === "text");
}
