import type { TextFragment } from "./text.ts";

/** A word, a string literal (without its quotes) or a sign. Comments are skipped. */
export interface Token extends TextFragment {
  readonly kind: "word" | "text" | "sign";
}

interface Language {
  /** Matches spaces, a comment, a string literal, a word, or a sign. */
  readonly form: RegExp;
  readonly regexes?: boolean;
  /** The start of a here-document; its second group is the delimiter. */
  readonly heredoc?: RegExp;
  /** The quote of commands. */
  readonly runs?: string;
}

/** `long` quotes may enclose several lines. The parameters are patterns. */
function languageWith(comments: string, long: string, short: string, more: Omit<Language, "form"> = {}): Language {
  const literals = [
    ["long", long, "[^]"],
    ["short", short, "[^\\n]"],
  ].map(([name, quote, sign]) => `(?<${name}>${quote})((?:(?!\\k<${name}>)(?:\\\\[^]|${sign}))*)(?:\\k<${name}>)?`);
  const word = "([\\p{L}\\p{N}_$@]+)";
  return { form: new RegExp(`\\s+|${comments}|${literals.join("|")}|${word}|([^])`, "uy"), ...more };
}

const none = "(?!)";
const hash = "#[^\\n]*";
const slashes = "\\/\\*[^]*?(?:\\*\\/|$)|\\/\\/[^\\n]*";
const tripled = `"""|'''`;
const single = `["']`;
const json = languageWith(none, none, '"');
const curly = languageWith(slashes, '"""|`', '"');
const python = languageWith(hash, tripled, single);
const groovy = languageWith(slashes, tripled, single);
const javascript = languageWith(slashes, "`", single, { regexes: true });
const powershell = languageWith(`<#[^]*?(?:#>|$)|${hash}`, none, single);
const terraform = languageWith(`${slashes}|${hash}`, none, '"', { heredoc: /<<-?(["']?)([A-Za-z_]\w*)\1/y });
const ruby = languageWith(`=begin[^]*?(?:=end|$)|${hash}`, "[\"'`]", none, {
  runs: "`",
  heredoc: /<<[~-]?(["'`]?)([A-Z]\w*)\1/y,
});
const php = languageWith(`${slashes}|${hash}`, single, none, { heredoc: /<<<\s*(["']?)([A-Za-z_]\w*)\1/y });
/** Programs within string literals, where quotes may be escaped. */
const inner = languageWith(none, none, `\\\\?["']`);

const languages: readonly (readonly [ends: RegExp, language: Language])[] = [
  [/\.(?:[cm]?[jt]sx?|vue|svelte|dart)$/i, javascript],
  [/\.(?:py|pyi|star|bzl)$/i, python],
  [/(?:\.(?:rb|rake|gemspec|ru)|(?:^|\/)(?:Gemfile|Rakefile|Vagrantfile|Fastfile|Dangerfile|gems\.rb))$/i, ruby],
  [/\.(?:go|java|kts?|scala|cs|rs|swift|c|h|cc|cpp|hpp)$/i, curly],
  [/(?:\.(?:groovy|gradle)|(?:^|\/)Jenkinsfile)$/i, groovy],
  [/\.php$/i, php],
  [/\.(?:tf|hcl)$/i, terraform],
  [/\.(?:ps1|psm1|pl|pm|r|ex|exs|jl|nix)$/i, powershell],
  [/\.(?:json|jsonl|ipynb|har)$/i, json],
];

export function languageOf(file: string): Language | undefined {
  return languages.find(([ends]) => ends.test(file))?.[1];
}

/** The tokens of a program. Never throws, whatever the text is. */
export function tokensOf(fragment: TextFragment, language: Language): readonly Token[] {
  return joinLiterals(lex(fragment, language));
}

/** The tokens within a string literal, such as JSON or another program. */
export function tokensWithin({ text, start }: TextFragment): readonly Token[] {
  return lex({ text: text.replace(/\\[nrt]/g, "  "), start }, inner);
}

function lex({ text, start }: TextFragment, language: Language): Token[] {
  const tokens: Token[] = [];
  const push = (kind: Token["kind"], from: number, to: number) =>
    tokens.push({ kind, text: text.slice(from, to), start: start + from });
  let body: ReturnType<typeof matchHeredoc>;
  let at = 0;
  while (at < text.length) {
    if (body && at >= body.from) {
      at = Math.max(at, body.end);
      body = undefined;
      continue;
    }
    const begun = body ? undefined : matchHeredoc(text, at, language);
    if (begun) {
      push("text", begun.from, begun.to);
      body = begun;
      at = begun.behind;
      continue;
    }
    at = regexEnd(text, at, language, tokens.at(-1)) ?? pushNext(text, at, language, push);
  }
  return tokens;
}

const maxBodyLength = 20_000;

/** Start and end of a body's lines, the end of its delimiter, and the offset behind the opening delimiter. */
function matchHeredoc(text: string, at: number, { heredoc }: Language) {
  if (!heredoc || text[at] !== "<") return undefined;
  heredoc.lastIndex = at;
  const mark = heredoc.exec(text)?.[2];
  const newline = mark === undefined ? -1 : text.indexOf("\n", at);
  if (newline < 0) return undefined;
  const lines = text.slice(newline, newline + maxBodyLength);
  const last = new RegExp(`\\n[ \\t]*${mark}\\b`).exec(lines);
  if (!last) return undefined;
  const to = newline + last.index;
  return { from: newline + 1, to: Math.max(to, newline + 1), end: to + last[0].length, behind: heredoc.lastIndex };
}

/** Adds the token at an offset, if there is one; returns the offset behind it. */
function pushNext(
  text: string,
  at: number,
  { form }: Language,
  push: (kind: Token["kind"], from: number, to: number) => void,
): number {
  form.lastIndex = at;
  const [, long, longText = "", short = long, shortText = longText, word, sign] = form.exec(text) ?? [];
  const end = form.lastIndex;
  if (short !== undefined) push("text", at + short.length, at + short.length + shortText.length);
  else if (word !== undefined) push("word", at, end);
  else if (sign !== undefined) push("sign", at, end);
  return end;
}

const regexForm = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n]){0,200}\]|[^/\\[\n]){1,500}\/[a-z]*/y;

/** A slash begins a regular expression only in place of a value. */
function regexEnd(text: string, at: number, { regexes }: Language, before: Token | undefined): number | undefined {
  if (!regexes || text[at] !== "/") return undefined;
  const valueDue =
    !before ||
    (before.kind === "sign" && !/[)\]}]/.test(before.text)) ||
    /^(?:return|typeof|case|in|of)$/.test(before.text);
  regexForm.lastIndex = at;
  return valueDue && regexForm.test(text) ? regexForm.lastIndex : undefined;
}

/** Joins string literals that are concatenated by +, with holes for everything between them. */
function joinLiterals(tokens: readonly Token[]): readonly Token[] {
  const result: Token[] = [];
  for (let i = 0; i < tokens.length; i++) {
    let token = tokens[i];
    if (!token) break;
    for (let next = continuation(tokens, i); token.kind === "text" && next; next = continuation(tokens, i)) {
      const part: Token = next.token;
      const gap: number = part.start - token.start - token.text.length;
      token = { ...token, text: `${token.text}${"\u0001".repeat(gap)}${part.text}` };
      i = next.index;
    }
    result.push(token);
  }
  return result;
}

/** The next string literal of a concatenation. */
function continuation(tokens: readonly Token[], from: number): { token: Token; index: number } | undefined {
  if (tokens[from + 1]?.text !== "+") return undefined;
  for (let index = from + 2; index < from + 12; index++) {
    const token = tokens[index];
    if (!token || (token.kind === "sign" && !/[+.()[\]]/.test(token.text))) return undefined;
    if (token.kind === "text") return tokens[index - 1]?.text === "+" ? { token, index } : undefined;
  }
  return undefined;
}
