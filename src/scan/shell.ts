import { vocabulary } from "../model/deprecations.ts";
import { braceEnd, hole, type TextFragment, withHoles } from "./text.ts";

/** A simple command. `words` begins with its name; assignments and wrappers such as sudo are removed. */
export interface Command {
  readonly words: readonly Word[];
  readonly assignments: readonly Word[];
  /** True if it only prints its arguments, as echo does. */
  readonly printsOnly: boolean;
  /** True if its output is piped to the next command. */
  readonly feeds: boolean;
}

/** The base name of a command; empty for an assignment. */
export function commandNameOf({ words }: Command): string {
  return words[0]?.raw.replace(/^.*\//, "").replace(/["']/g, "") ?? "";
}

const keywords = new Set(["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "fi", "done", "esac"]);

/** A simple command of words. Keeps the array itself, because here-documents are appended to it later. */
export function commandOf(all: Word[]): Command {
  const assignments: Word[] = [];
  let at = 0;
  for (let word = all[at]; word; word = all[at]) {
    if (/^[A-Za-z_]\w*\+?=/.test(word.raw)) assignments.push(word);
    else if (!isWrapping(all, at)) break;
    at++;
  }
  all.splice(0, at);
  const command = { words: all, assignments, feeds: false, printsOnly: false };
  return { ...command, printsOnly: vocabulary.shell.talk.has(commandNameOf(command)) };
}

/** A keyword, a wrapper, or an option of a wrapper with its value. */
function isWrapping(words: readonly Word[], at: number): boolean {
  const raw = words[at]?.raw.replace(/^@/, "") ?? "";
  const { wrappers } = vocabulary.shell;
  if (keywords.has(raw) || wrappers.has(raw)) return true;
  const before = words[at - 1]?.raw ?? "";
  if (at > maxWords) return false;
  const behindWrapper = words.slice(0, at).some((word) => wrappers.has(word.raw));
  return behindWrapper && (raw.startsWith("-") || /^-[ugnk]$/.test(before) || /^\d+[smh]?$/.test(raw));
}

const maxWords = 30;

interface Heredoc {
  readonly mark: string;
  readonly words: Word[];
}

interface ShellReader {
  /** The file up to the end of the script. */
  readonly text: string;
  at: number;
  words: Word[];
  /** True if the next word is the file of a redirection. */
  isFile: boolean;
  heredocs: Heredoc[];
  readonly commands: Command[];
  /** True if line breaks do not end commands. */
  readonly folded: boolean;
  readonly depth: number;
}

const maxDepth = 8;

/** The commands between two offsets, including those in substitutions. Never throws. */
export function commandsOf(
  text: string,
  start = 0,
  end = text.length,
  { folded = false, depth = 0 }: { readonly folded?: boolean; readonly depth?: number } = {},
): readonly Command[] {
  if (depth > maxDepth) return [];
  const lists = { words: [], heredocs: [], commands: [] };
  const reader: ShellReader = { text: text.slice(0, end), at: start, ...lists, isFile: false, folded, depth };
  while (reader.at < reader.text.length) readNext(reader);
  finish(reader);
  return reader.commands;
}

function readNext(reader: ShellReader): void {
  const { text, at } = reader;
  const character = text[at] ?? "";
  if (character === "\\" && /\r?\n/y.test(text.slice(at + 1, at + 3))) reader.at += text[at + 1] === "\r" ? 3 : 2;
  else if (character === "\n") endLine(reader);
  else if (/\s/.test(character)) reader.at++;
  else if (character === "#") reader.at = indexOrEnd(text, "\n", at);
  else if (text.startsWith("<<<", at)) reader.at += 3;
  else if (text.startsWith("<<", at)) readHeredocMark(reader);
  else if (/[<>]/.test(character) || text.startsWith("&>", at)) redirect(reader);
  else if (/[;&|()]/.test(character)) {
    finish(reader, character === "|" && text[at + 1] !== "|");
    reader.at += text[at + 1] === character || text.startsWith("|&", at) ? 2 : 1;
  } else readWord(reader);
}

/** `> file`, `2>&1`, `< file`; `<(` and `>(` begin a command. */
function redirect(reader: ShellReader): void {
  const { text, at } = reader;
  const form = /&?>>?\|?(&[\d-]*)?|<(&[\d-]*)?/y;
  form.lastIndex = at;
  const [whole = ">", ...copies] = form.exec(text) ?? [];
  reader.at += whole.length;
  if (copies.every((copy) => copy === undefined) && text[reader.at] !== "(") reader.isFile = true;
}

function indexOrEnd(text: string, mark: string, from: number): number {
  const index = text.indexOf(mark, from);
  return index < 0 ? text.length : index;
}

function endLine(reader: ShellReader): void {
  reader.at++;
  if (!reader.folded) finish(reader);
  for (const heredoc of reader.heredocs) readHeredoc(reader, heredoc);
  reader.heredocs = [];
}

function readHeredocMark(reader: ShellReader): void {
  const form = /<<-?\s*(["']?)([\w.-]+)\1/y;
  form.lastIndex = reader.at;
  const [whole, , mark] = form.exec(reader.text) ?? [];
  reader.at += whole?.length ?? 2;
  if (mark) reader.heredocs.push({ mark, words: reader.words });
}

function readHeredoc(reader: ShellReader, { mark, words }: Heredoc): void {
  const { text, at: start } = reader;
  while (reader.at < text.length) {
    const end = indexOrEnd(text, "\n", reader.at);
    const isMark = text.slice(reader.at, end).trim() === mark;
    if (isMark) {
      // Quotes have no meaning in it.
      const raw = text.slice(start, reader.at);
      words.push({ raw, start, end: reader.at, text: withHoles(raw) });
    }
    reader.at = Math.min(end + 1, text.length);
    if (isMark) return;
  }
}

function readWord(reader: ShellReader): void {
  const { text, at: start } = reader;
  while (/[^\s;&|()<>]/.test(text[reader.at] ?? " ")) readPart(reader);
  reader.at = Math.min(reader.at, text.length);
  if (reader.at === start) reader.at++;
  else if (!reader.isFile && !isDescriptor(reader, start)) reader.words.push(readWordBetween(text, start, reader.at));
  reader.isFile = false;
}

/** The 2 of `2>`. */
function isDescriptor({ text, at }: ShellReader, start: number): boolean {
  return /[<>]/.test(text[at] ?? "") && /^\d$/.test(text.slice(start, at));
}

function readPart(reader: ShellReader): void {
  const { text, at } = reader;
  const character = text[at];
  if (character === "\\") reader.at += 2;
  else if (character === "'") reader.at = indexOrEnd(text, "'", at + 1) + 1;
  else if (character === '"') {
    reader.at++;
    while (reader.at < text.length && text[reader.at] !== '"') {
      if (text.startsWith("$(", reader.at)) readSubstitution(reader);
      else reader.at += text[reader.at] === "\\" ? 2 : 1;
    }
    reader.at++;
  } else if (text.startsWith("$(", at)) readSubstitution(reader);
  else if (character === "`") {
    const close = indexOrEnd(text, "`", at + 1);
    read(reader, at + 1, close);
    reader.at = close + 1;
  } else reader.at = text.startsWith("${", at) ? braceEnd(text, at + 2) : at + 1;
}

function readSubstitution(reader: ShellReader): void {
  const { text } = reader;
  const start = reader.at + 2;
  let depth = 1;
  let at = start;
  for (; at < text.length && depth > 0; at++) {
    if (text[at] === "'") at = indexOrEnd(text, "'", at + 1);
    else if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
  }
  read(reader, start, at - 1);
  reader.at = at;
}

function read({ text, commands, depth }: ShellReader, start: number, end: number): void {
  for (const command of commandsOf(text, start, end, { depth: depth + 1 })) commands.push(command);
}

function finish(reader: ShellReader, feeds = false): void {
  const { words } = reader;
  reader.words = [];
  if (words.length === 0) return;
  const command = commandOf(words);
  const [first] = command.words;
  const isListed =
    first?.raw.startsWith("[") && words.at(-1)?.raw.endsWith("]") && words.some(({ raw }) => raw.endsWith('",'));
  const listed = isListed ? parseListed(reader, command) : command;
  reader.commands.push({ ...listed, feeds });
}

/** `["name", "argument"]`, as container files write commands. */
function parseListed({ text }: ShellReader, command: Command): Command {
  const start = command.words[0]?.start ?? 0;
  const list = text.slice(start, command.words.at(-1)?.end);
  const words = [...list.matchAll(/"((?:\\.|[^"\\])*)"/g)];
  return commandOf(words.map(({ index, 1: word = "" }) => plainWord(word, start + index + 1)));
}

/** A word of a command, without its quotes if it is quoted as a whole; interpolations are holes. */
export interface Word extends TextFragment {
  readonly end: number;
  /** As written in the file. */
  readonly raw: string;
}

function readWordBetween(text: string, start: number, end: number): Word {
  const raw = text.slice(start, end);
  const isQuoted = /^(["'])[\s\S]*\1$/.test(raw) && !raw.slice(1, -1).includes(raw[0] ?? "", 0);
  const escaped = raw.startsWith('"') && /^"(?:[^"\\]|\\[\s\S])*"$/.test(raw);
  if (isQuoted || escaped) {
    const inner = raw.slice(1, -1);
    const isPlain = raw.startsWith("'");
    return { raw, start: start + 1, end: end - 1, text: isPlain ? inner : withHoles(inner) };
  }
  return { raw, start, end, text: withHoles(raw).replace(/["']/g, hole) };
}

export function plainWord(text: string, start: number): Word {
  return { text, raw: text, start, end: start + text.length };
}

/** The value of an assignment or of an option such as `-e NAME=VALUE`, without quotes. */
export function assignedWord(word: Word): Word {
  const { raw, end } = word;
  const start = end - (raw.length - raw.indexOf("=") - 1);
  const quote = /["']/.exec(raw.charAt(raw.indexOf("=") + 1))?.[0] ?? "";
  const value = raw.slice(raw.indexOf("=") + 1 + quote.length, quote ? -1 : undefined);
  const text = quote === "'" ? value : withHoles(value);
  return { raw: value, start: start + quote.length, end: end - quote.length, text };
}
