import type { Stretch } from "./text.ts";
import type { Token } from "./tokens.ts";

/** The tokens of one statement of a program, or of one command with those that it is piped to. */
export interface Statement extends Stretch {
  readonly tokens: readonly Token[];
}

/** The statements of a program or a script, in their order. Never throws: what is not balanced makes longer statements. */
export function statementsOf(tokens: readonly Token[], text: string): readonly Statement[] {
  const parts: Token[][] = [];
  const open: string[] = [];
  let part: Token[] = [];
  tokens.forEach((token, index) => {
    const before = tokens[index - 1];
    if (before && isBoundary(before, token, text, tokens.length, open)) {
      parts.push(part);
      part = [];
    }
    if (token.kind === "sign") track(token, part, open);
    part.push(token);
  });
  return [...parts, part].flatMap((each, index) => statementOf(each, parts[index - 1]?.at(-1), text));
}

/** A statement begins where its line does, or where the one before it on that line ends. */
function statementOf(tokens: readonly Token[], before: Token | undefined, text: string): readonly Statement[] {
  const [first] = tokens;
  const last = tokens.at(-1);
  if (!first || !last) return [];
  const ended = before ? before.start + before.text.length : 0;
  const from = ended <= first.start ? ended : 0;
  const start = from + text.slice(from, first.start).lastIndexOf("\n") + 1;
  return [{ tokens, start, text: text.slice(start, last.start + last.text.length) }];
}

/** Opens and closes brackets: `{` is a block where statements may stand in it, else what it holds belongs together. */
function track({ text }: Token, part: readonly Token[], open: string[]): void {
  if (/[)\]}]/.test(text)) open.pop();
  else if (/[([]/.test(text)) open.push(text);
  else if (text === "{") open.push(isBlock(part) ? "block" : text);
}

const blockWords = new Set(
  "if else for while switch try catch finally do class interface struct func function def fn impl match".split(" "),
);

function isBlock(part: readonly Token[]): boolean {
  const before = part.at(-1)?.text ?? "";
  const lead = part.find(({ kind, text }) => kind === "word" && !/^(?:export|async|public|private|static)$/.test(text));
  return before === ")" || before === ">" || blockWords.has(before) || blockWords.has(lead?.text ?? "");
}

function isBoundary(before: Token, token: Token, text: string, count: number, open: readonly string[]): boolean {
  const gap = text.slice(before.start + before.text.length, token.start);
  // Groups of shell commands lie beyond those of calls.
  if (before.group >= count || token.group >= count) return before.group !== token.group && !isPipe(gap);
  if (![undefined, "block"].includes(open.at(-1))) return false;
  if (token.text === ";") return false;
  if (before.text === ";" || before.text === "}" || token.text === "}") return token.text !== ")" && token.text !== ".";
  return gap.includes("\n") && !goesOn(before, token);
}

function isPipe(gap: string): boolean {
  return /^[^\n;&|]*(?:\\\n[^\n;&|]*)*\|\s*[^\n;&|]*(?:\\\n[^\n;&|]*)*$/.test(gap);
}

function goesOn(before: Token, token: Token): boolean {
  const isOpen = before.kind === "sign" && /[=,+.&|?:\\(]/.test(before.text);
  return (isOpen && before.text !== ":") || (token.kind === "sign" && /[.&|?+]/.test(token.text));
}

const named: readonly RegExp[] = [
  /^\s*(?:(?:export|const|let|var|val|local|final|readonly|my|auto|[A-Z]\w*)\s+)*\$?(\w+)(?:\s*:[^=\n]*)?\s*:?=(?![=>~])/g,
  /\bfor\b[^\n]{0,100}?\b(\w+)\b\s*(?:\bin\b|\bof\b|:=\s*range|:)/g,
  /\b(\w+)\)?\s*=>/g,
  /\|\s*(\w+)\s*\|/g,
];

/** The names that a statement gives to what it is about. */
export function namesIn({ text }: Statement): readonly string[] {
  return named.flatMap((pattern) => [...text.matchAll(pattern)].flatMap(([, name]) => (name ? [name] : [])));
}

/** The statements that are about a word: it stands in them, or a name of such a statement, or they name what such a one takes. */
export function statementsAbout(statements: readonly Statement[], word: string): readonly Statement[] {
  const about = new Map<string, boolean>();
  const isAbout = statements.map((statement) => {
    const stands = statement.tokens.some(({ text }) => text.includes(word));
    const found = stands || wordsOf(statement).some((name) => about.get(name));
    for (const name of namesIn(statement)) about.set(name, found);
    return found;
  });
  const isTaken = takenBy(statements, isAbout);
  return statements.filter((_, index) => isAbout[index] || isTaken[index]);
}

function wordsOf({ text }: Statement): readonly string[] {
  return text.match(/\w+/g) ?? [];
}

/** Of each statement, whether a later one that is about the word takes a name of it, before another gives it again. */
function takenBy(statements: readonly Statement[], isAbout: readonly boolean[]): readonly boolean[] {
  const wanted = new Set<string>();
  const taken = statements.toReversed().map((statement, index) => {
    const names = namesIn(statement);
    const found = names.some((name) => wanted.has(name));
    for (const name of names) wanted.delete(name);
    if (isAbout[statements.length - 1 - index]) for (const word of wordsOf(statement)) wanted.add(word);
    return found;
  });
  return taken.toReversed();
}
