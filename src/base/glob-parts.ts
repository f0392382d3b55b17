/** Options of globs. */
export interface GlobRules {
  /** True if `*` matches `/` too. */
  readonly crossing: boolean;
  /** True if matching is case-sensitive. */
  readonly cased: boolean;
  /** True if wildcards match a leading dot of a segment. */
  readonly dots: boolean;
}

/** Tests a character; `leads` if it is the first of its segment. */
export type Test = (character: string, leads: boolean) => boolean;

/** A part of a glob. */
export type GlobPart =
  | { readonly form: "one" | "many"; readonly test: Test }
  | { readonly form: "either"; readonly choices: readonly (readonly GlobPart[])[] };

/** The parts of a glob. Unclosed brackets and braces are literal. */
export function partsOf(glob: string, rules: GlobRules): readonly GlobPart[] {
  const tokens = globTokens(glob);
  return parseSequence({ tokens, closings: matchBraces(tokens), rules }, 0, tokens.length);
}

/** Braces that are nested deeper are literal. */
export const deepestBraces = 20;

interface Context {
  readonly tokens: readonly GlobToken[];
  /** Maps the index of each opening brace to that of its closing one. */
  readonly closings: ReadonlyMap<number, number>;
  readonly rules: GlobRules;
}

function matchBraces(tokens: readonly GlobToken[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach(({ sort }, index) => {
    if (sort === "{") open.push(index);
    const opening = sort === "}" ? open.pop() : undefined;
    if (opening !== undefined && open.length < deepestBraces) closings.set(opening, index);
  });
  return closings;
}

function parseSequence(context: Context, from: number, to: number): readonly GlobPart[] {
  const parts: GlobPart[] = [];
  for (let at = from; at < to; ) at = parseStep(context, at, parts);
  return parts;
}

/** Adds the parts at an index, and returns the next index. */
function parseStep(context: Context, at: number, parts: GlobPart[]): number {
  const { tokens, closings, rules } = context;
  const token = tokens[at];
  if (token?.sort === "*") return stars(context, at, parts);
  const closing = token?.sort === "{" ? closings.get(at) : undefined;
  if (closing !== undefined) {
    parts.push(...braces(context, at, closing));
    return closing + 1;
  }
  if (token?.sort === "class") parts.push(classPart(token, rules));
  else if (token?.sort === "?") parts.push({ form: "one", test: isOneOf(() => true, rules) });
  else parts.push(...[...(token?.text ?? "")].map((each) => literal(each, rules)));
  return at + 1;
}

function literal(written: string, { cased }: GlobRules): GlobPart {
  const lower = written.toLowerCase();
  return { form: "one", test: cased ? (each) => each === written : (each) => each.toLowerCase() === lower };
}

/** A class also matches its own text, because names of licenses contain brackets. */
function classPart({ text, negated, has }: Extract<GlobToken, { sort: "class" }>, rules: GlobRules): GlobPart {
  const cases = rules.cased ? has : (each: string) => has(each.toLowerCase()) || has(each.toUpperCase());
  const listed = (each: string) => cases(each) !== negated;
  const itself = [...text].map((each) => literal(each, rules));
  return { form: "either", choices: [[{ form: "one", test: isOneOf(listed, rules) }], itself] };
}

/** Matches within a segment; a leading dot only if the rules allow it. */
function isOneOf(has: (character: string) => boolean, { dots }: GlobRules): Test {
  return (each, leads) => each !== "/" && (dots || !leads || each !== ".") && has(each);
}

/** `{a,b}` and `{a..c}`; other braces are literal. */
function braces(context: Context, open: number, close: number): readonly GlobPart[] {
  const commas = commasBetween(context, open, close);
  if (commas.length > 0) {
    const bounds = [open, ...commas, close];
    const choices = commas.concat(close).map((end, index) => parseSequence(context, (bounds[index] ?? open) + 1, end));
    return [{ form: "either", choices }];
  }
  const { tokens, rules } = context;
  const inside = tokens.slice(open + 1, close).map(({ text }) => text);
  const range = /^(.)\.\.(.)$/su.exec(inside.join(""));
  if (range) return [{ form: "one", test: isOneOf(isBetween(range[1] ?? "", range[2] ?? "", rules), rules) }];
  return [literal("{", rules), ...parseSequence(context, open + 1, close), literal("}", rules)];
}

function isBetween(one: string, other: string, { cased }: GlobRules): (character: string) => boolean {
  const [low = "", high = ""] = [one, other].sort();
  const has = (each: string) => each >= low && each <= high;
  return cased ? has : (each) => has(each.toLowerCase()) || has(each.toUpperCase());
}

function commasBetween({ tokens, closings }: Context, open: number, close: number): readonly number[] {
  const commas: number[] = [];
  for (let at = open + 1; at < close; at = (closings.get(at) ?? at) + 1) {
    if (tokens[at]?.sort === ",") commas.push(at);
  }
  return commas;
}

/** `**` between slashes matches zero or more segments; any other stars are one `*`. */
function stars(context: Context, at: number, parts: GlobPart[]): number {
  const { tokens, rules } = context;
  const sortAt = (index: number) => tokens[index]?.sort;
  if (!isGlobstar(tokens, at)) {
    const test: Test = rules.crossing ? anything(rules) : isOneOf(() => true, rules);
    const isWhole = isEdge(sortAt(at - 1)) && isEdge(sortAt(at + 1));
    if (isWhole) parts.push({ form: "one", test });
    parts.push({ form: "many", test });
    return at + 1;
  }
  let last = at;
  while (sortAt(last + 1) === "/" && isGlobstar(tokens, last + 2)) last += 2;
  const all: GlobPart = { form: "many", test: anything(rules) };
  const slash = literal("/", rules);
  if (sortAt(last + 1) === "/") {
    parts.push({ form: "either", choices: [[all, slash], []] });
    return last + 2;
  }
  // `a/**` matches `a` too; `*/**` matches only below a folder.
  const isOptional = last + 1 === tokens.length && sortAt(at - 1) === "/" && sortAt(at - 2) !== "*";
  if (isOptional) parts.splice(-1, 1, { form: "either", choices: [[slash, all], []] });
  else parts.push(all);
  return last + 1;
}

/** True if stars are a whole segment, next to an alternative or, as in `**.yaml`, before a dot. */
function isGlobstar(tokens: readonly GlobToken[], at: number): boolean {
  const token = tokens[at];
  if (token?.sort !== "*" || token.text !== "**") return false;
  const before = tokens[at - 1]?.sort;
  const after = tokens[at + 1]?.sort;
  if (before === undefined && tokens[at + 1]?.text === ".") return true;
  const begins = isEdge(before) || before === "{" || before === ",";
  return begins && (isEdge(after) || after === "{" || after === "}" || after === ",");
}

function isEdge(sort: GlobToken["sort"] | undefined): boolean {
  return sort === undefined || sort === "/";
}

function anything({ dots }: GlobRules): Test {
  return dots ? () => true : (each, leads) => !leads || each !== ".";
}

/** A token of a glob: a literal character, a wildcard or punctuation. */
type GlobToken =
  | { readonly sort: "literal" | "/" | "?" | "*" | "{" | "," | "}"; readonly text: string }
  | { readonly sort: "class"; readonly text: string; readonly negated: boolean; readonly has: Members };

/** Tests whether a class contains a character. */
type Members = (character: string) => boolean;

const punctuation = ["/", "?", "{", ",", "}"] as const;

/** Splits a glob into tokens. `\x` is a literal `x`, and so is an unclosed `[`. */
function globTokens(glob: string): readonly GlobToken[] {
  const characters = [...glob];
  const tokens: GlobToken[] = [];
  for (let at = 0; at < characters.length; ) {
    const [token, length] = readToken(characters, at);
    tokens.push(token);
    at += length;
  }
  return tokens;
}

function readToken(characters: readonly string[], at: number): readonly [GlobToken, length: number] {
  const first = characters[at] ?? "";
  const second = characters[at + 1];
  if (first === "\\" && second !== undefined) return [{ sort: "literal", text: second }, 2];
  if (first === "*") {
    let end = at;
    while (characters[end] === "*") end++;
    return [{ sort: "*", text: "*".repeat(end - at) }, end - at];
  }
  const closing = first === "[" ? findClosing(characters, at) : undefined;
  if (closing !== undefined) {
    const inside = characters.slice(at + 1, closing);
    const negated = isNegation(inside[0]);
    const has = parseMembers(negated ? inside.slice(1) : inside);
    return [{ sort: "class", text: `[${inside.join("")}]`, negated, has }, closing + 1 - at];
  }
  return [{ sort: punctuation.find((each) => each === first) ?? "literal", text: first }, 1];
}

/** The `]` that closes a class; as its first character `]` is literal. */
function findClosing(characters: readonly string[], open: number): number | undefined {
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

function parseMembers(inside: readonly string[]): Members {
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
