import { RE2JS } from "re2js";
import { lazy } from "./memoize.ts";

export interface GlobRules {
  /** True if `*` matches `/` too. */
  readonly crossing: boolean;
  /** True if matching is case-sensitive. */
  readonly cased: boolean;
  /** True if wildcards match a leading dot of a segment. */
  readonly dots: boolean;
}

/** In time proportional to the text. A text equal to the glob matches too. */
export function globMatcher(glob: string, rules: GlobRules): (text: string) => boolean {
  const fold = rules.cased ? (text: string) => text : (text: string) => text.toLowerCase();
  const literal = fold(glob);
  const prefix = commonPrefix(literal);
  // `folder/**`, the most common glob, and `**`.
  const folder = rules.dots && /^(?:[^*?[\]{}\\]+\/)?\*\*$/.test(glob) ? literal.slice(0, -2) : undefined;
  const mayBeHidden = rules.dots || /(?:^|[/{,])\\?\./.test(glob);
  const matches = lazy(() => compilePattern(glob, rules));
  return (text) => {
    const folded = fold(text);
    if (folded === literal) return true;
    if (folder !== undefined && folded.length > folder.length && folded.startsWith(folder)) return true;
    if (text === "" || !folded.startsWith(prefix)) return false;
    return (mayBeHidden || !/(?:^|\/)\./.test(text)) && matches()(text);
  };
}

/** With a single star, JavaScript's own expressions are linear too, and they compile faster. */
function compilePattern(glob: string, rules: GlobRules): (text: string) => boolean {
  const source = `^(?:${toPattern(glob, rules)})$`;
  if (/^[^*[{\\]*\*+[^*[{\\]*$/.test(glob)) {
    const simple = new RegExp(source, rules.cased ? "su" : "sui");
    return (text) => simple.test(text);
  }
  const pattern = RE2JS.compile(source, rules.cased ? RE2JS.DOTALL : RE2JS.DOTALL | RE2JS.CASE_INSENSITIVE);
  return (text) => pattern.matches(text);
}

export function isGlob(text: string): boolean {
  return /[*?[{\\]/.test(text);
}

const longest = 10_000;

/** Unsupported syntax of a glob, as the end of "expected …". */
export function globFault(glob: string): string | undefined {
  if (glob.length > longest) return `a glob of at most ${longest} characters`;
  const found = faults.find(([pattern]) => pattern.test(glob.replace(/\\./gsu, "")));
  if (found) return found[1];
  return measureDepth(glob) > deepestBraces ? `a glob with braces at most ${deepestBraces} deep` : undefined;
}

const faults: readonly (readonly [RegExp, string])[] = [
  [
    /[!@]\(/,
    "a glob without !(…) or @(…), which are not supported; use {a,b} for alternatives, and \\( for a parenthesis",
  ],
  [/\([^()|]*\|/, "a glob without (a|b), which is not supported; use {a,b} for alternatives, and \\| for a bar"],
  [/\[\[:/, "a glob without [[:…:]], which is not supported; use [a-z] for a range"],
  [
    /\{(?:[^{},/]{2,}\.\.[^{},/]*|[^{},/]?\.\.[^{},/]{2,})\}/,
    "a glob whose ranges are of single characters, such as {a..c}",
  ],
];

/** Braces that are nested deeper are literal. */
const deepestBraces = 20;

function measureDepth(glob: string): number {
  let depth = 0;
  let deepest = 0;
  for (const each of glob) {
    if (each === "{") deepest = Math.max(deepest, ++depth);
    if (each === "}") depth--;
  }
  return deepest;
}

/** The longest folder without wildcards that contains all matches of a glob; `""` for the root. */
export function globFolder(glob: string): string {
  const plain = commonPrefix(glob);
  return glob.length === plain.length ? "" : plain.slice(0, Math.max(0, glob.lastIndexOf("/", plain.length)));
}

/** The common prefix of all matches; a slash before `**` is optional. */
function commonPrefix(glob: string): string {
  const end = glob.search(/[*?[{\\]/);
  return end < 0 ? glob : glob.slice(0, end).replace(/\/$/, "");
}

const token = /\*+|\[[!^]?(?:\\.|[^\\])(?:\\.|[^\]\\])*\]|\\.|./gsu;

interface Context {
  readonly tokens: readonly string[];
  readonly closings: ReadonlyMap<number, number>;
  readonly rules: GlobRules;
}

function toPattern(glob: string, rules: GlobRules): string {
  const tokens = glob.match(token) ?? [];
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const [index, each] of tokens.entries()) {
    if (each === "{") open.push(index);
    const opening = each === "}" ? open.pop() : undefined;
    if (opening !== undefined && open.length < deepestBraces) closings.set(opening, index);
  }
  return sequencePattern({ tokens, closings, rules }, 0, tokens.length);
}

function sequencePattern(context: Context, from: number, to: number): string {
  let pattern = "";
  for (let at = from; at < to; ) {
    const [part, next] = partPattern(context, at);
    pattern += part;
    at = next;
  }
  return pattern;
}

function partPattern(context: Context, at: number): readonly [string, number] {
  const { tokens, closings, rules } = context;
  const each = tokens[at] ?? "";
  if (each.startsWith("*")) return starPattern(context, at);
  if (each === "/" && isGlobstar(tokens, at + 1)) return globstarPattern(context, at + 1, "/");
  const closing = each === "{" ? closings.get(at) : undefined;
  if (closing !== undefined) return [bracesPattern(context, at, closing), closing + 1];
  if (each.length > 2 && each.startsWith("[")) return [`(?:${classPattern(each)}|${quote(each)})`, at + 1];
  if (each === "?") return [startsSegment(tokens, at) && !rules.dots ? "[^/.]" : "[^/]", at + 1];
  return [quote(each.length > 1 ? each.slice(1) : each), at + 1];
}

function quote(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function startsSegment(tokens: readonly string[], at: number): boolean {
  return at === 0 || tokens[at - 1] === "/";
}

/** A star that is a whole segment matches at least one character. */
function starPattern(context: Context, at: number): readonly [string, number] {
  const { tokens, rules } = context;
  if (isGlobstar(tokens, at)) return globstarPattern(context, at, "");
  const isWhole = isEdge(tokens[at - 1]) && isEdge(tokens[at + 1]);
  if (rules.crossing) return [isWhole ? ".+" : ".*", at + 1];
  if (rules.dots || !startsSegment(tokens, at)) return [isWhole ? "[^/]+" : "[^/]*", at + 1];
  return [isWhole ? "[^/.][^/]*" : "(?:[^/.][^/]*)?", at + 1];
}

/** `a/**` matches `a` too, but `*` before `**` only what is below a folder. */
function globstarPattern({ tokens, rules }: Context, at: number, slash: string): readonly [string, number] {
  let last = at;
  while (tokens[last + 1] === "/" && isGlobstar(tokens, last + 2)) last += 2;
  const segment = "[^/.][^/]*";
  const all = rules.dots ? ".*" : `(?:${segment}(?:/${segment})*/?)?`;
  if (tokens[last + 1] === "/") return [`${slash}(?:${all}/)?`, last + 2];
  const isOptional = slash !== "" && last + 1 === tokens.length && !tokens[at - 2]?.startsWith("*");
  return [isOptional ? `(?:/${all})?` : slash + all, last + 1];
}

/** True if stars are a whole segment, next to an alternative or, as in `**.yaml`, before a dot. */
function isGlobstar(tokens: readonly string[], at: number): boolean {
  if (tokens[at] !== "**") return false;
  const [before, after] = [tokens[at - 1], tokens[at + 1]];
  if (before === undefined && after === ".") return true;
  const begins = isEdge(before) || before === "{" || before === ",";
  return begins && (isEdge(after) || after === "{" || after === "}" || after === ",");
}

function isEdge(neighbour: string | undefined): boolean {
  return neighbour === undefined || neighbour === "/";
}

/** `{a,b}` and `{a..c}`; other braces are literal. */
function bracesPattern(context: Context, open: number, close: number): string {
  const { tokens, closings } = context;
  const bounds = [open];
  for (let at = open + 1; at < close; at = (closings.get(at) ?? at) + 1) if (tokens[at] === ",") bounds.push(at);
  bounds.push(close);
  const choices = bounds.slice(1).map((end, index) => sequencePattern(context, (bounds[index] ?? open) + 1, end));
  if (choices.length > 1) return `(?:${choices.join("|")})`;
  const range = /^(.)\.\.(.)$/su.exec(tokens.slice(open + 1, close).join(""));
  return range ? `[${rangePattern([range[1] ?? "", range[2] ?? ""].sort())}]` : `\\{${choices[0]}\\}`;
}

/** A class never matches a slash. Its own text matches too, because names of licenses contain brackets. */
function classPattern(text: string): string {
  const isNegated = /^\[[!^]/.test(text);
  const members = text.slice(isNegated ? 2 : 1, -1).match(/\\.|./gsu) ?? [];
  const characters = members.map((each) => (each.length > 1 && each.startsWith("\\") ? each.slice(1) : each));
  let pattern = "";
  for (let at = 0; at < characters.length; at++) {
    const isRange = characters[at + 1] === "-" && characters[at + 2] !== undefined;
    pattern += rangePattern([characters[at] ?? "", characters[isRange ? at + 2 : at] ?? ""]);
    if (isRange) at += 2;
  }
  if (isNegated) return `[^/${pattern}]`;
  return pattern === "" ? "[^\\x{0}-\\x{10FFFF}]" : `[${pattern}]`;
}

function rangePattern([low = "", high = ""]: readonly string[]): string {
  if (low > high) return "";
  if (low <= "/" && high >= "/") return rangePattern([low, "."]) + rangePattern(["0", high]);
  return [low, high].map((each) => `\\x{${each.codePointAt(0)?.toString(16)}}`).join("-");
}
