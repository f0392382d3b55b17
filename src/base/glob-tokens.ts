/** A token of a glob: a literal character, a wildcard or punctuation. */
export type GlobToken =
  | { readonly sort: "literal" | "/" | "?" | "*" | "{" | "," | "}"; readonly text: string }
  | { readonly sort: "class"; readonly text: string; readonly negated: boolean; readonly has: Members };

/** Whether a class lists a character. */
type Members = (character: string) => boolean;

const punctuation = ["/", "?", "{", ",", "}"] as const;

/** Splits a glob into tokens. `\x` is a literal `x`, and so is an unclosed `[`. */
export function globTokens(glob: string): readonly GlobToken[] {
  const characters = [...glob];
  const tokens: GlobToken[] = [];
  for (let at = 0; at < characters.length; ) {
    const [token, length] = tokenAt(characters, at);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function tokenAt(characters: readonly string[], at: number): readonly [GlobToken, length: number] {
  const first = characters[at] ?? "";
  const second = characters[at + 1];
  if (first === "\\" && second !== undefined) return [{ sort: "literal", text: second }, 2];
  if (first === "*") {
    let end = at;
    while (characters[end] === "*") end++;
    return [{ sort: "*", text: "*".repeat(end - at) }, end - at];
  }
  const closing = first === "[" ? closingOf(characters, at) : undefined;
  if (closing !== undefined) {
    const inside = characters.slice(at + 1, closing);
    const negated = isNegation(inside[0]);
    const has = membersOf(negated ? inside.slice(1) : inside);
    return [{ sort: "class", text: `[${inside.join("")}]`, negated, has }, closing + 1 - at];
  }
  return [{ sort: punctuation.find((each) => each === first) ?? "literal", text: first }, 1];
}

/** The `]` that closes a class; as its first character `]` is literal. */
function closingOf(characters: readonly string[], open: number): number | undefined {
  const first = isNegation(characters[open + 1]) ? open + 2 : open + 1;
  for (let at = first; at < characters.length; at++) {
    if (characters[at] === "\\") at++;
    else if (characters[at] === "]" && at > first) return at;
  }
  return undefined;
}

function isNegation(character: string | undefined): boolean {
  return character === "^" || character === "!";
}

function membersOf(inside: readonly string[]): Members {
  const ranges: (readonly [low: string, high: string])[] = [];
  for (let at = 0; at < inside.length; at++) {
    if (inside[at] === "\\" && at + 1 < inside.length) at++;
    const low = inside[at] ?? "";
    const high = inside[at + 1] === "-" ? inside[at + 2] : undefined;
    ranges.push([low, high ?? low]);
    if (high !== undefined) at += 2;
  }
  return (each) => ranges.some(([low, high]) => each >= low && each <= high);
}
