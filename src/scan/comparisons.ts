import type { Structure } from "./structure.ts";
import type { Token } from "./tokens.ts";

const equality = new Set(["equals", "eql", "Equals", "equalsIgnoreCase", "eq", "equal", "toBe", "toEqual"]);
const membership = new Set(["includes", "include", "contains", "Contains", "in_array", "indexOf"]);

/** The texts that an expression from `start` to `end` is compared with, on either side of it. */
export function comparedWith(structure: Structure, start: number, end: number): readonly Token[] {
  return [...behind(structure, end), ...before(structure, start), ...around(structure, start)];
}

/** `x == "a"`, `x.equals("a")`, `x in ("a", "b")`. */
function behind(structure: Structure, end: number): readonly Token[] {
  const { tokens, other } = structure;
  const sign = tokens[end]?.text ?? "";
  if (/^[=!<]$/.test(sign)) return textAt(structure, operatorEnd(structure, end));
  if (sign === "." && equality.has(tokens[end + 1]?.text ?? "")) {
    const open = tokens[end + 2]?.text === "(" ? end + 2 : end + 3;
    return textAt(structure, open + 1);
  }
  if (sign === "-" && /^[ic]?(?:eq|ne)$/.test(tokens[end + 1]?.text ?? "")) return textAt(structure, end + 2);
  const list = sign === "in" ? end + 1 : sign === "not" && tokens[end + 1]?.text === "in" ? end + 2 : -1;
  return list > 0 && (other[list] ?? -1) > list ? textsIn(structure, list) : [];
}

/** Behind `==`, `===`, `!=`, `!==` or `<>`; the place itself where there is none of these. */
function operatorEnd({ tokens, touches }: Structure, at: number): number {
  const signs = [0, 1, 2].map((step) => tokens[at + step]?.text ?? "");
  const length = signs.findIndex(
    (sign, step) => !/^[=!<>]$/.test(sign) || (step > 0 && !touches(at + step - 1, at + step)),
  );
  const operator = signs.slice(0, length < 0 ? 3 : length).join("");
  return /^(?:==|===|!=|!==|<>)$/.test(operator) ? at + operator.length : -1;
}

/** `"a" == x`. */
function before({ tokens, touches }: Structure, start: number): readonly Token[] {
  if (
    tokens[start - 1]?.text !== "=" ||
    !touches(start - 2, start - 1) ||
    !/^[=!]$/.test(tokens[start - 2]?.text ?? "")
  )
    return [];
  const text = [tokens[start - 3], tokens[start - 4]].find((token) => token?.kind === "text");
  return text ? [text] : [];
}

/** `"a".equals(x)`, `["a", "b"].includes(x)`, `in_array(x, ["a"])`, `switch (x) { case "a":`. */
function around(structure: Structure, start: number): readonly Token[] {
  const { tokens, parent, other } = structure;
  const open = parent[start] ?? -1;
  if (open < 1 || tokens[open]?.text !== "(") return [];
  const name = tokens[open - 1]?.text ?? "";
  if (/^(?:switch|match)$/.test(name)) return cases(structure, (other[open] ?? open) + 1);
  const receiver = tokens[open - 3];
  if (equality.has(name) && receiver?.kind === "text") return [receiver];
  if (!membership.has(name)) return [];
  if (name === "in_array") return textsIn(structure, open);
  const list = other[open - 3] ?? -1;
  return receiver?.text === "]" && list >= 0 ? textsIn(structure, list) : [];
}

function textAt({ tokens }: Structure, at: number): readonly Token[] {
  if (at < 0) return [];
  const token = tokens[at]?.text === ":" ? undefined : tokens[at];
  return token?.kind === "text" ? [token] : [];
}

/** At most so many tokens of a list are looked at. */
const most = 60;

function textsIn({ tokens, other }: Structure, open: number): readonly Token[] {
  return tokens.slice(open + 1, Math.min(other[open] ?? open, open + most)).filter(({ kind }) => kind === "text");
}

function cases({ tokens, other }: Structure, open: number): readonly Token[] {
  const inside = tokens.slice(open + 1, Math.min(other[open] ?? open, open + 10 * most));
  return inside.filter(({ kind }, index) => kind === "text" && inside[index - 1]?.text === "case");
}
