import { vocabulary } from "../model/deprecations.ts";
import { type SentParameter, wantedNames } from "./addresses.ts";
import type { Token } from "./tokens.ts";

/**
 * The tokens of a program with their brackets and lines. Never throws: an unmatched bracket has no partner. Each method
 * takes the index of a token, which may be out of range.
 */
export class Program {
  readonly tokens: readonly Token[];
  readonly #matching: Int32Array;
  readonly #enclosing: Int32Array;
  readonly #startsLine: Uint8Array;
  readonly #heads: Int32Array;

  constructor(tokens: readonly Token[], text: string) {
    this.tokens = tokens;
    this.#matching = new Int32Array(tokens.length).fill(-1);
    this.#enclosing = new Int32Array(tokens.length).fill(-1);
    this.#startsLine = new Uint8Array(tokens.length);
    this.#heads = new Int32Array(tokens.length);
    this.#readBrackets();
    this.#readLines(text);
    for (const index of tokens.keys()) this.#heads[index] = this.#headOf(index);
  }

  #readBrackets(): void {
    const open: number[] = [];
    for (const [index, { kind, text }] of this.tokens.entries()) {
      const last = open.at(-1);
      if (kind === "sign" && last !== undefined && pairs[this.textAt(last)] === text) {
        open.pop();
        this.#matching[last] = index;
        this.#matching[index] = last;
      }
      this.#enclosing[index] = open.at(-1) ?? -1;
      if (kind === "sign" && text in pairs) open.push(index);
    }
  }

  #readLines(text: string): void {
    let ended = 0;
    for (const [index, { start, text: own }] of this.tokens.entries()) {
      const gap = text.slice(ended, start);
      this.#startsLine[index] = index === 0 || gap.includes("\n") ? 1 : 0;
      ended = Math.max(ended, start + own.length);
    }
  }

  /** A statement ends at a semicolon, a block, or a line that does not continue. */
  #headOf(index: number): number {
    const around = this.enclosing(index);
    if (!this.isBlock(around)) return this.head(around);
    const last = index - 1;
    const opened = this.matching(last);
    const isBehindBlock = opened >= 0 && this.textAt(last) === "}" && this.isBlock(opened);
    if (last <= around || this.textAt(last) === ";" || isBehindBlock) return index;
    const isParameter = this.textAt(last) === "|" && this.textAt(last - 2) === "|";
    if (this.startsLine(index) && (isParameter || !continues(this.textAt(last), this.textAt(index)))) return index;
    return this.head(opened >= 0 ? opened : last);
  }

  head(index: number): number {
    return this.#heads[index] ?? -1;
  }

  /** The token's text; empty out of range. */
  textAt(index: number): string {
    return this.tokens[index]?.text ?? "";
  }

  isWord(index: number): boolean {
    return this.tokens[index]?.kind === "word";
  }

  isText(index: number): boolean {
    return this.tokens[index]?.kind === "text";
  }

  /** The matching bracket; -1 without one. */
  matching(index: number): number {
    return this.#matching[index] ?? -1;
  }

  /** The innermost open bracket; -1 outside of any. */
  enclosing(index: number): number {
    return this.#enclosing[index] ?? -1;
  }

  startsLine(index: number): boolean {
    return this.#startsLine[index] === 1;
  }

  areAdjacent(index: number, next: number): boolean {
    const [a, b] = [this.tokens[index], this.tokens[next]];
    return a !== undefined && b !== undefined && a.start + a.text.length === b.start;
  }

  /** True if a dot or an arrow before a token makes it a member. */
  isMember(index: number): boolean {
    const sign = this.textAt(index - 1);
    return sign === "." || (sign === ">" && this.textAt(index - 2) === "-");
  }

  /** The name of the function that a parenthesis calls; empty if it only groups. */
  callee(open: number): string {
    const before = this.#called(open);
    if (this.textAt(open) !== "(" || !this.isWord(before)) return "";
    return this.#isControl(before) ? "" : this.textAt(before);
  }

  /** Index of the token before an opening bracket; skips `!`, `?` and the types of a generic call. */
  #called(open: number): number {
    const last = /^[!?]$/.test(this.textAt(open - 1)) ? open - 2 : open - 1;
    if (this.textAt(last) !== ">") return last;
    for (let at = last; at > last - 12 && at > 0; at--) if (this.textAt(at) === "<") return at - 1;
    return last;
  }

  /** The first token of a chain of members and calls, given a word or an opening bracket of it. */
  chainStart(index: number): number {
    let at = index;
    for (let steps = 0; steps < 60; steps++) {
      const isBracket = /^[([]$/.test(this.textAt(at));
      if (!isBracket && !this.isMember(at)) return at;
      const before = isBracket ? this.#called(at) : this.#receiver(at);
      const opened = this.matching(before);
      const isWord = this.isWord(before) && !(isBracket && this.#isControl(before));
      if ((opened < 0 && !isWord) || (isBracket && this.startsLine(at))) return at;
      at = opened >= 0 ? opened : before;
    }
    return at;
  }

  /** Index of the last token of a member's receiver, which ends before `.`, `->`, `?.`, `!.` or `&.`. */
  #receiver(member: number): number {
    const dot = this.textAt(member - 1) === ">" ? member - 2 : member - 1;
    return /^[?!&]$/.test(this.textAt(dot - 1)) ? dot - 2 : dot - 1;
  }

  #isControl(index: number): boolean {
    return vocabulary.code.control.has(this.textAt(index)) && !this.isMember(index);
  }

  /** The number of commas directly inside a bracket before a token. */
  commasBetween(open: number, index: number): number {
    const inside = this.tokens.slice(open, index);
    return inside.filter(({ text }, at) => text === "," && this.enclosing(open + at) === open).length;
  }

  /** True if a brace holds statements; so does the program itself (-1). */
  isBlock(open: number): boolean {
    if (open < 0) return true;
    if (this.textAt(open) !== "{" || this.textAt(open + 1) === "|") return false;
    const before = this.tokens[open - 1];
    if (!before || (before.kind === "sign" && /[);{}]/.test(before.text))) return true;
    const isArrow = before.text === ">" && /^[=-]$/.test(this.textAt(open - 2));
    return isArrow || ((before.kind === "word" || /^[>\]]$/.test(before.text)) && this.#followsHead(open));
  }

  /** `else {`, `class Name {`, `name(): Type {`, `name() throws Fault {`, on the same line. */
  #followsHead(open: number): boolean {
    for (let index = open - 1; index >= Math.max(0, open - 14); index--) {
      const { kind, text = "" } = this.tokens[index] ?? {};
      if ((kind === "word" && vocabulary.code.blocks.has(text)) || text === ")") return true;
      if (this.startsLine(index) || (kind === "sign" && !/^[:<>[\].|*&?]$/.test(text))) return false;
    }
    return false;
  }
}

function continues(before: string, next: string): boolean {
  return (
    /^[=,+.&|?\\([{-]$/.test(before) || /^[.&|?+]$/.test(next) || /^(?:await|return|new|in|of|and|or|not)$/.test(before)
  );
}

const pairs: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

const { mapOf, pairs: pairCalls, setters } = vocabulary.code;

/**
 * The parameters at a token: `"name": value`, `name: value`, `name=value` in a call, `("name", value)`,
 * `{ name }`.
 */
export function parametersAt(program: Program, index: number): readonly SentParameter[] {
  const token = program.tokens[index];
  const name = token ? apiName(token) : "";
  if (!token || token.kind === "sign" || !wantedNames.has(name)) return [];
  const start = valueStart(program, index, token);
  if (start === undefined) return [];
  const nameOffset = token.start;
  const values = start === index ? [] : readLiterals(program, start);
  if (values.length === 0) return [{ name, value: undefined, nameOffset, offset: nameOffset }];
  return values.map(({ text, start: offset }) => ({ name, value: text, nameOffset, offset }));
}

/** The API's name of a field: tags_count for `TagsCount` and `tagsCount`. */
function apiName({ kind, text }: Token): string {
  if (kind === "text" || !/[A-Z]/.test(text)) return text;
  return text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();
}

/** The index of the value, which is the name itself in `{ name }`; undefined if the token is not a parameter. */
function valueStart(program: Program, index: number, token: Token): number | undefined {
  const [next, after] = [program.textAt(index + 1), program.textAt(index + 2)];
  const open = program.textAt(program.enclosing(index));
  const previous = program.textAt(index - 1);
  if (next === "]") return undefined;
  if (token.kind === "text" && next === "to" && program.isWord(index + 1)) return index + 2;
  if (token.kind === "text" && next === "-" && after === ">") return index + 3;
  if (isAssigned(program, index)) return index + 2;
  const isScope = after === ":" && program.areAdjacent(index + 1, index + 2);
  if (next === ":" && !isScope && /^[[({]$/.test(open)) return previous === "?" ? undefined : index + 2;
  if (next === "=" && after === ">") return index + 3;
  if (next === "=" && !isComparison(program, index + 1) && token.kind === "word" && open === "(") return index + 2;
  if (next === "," && token.kind === "text" && isPair(program, index)) return index + 2;
  const isShort = token.kind === "word" && open === "{" && /^[{,]$/.test(previous) && /^[},]$/.test(next);
  return isShort ? index : undefined;
}

/** `@{ name = value }` and `new { name = value }`. */
function isAssigned(program: Program, index: number): boolean {
  if (!program.isWord(index) || program.textAt(index + 1) !== "=" || isComparison(program, index + 1)) return false;
  const open = program.enclosing(index);
  return program.textAt(open) === "{" && /^(?:@|new)$/.test(program.textAt(open - 1));
}

function isComparison(program: Program, index: number): boolean {
  return program.areAdjacent(index, index + 1) && /^[=~]$/.test(program.textAt(index + 1));
}

/** `("name", value)` with exactly two elements, or in a setter. */
function isPair(program: Program, index: number): boolean {
  const open = program.enclosing(index);
  const close = program.matching(open);
  if (close < 0) return false;
  const callee = program.callee(open);
  if (mapOf.has(callee)) return program.commasBetween(open, index) % 2 === 0;
  if (open !== index - 1) return false;
  if (callee !== "") return setters.has(callee) || pairCalls.has(callee);
  const next = program.textAt(index + 2);
  const end = /^[([{]$/.test(next) ? program.matching(index + 2) + 1 : index + 3;
  return close <= end + 1;
}

/** The string literals of a value: one, a symbol, a list, or the arguments of a call. */
function readLiterals(program: Program, start: number): readonly Token[] {
  const token = program.tokens[start];
  if (token?.kind === "text") return [token];
  const symbol = program.tokens[start + 1];
  if (token?.text === ":" && symbol?.kind === "word") return [symbol];
  const open = [start, start + 1, start + 2, start + 3].find(
    (at) => /^[([{]$/.test(program.textAt(at)) && program.matching(at) > at + 1,
  );
  if (open === undefined || (token?.kind === "word" && !/^[.([{]$/.test(program.textAt(start + 1)))) return [];
  const inside = program.tokens.slice(open + 1, Math.min(program.matching(open), open + 20));
  return inside.filter(({ kind }) => kind === "text");
}
