import { type Command, commandOf } from "./command.ts";
import { heredocWord, plainWord, type Word, wordOf } from "./shell-words.ts";
import { braceEnd } from "./text.ts";

interface Heredoc {
  readonly mark: string;
  readonly words: Word[];
}

interface ShellReader {
  readonly text: string;
  readonly end: number;
  at: number;
  words: Word[];
  outputs: Word[];
  inputs: Word[];
  /** The list that the next word belongs to. */
  next: "words" | "outputs" | "inputs";
  heredocs: Heredoc[];
  readonly commands: Command[];
  /** Whether line breaks do not end commands. */
  readonly folded: boolean;
  /** The number of enclosing substitutions. */
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
  const lists = { words: [], outputs: [], inputs: [], heredocs: [], commands: [] };
  const reader: ShellReader = { text, end, at: start, ...lists, next: "words", folded, depth };
  while (reader.at < end) readNext(reader);
  finish(reader);
  return reader.commands;
}

function readNext(reader: ShellReader): void {
  const { text, at } = reader;
  const character = text[at] ?? "";
  if (character === "\\" && /\r?\n/y.test(text.slice(at + 1, at + 3))) reader.at += text[at + 1] === "\r" ? 3 : 2;
  else if (character === "\n") endLine(reader);
  else if (/\s/.test(character)) reader.at++;
  else if (character === "#") reader.at = lineEnd(reader);
  else if (text.startsWith("<<<", at)) reader.at += 3;
  else if (text.startsWith("<<", at)) readHeredocMark(reader);
  else if (/[<>]/.test(character) || text.startsWith("&>", at)) redirect(reader);
  else if (character === "(" && readList(reader)) return;
  else if (/[;&|()]/.test(character)) {
    finish(reader, character === "|" && text[at + 1] !== "|");
    reader.at += text[at + 1] === character || text.startsWith("|&", at) ? 2 : 1;
  } else readWord(reader);
}

/** `name=(word word)` is one word; its words may also be a command. */
function readList(reader: ShellReader): boolean {
  const { text, at, end, words } = reader;
  const name = words.at(-1);
  if (name?.end !== at || !/^[A-Za-z_]\w*\+?=$/.test(name.raw)) return false;
  const close = listEnd({ text, end }, at + 1);
  if (close >= end) return false;
  read(reader, at + 1, close);
  words.splice(-1, 1, { ...heredocWord(text, name.start, close + 1), end: close + 1 });
  reader.at = close + 1;
  return true;
}

function listEnd({ text, end }: Pick<ShellReader, "text" | "end">, from: number): number {
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
function redirect(reader: ShellReader): void {
  const { text, at } = reader;
  const form = /&?>>?\|?(&[\d-]*)?|<(&[\d-]*)?/y;
  form.lastIndex = at;
  const [whole = ">", ...copies] = form.exec(text) ?? [];
  reader.at += whole.length;
  if (copies.every((copy) => copy === undefined) && text[reader.at] !== "(") {
    reader.next = whole.includes("<") ? "inputs" : "outputs";
  }
}

function lineEnd({ text, at, end }: ShellReader): number {
  const newline = text.indexOf("\n", at);
  return newline < 0 ? end : Math.min(newline, end);
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
  const start = reader.at;
  while (reader.at < reader.end) {
    const end = lineEnd(reader);
    const isMark = reader.text.slice(reader.at, end).trim() === mark;
    if (isMark) words.push(heredocWord(reader.text, start, reader.at));
    reader.at = Math.min(end + 1, reader.end);
    if (isMark) return;
  }
}

function readWord(reader: ShellReader): void {
  const { text, end } = reader;
  const start = reader.at;
  while (reader.at < end && !/[\s;&|()<>]/.test(text[reader.at] ?? "")) readPart(reader);
  reader.at = Math.min(reader.at, end);
  if (reader.at === start) reader.at++;
  else if (!isDescriptor(reader, start)) reader[reader.next].push(wordOf(reader.text, start, reader.at));
  reader.next = "words";
}

/** The 2 of `2>`. */
function isDescriptor({ text, at }: ShellReader, start: number): boolean {
  return /[<>]/.test(text[at] ?? "") && /^\d$/.test(text.slice(start, at));
}

function readPart(reader: ShellReader): void {
  const { text, at } = reader;
  const character = text[at];
  if (character === "\\") reader.at += 2;
  else if (character === "'") reader.at = closing(reader, "'", at + 1) + 1;
  else if (character === '"') readQuoted(reader);
  else if (text.startsWith("$(", at)) readSubstitution(reader);
  else if (character === "`") {
    const close = closing(reader, "`", at + 1);
    read(reader, at + 1, close);
    reader.at = close + 1;
  } else if (text.startsWith("${", at)) reader.at = braceEnd(text, at + 2, reader.end);
  else reader.at++;
}

function readQuoted(reader: ShellReader): void {
  reader.at++;
  while (reader.at < reader.end && reader.text[reader.at] !== '"') {
    if (reader.text[reader.at] === "\\") reader.at += 2;
    else if (reader.text.startsWith("$(", reader.at)) readSubstitution(reader);
    else reader.at++;
  }
  reader.at = Math.min(reader.at + 1, reader.end);
}

function readSubstitution(reader: ShellReader): void {
  const { text, end } = reader;
  const start = reader.at + 2;
  let depth = 1;
  let at = start;
  for (; at < end && depth > 0; at++) {
    if (text[at] === "'") at = closing({ text, end }, "'", at + 1);
    else if (text[at] === "(") depth++;
    else if (text[at] === ")") depth--;
  }
  read(reader, start, at - 1);
  reader.at = at;
}

function read({ text, commands, depth }: ShellReader, start: number, end: number): void {
  for (const command of commandsOf(text, start, end, { depth: depth + 1 })) commands.push(command);
}

function closing({ text, end }: Pick<ShellReader, "text" | "end">, mark: string, from: number): number {
  let at = from;
  while (at < end && text[at] !== mark) at++;
  return at;
}

function finish(reader: ShellReader, feeds = false): void {
  const { words, outputs, inputs } = reader;
  reader.words = [];
  reader.outputs = [];
  reader.inputs = [];
  if (words.length === 0) return;
  const command = commandOf(words);
  const [first] = command.words;
  const isListed =
    first?.raw.startsWith("[") && words.at(-1)?.raw.endsWith("]") && words.some(({ raw }) => raw.endsWith('",'));
  const listed = isListed ? listedIn(reader, command) : command;
  reader.commands.push({ ...listed, feeds, outputs, inputs });
}

/** `["name", "argument"]`, as container files write commands. */
function listedIn({ text }: ShellReader, command: Command): Command {
  const start = command.words[0]?.start ?? 0;
  const list = text.slice(start, command.words.at(-1)?.end);
  const words = [...list.matchAll(/"((?:\\.|[^"\\])*)"/g)];
  return commandOf(words.map(({ index, 1: word = "" }) => plainWord(word, start + index + 1)));
}
