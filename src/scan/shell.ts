import { surroundings } from "../model/removals.ts";
import { hole, masked, type Stretch } from "./text.ts";

/** A word of a command: without its quotes where it is quoted as a whole, interpolations as holes. */
export interface Word extends Stretch {
  readonly end: number;
  /** As it stands in the file. */
  readonly raw: string;
}

/** A simple command. `words` begins with its name: assignments and wrappers such as sudo are left out. */
export interface Command {
  readonly words: readonly Word[];
  readonly assignments: readonly Word[];
  /** Whether it only says something: its arguments are no uses. */
  readonly talks: boolean;
}

/** The name of a command, without a folder; empty for an assignment. */
export function nameOf({ words }: Command): string {
  return words[0]?.raw.replace(/^.*\//, "").replace(/["']/g, "") ?? "";
}

interface Heredoc {
  readonly mark: string;
  readonly words: Word[];
}

/** Where the reader stands. */
interface Reading {
  readonly text: string;
  readonly end: number;
  at: number;
  words: Word[];
  heredocs: Heredoc[];
  readonly commands: Command[];
  /** Where lines are folded into one. */
  readonly folded: boolean;
  /** Substitutions around it. */
  readonly depth: number;
}

/** Deeper substitutions are not read. */
const deepest = 8;

/** The commands of a shell text between two offsets, those in substitutions too. Never throws. */
export function commandsOf(
  text: string,
  start = 0,
  end = text.length,
  { folded = false, depth = 0 }: { readonly folded?: boolean; readonly depth?: number } = {},
): readonly Command[] {
  if (depth > deepest) return [];
  const reading: Reading = { text, end, at: start, words: [], heredocs: [], commands: [], folded, depth };
  while (reading.at < end) step(reading);
  finish(reading);
  return reading.commands;
}

function step(reading: Reading): void {
  const { text, at } = reading;
  const character = text[at] ?? "";
  if (character === "\\" && /\r?\n/y.test(text.slice(at + 1, at + 3))) reading.at += text[at + 1] === "\r" ? 3 : 2;
  else if (character === "\n") endLine(reading);
  else if (/\s/.test(character)) reading.at++;
  else if (character === "#") reading.at = lineEnd(reading);
  else if (text.startsWith("<<<", at)) reading.at += 3;
  else if (text.startsWith("<<", at)) readHeredocMark(reading);
  else if (/[<>]/.test(character)) reading.at++;
  else if (/[;&|()]/.test(character)) {
    finish(reading);
    reading.at++;
  } else readWord(reading);
}

function lineEnd({ text, at, end }: Reading): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? end : Math.min(newline, end);
}

function endLine(reading: Reading): void {
  reading.at++;
  if (!reading.folded) finish(reading);
  for (const heredoc of reading.heredocs) readHeredoc(reading, heredoc);
  reading.heredocs = [];
}

function readHeredocMark(reading: Reading): void {
  const form = /<<-?\s*(["']?)([\w.-]+)\1/y;
  form.lastIndex = reading.at;
  const [whole, , mark] = form.exec(reading.text) ?? [];
  reading.at += whole?.length ?? 2;
  if (mark) reading.heredocs.push({ mark, words: reading.words });
}

function readHeredoc(reading: Reading, { mark, words }: Heredoc): void {
  const start = reading.at;
  while (reading.at < reading.end) {
    const end = lineEnd(reading);
    const isMark = reading.text.slice(reading.at, end).trim() === mark;
    if (isMark) words.push(heredocWord(reading, start, reading.at));
    reading.at = Math.min(end + 1, reading.end);
    if (isMark) return;
  }
}

function readWord(reading: Reading): void {
  const { text, end } = reading;
  const start = reading.at;
  while (reading.at < end && !/[\s;&|()<>]/.test(text[reading.at] ?? "")) readPart(reading);
  if (reading.at === start) reading.at++;
  else reading.words.push(wordOf(reading, start, reading.at));
}

function readPart(reading: Reading): void {
  const { text, at } = reading;
  const character = text[at];
  if (character === "\\") reading.at += 2;
  else if (character === "'") reading.at = closing(reading, "'", at + 1) + 1;
  else if (character === '"') readQuoted(reading);
  else if (text.startsWith("$(", at)) readSubstitution(reading);
  else if (character === "`") {
    const close = closing(reading, "`", at + 1);
    read(reading, at + 1, close);
    reading.at = close + 1;
  } else if (text.startsWith("${", at)) reading.at = closing(reading, "}", at + 2) + 1;
  else reading.at++;
}

function readQuoted(reading: Reading): void {
  reading.at++;
  while (reading.at < reading.end && reading.text[reading.at] !== '"') {
    if (reading.text[reading.at] === "\\") reading.at += 2;
    else if (reading.text.startsWith("$(", reading.at)) readSubstitution(reading);
    else reading.at++;
  }
  reading.at = Math.min(reading.at + 1, reading.end);
}

function readSubstitution(reading: Reading): void {
  const { text, end } = reading;
  const start = reading.at + 2;
  let depth = 1;
  let at = start;
  for (; at < end && depth > 0; at++) {
    if (text[at] === "'") at = closing({ text, end }, "'", at + 1);
    else if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
  }
  read(reading, start, at - 1);
  reading.at = at;
}

function read({ text, commands, depth }: Reading, start: number, end: number): void {
  for (const command of commandsOf(text, start, end, { depth: depth + 1 })) commands.push(command);
}

function closing({ text, end }: Pick<Reading, "text" | "end">, mark: string, from: number): number {
  const found = text.indexOf(mark, from);
  return found < 0 ? end : Math.min(found, end);
}

const interpolation = /\$\{[^}]*\}|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|`[^`]*`|\$[A-Za-z_]\w*|\$[\d@*#?$!]/g;

function wordOf({ text }: Pick<Reading, "text">, start: number, end: number): Word {
  const raw = text.slice(start, end);
  const isQuoted = /^(["'])[\s\S]*\1$/.test(raw) && !raw.slice(1, -1).includes(raw[0] ?? "", 0);
  const escaped = raw.startsWith('"') && /^"(?:[^"\\]|\\[\s\S])*"$/.test(raw);
  if (isQuoted || escaped) {
    const inner = raw.slice(1, -1);
    const isPlain = raw.startsWith("'");
    return { raw, start: start + 1, end: end - 1, text: isPlain ? inner : masked(inner, interpolation) };
  }
  return { raw, start, end, text: masked(raw, interpolation).replace(/["']/g, hole) };
}

/** The lines of a here-document, in which quotes are no quotes. */
function heredocWord({ text }: Pick<Reading, "text">, start: number, end: number): Word {
  const raw = text.slice(start, end);
  return { raw, start, end, text: masked(raw, interpolation) };
}

/** What an assignment or an option such as `-e NAME=VALUE` gives, without quotes. */
export function assigned(word: Word): Word {
  const { raw, end } = word;
  const start = end - (raw.length - raw.indexOf("=") - 1);
  const quote = /["']/.exec(raw.charAt(raw.indexOf("=") + 1))?.[0] ?? "";
  const value = raw.slice(raw.indexOf("=") + 1 + quote.length, quote ? -1 : undefined);
  const text = quote === "'" ? value : masked(value, interpolation);
  return { raw: value, start: start + quote.length, end: end - quote.length, text };
}

const keywords = new Set(["if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "fi", "done", "esac"]);

function finish(reading: Reading): void {
  const words = reading.words;
  reading.words = [];
  if (words.length > 0) reading.commands.push(commandOf(words));
}

function commandOf(all: Word[]): Command {
  const assignments: Word[] = [];
  let at = 0;
  for (let word = all[at]; word; word = all[at]) {
    if (/^[A-Za-z_]\w*\+?=/.test(word.raw)) assignments.push(word);
    else if (!isWrapping(all, at)) break;
    at++;
  }
  // A here-document is still to come: the list stays the one that it is added to.
  all.splice(0, at);
  const command = { words: all, assignments };
  return { ...command, talks: surroundings.shell.talk.includes(nameOf({ ...command, talks: false })) };
}

/** A keyword, a wrapper, or an option of a wrapper with its value. */
function isWrapping(words: readonly Word[], at: number): boolean {
  const raw = words[at]?.raw.replace(/^@/, "") ?? "";
  const { wrappers } = surroundings.shell;
  if (keywords.has(raw) || wrappers.includes(raw)) return true;
  const before = words[at - 1]?.raw ?? "";
  const behindWrapper = words.slice(0, at).some((word) => wrappers.includes(word.raw));
  return behindWrapper && (raw.startsWith("-") || /^-[ugnk]$/.test(before) || /^\d+[smh]?$/.test(raw));
}
