import type { Program } from "./program.ts";
import type { Token } from "./tokens.ts";

const equality = new Set(["equals", "eql", "Equals", "equalsIgnoreCase", "eq", "equal", "toBe", "toEqual"]);
const membership = new Set(["includes", "include", "contains", "Contains", "in_array", "indexOf"]);

/** The string literals that the expression from `start` to `end` is compared with. */
export function comparedWith(program: Program, start: number, end: number): readonly Token[] {
  return [...behind(program, end), ...before(program, start), ...around(program, start)];
}

/** `x == "a"`, `x.equals("a")`, `x in ("a", "b")`. */
function behind(program: Program, end: number): readonly Token[] {
  const sign = program.textAt(end);
  if (/^[=!<]$/.test(sign)) return textAt(program, operatorEnd(program, end));
  if (sign === "." && equality.has(program.textAt(end + 1))) {
    const open = program.textAt(end + 2) === "(" ? end + 2 : end + 3;
    return textAt(program, open + 1);
  }
  if (sign === "-" && /^[ic]?(?:eq|ne)$/.test(program.textAt(end + 1))) return textAt(program, end + 2);
  const list = sign === "in" ? end + 1 : sign === "not" && program.textAt(end + 1) === "in" ? end + 2 : -1;
  return list > 0 && program.matching(list) > list ? textsIn(program, list) : [];
}

/** The index after `==`, `===`, `!=`, `!==` or `<>`; -1 where there is none of these. */
function operatorEnd(program: Program, at: number): number {
  const signs = [0, 1, 2].map((step) => program.textAt(at + step));
  const length = signs.findIndex(
    (sign, step) => !/^[=!<>]$/.test(sign) || (step > 0 && !program.areAdjacent(at + step - 1, at + step)),
  );
  const operator = signs.slice(0, length < 0 ? 3 : length).join("");
  return /^(?:==|===|!=|!==|<>)$/.test(operator) ? at + operator.length : -1;
}

/** `"a" == x`. */
function before(program: Program, start: number): readonly Token[] {
  if (
    program.textAt(start - 1) !== "=" ||
    !program.areAdjacent(start - 2, start - 1) ||
    !/^[=!]$/.test(program.textAt(start - 2))
  )
    return [];
  const text = [program.tokens[start - 3], program.tokens[start - 4]].find((token) => token?.kind === "text");
  return text ? [text] : [];
}

/** `"a".equals(x)`, `["a", "b"].includes(x)`, `in_array(x, ["a"])`, `switch (x) { case "a":`. */
function around(program: Program, start: number): readonly Token[] {
  const open = program.enclosing(start);
  if (open < 1 || program.textAt(open) !== "(") return [];
  const name = program.textAt(open - 1);
  if (/^(?:switch|match)$/.test(name)) return cases(program, program.matching(open) + 1);
  const receiver = program.tokens[open - 3];
  if (equality.has(name) && receiver?.kind === "text") return [receiver];
  if (!membership.has(name)) return [];
  if (name === "in_array") return textsIn(program, open);
  const list = program.matching(open - 3);
  return receiver?.text === "]" && list >= 0 ? textsIn(program, list) : [];
}

function textAt(program: Program, at: number): readonly Token[] {
  if (at < 0) return [];
  const token = program.textAt(at) === ":" ? undefined : program.tokens[at];
  return token?.kind === "text" ? [token] : [];
}

/** A longer list is truncated. */
const maxTokens = 60;

function textsIn(program: Program, open: number): readonly Token[] {
  return program.tokens
    .slice(open + 1, Math.min(program.matching(open), open + maxTokens))
    .filter(({ kind }) => kind === "text");
}

function cases(program: Program, open: number): readonly Token[] {
  const inside = program.tokens.slice(open + 1, Math.min(program.matching(open), open + 10 * maxTokens));
  return inside.filter(({ kind }, index) => kind === "text" && inside[index - 1]?.text === "case");
}
