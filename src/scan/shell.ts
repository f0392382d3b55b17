import { type Command, commandOf } from "./command.ts";
import { heredocWord, type Word, wordOf } from "./shell-words.ts";
import { braceEnd } from "./text.ts";

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
  outputs: Word[];
  inputs: Word[];
  /** Where the next word goes. */
  next: "words" | "outputs" | "inputs";
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
  const lists = { words: [], outputs: [], inputs: [], heredocs: [], commands: [] };
  const reading: Reading = { text, end, at: start, ...lists, next: "words", folded, depth };
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
  else if (/[<>]/.test(character) || text.startsWith("&>", at)) redirect(reading);
  else if (character === "(" && readList(reading)) return;
  else if (/[;&|()]/.test(character)) {
    finish(reading, character === "|" && text[at + 1] !== "|");
    reading.at += text[at + 1] === character || text.startsWith("|&", at) ? 2 : 1;
  } else readWord(reading);
}

/** `name=(word word)`: one word of the whole, and the command that its words may be. */
function readList(reading: Reading): boolean {
  const { text, at, end, words } = reading;
  const name = words.at(-1);
  if (name?.end !== at || !/^[A-Za-z_]\w*\+?=$/.test(name.raw)) return false;
  const close = listEnd({ text, end }, at + 1);
  if (close >= end) return false;
  read(reading, at + 1, close);
  words.splice(-1, 1, { ...heredocWord(text, name.start, close + 1), end: close + 1 });
  reading.at = close + 1;
  return true;
}

function listEnd({ text, end }: Pick<Reading, "text" | "end">, from: number): number {
  const mark = /["']/;
  let at = from;
  for (let depth = 1; at < end; at++) {
    const character = text[at] ?? "";
    if (character === "\\") at++;
    else if (mark.test(character)) at = closing({ text, end }, character, at + 1);
    else if (character === "(") depth++;
    else if (character === ")" && --depth === 0) return at;
  }
  return end;
}

/** `> file`, `2>&1`, `< file`; `<(` and `>(` begin a command. */
function redirect(reading: Reading): void {
  const { text, at } = reading;
  const form = /&?>>?\|?(&[\d-]*)?|<(&[\d-]*)?/y;
  form.lastIndex = at;
  const [whole = ">", ...copies] = form.exec(text) ?? [];
  reading.at += whole.length;
  if (copies.every((copy) => copy === undefined) && text[reading.at] !== "(") {
    reading.next = whole.includes("<") ? "inputs" : "outputs";
  }
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
    if (isMark) words.push(heredocWord(reading.text, start, reading.at));
    reading.at = Math.min(end + 1, reading.end);
    if (isMark) return;
  }
}

function readWord(reading: Reading): void {
  const { text, end } = reading;
  const start = reading.at;
  while (reading.at < end && !/[\s;&|()<>]/.test(text[reading.at] ?? "")) readPart(reading);
  reading.at = Math.min(reading.at, end);
  if (reading.at === start) reading.at++;
  else if (!isDescriptor(reading, start)) reading[reading.next].push(wordOf(reading.text, start, reading.at));
  reading.next = "words";
}

/** The 2 of `2>`. */
function isDescriptor({ text, at }: Reading, start: number): boolean {
  return /[<>]/.test(text[at] ?? "") && /^\d$/.test(text.slice(start, at));
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
  } else if (text.startsWith("${", at)) reading.at = braceEnd(text, at + 2, reading.end);
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
  let at = from;
  while (at < end && text[at] !== mark) at++;
  return at;
}

function finish(reading: Reading, feeds = false): void {
  const { words, outputs, inputs } = reading;
  reading.words = [];
  reading.outputs = [];
  reading.inputs = [];
  if (words.length === 0) return;
  const command = commandOf(words);
  const [first] = command.words;
  const isListed =
    first?.raw.startsWith("[") && words.at(-1)?.raw.endsWith("]") && words.some(({ raw }) => raw.endsWith('",'));
  const listed = isListed ? listedIn(reading, command) : command;
  reading.commands.push({ ...listed, feeds, outputs, inputs });
}

/** `["name", "argument"]`, as container files write commands. */
function listedIn({ text }: Reading, { words }: Command): Command {
  const start = words[0]?.start ?? 0;
  const list = text.slice(start, words.at(-1)?.end);
  const texts = [...list.matchAll(/"((?:\\.|[^"\\])*)"/g)].map(({ index, 1: word = "" }): Word => {
    const from = start + index + 1;
    return { text: word, raw: word, start: from, end: from + word.length };
  });
  return commandOf(texts);
}
