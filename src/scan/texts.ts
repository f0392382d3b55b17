import { vocabulary } from "../model/deprecations.ts";
import { type Evidence, matchAddress, requestAddressOf } from "./address.ts";
import { addressMentions, parametersIn } from "./mentions.ts";
import { Program } from "./program.ts";
import type { Known } from "./request-parameters.ts";
import { hole, maskedInterpolations } from "./text.ts";
import { slice, spliced } from "./text-pieces.ts";
import type { Token } from "./tokens.ts";
import { type Address, type Mention, type Piece, pieceAt, type SentParameter } from "./traffic.ts";

/** An address in a string literal, with the mentions in the literal itself. */
export interface TextAddress {
  readonly address: Address;
  readonly mentions: readonly Mention[];
  /** Whether the literal contains `/api/v4`. */
  readonly isWhole: boolean;
}

/** The address in a string literal. */
export function addressInText(
  program: Program,
  index: number,
  known: Known,
  evidence: Evidence,
): TextAddress | undefined {
  const token = program.tokens[index];
  if (!token || !/[a-z]/.test(token.text) || token.text.length > 5000) return undefined;
  const piece = pieceOf(token, known);
  const masked = maskedInterpolations(piece.text);
  const written = matchAddress(masked, piece.text);
  if (!written || (written.base === "none" && !written.path.includes("/") && !masked.includes("?"))) return undefined;
  const address = requestAddressOf(
    written,
    evidence,
    baseBefore(program, index, known) ?? literalOf(written.before, known),
  );
  if (!address) return undefined;
  const mentions = addressMentions({ ...piece, text: masked }, written, address, token.start);
  const filled = mentions.map((each) => filledIn(program, index, known, each));
  return { address, mentions: filled, isWhole: written.base === "api" };
}

const placeholder = /%[sdvq]|\{\d*\}/g;

/** `format("…?name=%s", value)`, `"…?name={}".format(value)` and `"…?name=%s" % value`. */
function filledIn(program: Program, index: number, known: Known, sent: Mention): Mention {
  const token = program.tokens[index];
  if (!token || !sent.value?.startsWith(hole)) return sent;
  const before = token.text.slice(0, sent.offset - token.start).match(placeholder)?.length ?? 0;
  const value = program.tokens[argumentsOf(program, index)[before] ?? -1];
  const literal = value?.kind === "text" ? value : value && known.get(value.text)?.literal;
  return { ...sent, value: literal?.text, offset: literal?.start ?? sent.nameOffset, own: value?.kind === "text" };
}

/** Where the arguments of a format string begin. */
function argumentsOf(program: Program, index: number): readonly number[] {
  const [next, name] = [program.textAt(index + 1), program.textAt(index + 2)];
  const { formatting } = vocabulary.code;
  if (next === "%") return name === "(" ? startsIn(program, index + 2) : [index + 2];
  if (next === "." && formatting.has(name)) return startsIn(program, index + 3);
  const open = program.enclosing(index);
  return open >= 0 && formatting.has(program.callee(open)) ? startsIn(program, open).slice(1) : [];
}

function startsIn(program: Program, open: number): readonly number[] {
  const starts = [open + 1];
  const end = Math.min(program.matching(open), open + 60);
  for (let at = open + 1; at < end; at++) {
    if (/^[([{]$/.test(program.textAt(at))) at = Math.max(at, program.matching(at));
    else if (program.textAt(at) === ",") starts.push(at + 1);
  }
  return starts;
}

/** Mentions in string literals without their program. */
export function mentionsInTexts(tokens: readonly Token[], evidence: Evidence): readonly Mention[] {
  const program = new Program(tokens, "");
  const known: Known = { get: () => undefined, uses: () => 0 };
  return tokens.flatMap((_, index) => addressInText(program, index, known, evidence)?.mentions ?? []);
}

/** Parameters in a string literal that is a query, a form or JSON. */
export function sentInText(token: Token, known: Known): readonly SentParameter[] {
  const { text } = token;
  if (text.length > 20_000 || (/\s/.test(text.trim()) && !/^\s*[[{]/.test(text))) return [];
  const piece = pieceOf(token, known);
  return parametersIn({ ...piece, text: maskedInterpolations(piece.text) }, token.start);
}

const interpolated = /(?:[$#])?\{\s*([A-Za-z_$@][\w.]*)(?:\.to_?[sS]\w*\(\))?\s*\}|(\$[A-Za-z_]\w*)/g;

/** A string literal with known names expanded. */
function pieceOf({ text, start }: Token, known: Known): Piece {
  if (!/[{$]/.test(text)) return pieceAt(text, start);
  const whole = pieceAt(text, start);
  const pieces: Piece[] = [];
  let from = 0;
  for (const {
    0: { length },
    1: braced,
    2: bare,
    index,
  } of text.matchAll(interpolated)) {
    const value = known.get(ownName(braced ?? bare ?? ""))?.literal;
    if (!value || value.text.length > 500) continue;
    pieces.push(slice(whole, from, index), { ...pieceAt(value.text, value.start), isShared: () => true });
    from = index + length;
    if (pieces.length > 40) break;
  }
  return spliced([...pieces, slice(whole, from)]);
}

/** The names that a string literal interpolates. */
export function namesIn({ text }: Token): readonly string[] {
  if (!/[{$]/.test(text)) return [];
  return [...text.slice(0, 2000).matchAll(interpolated)].map(({ 1: braced, 2: bare }) => ownName(braced ?? bare ?? ""));
}

function ownName(name: string): string {
  return name.replace(/^(?:self|this)\./, "this.").replace(/\.$/, "");
}

function literalOf(before: string, known: Known): string | undefined {
  const name = /[{$]\s*([A-Za-z_$@][\w.]*)/.exec(before)?.[1];
  return name === undefined ? undefined : known.get(ownName(name))?.literal?.text;
}

/** `base + "/path"`. */
function baseBefore(program: Program, index: number, known: Known): string | undefined {
  const isSum = program.textAt(index - 1) === "+" || program.textAt(index - 1) === ".";
  const name = program.tokens[index - 2];
  return isSum && name?.kind === "word" ? known.get(name.text)?.literal?.text : undefined;
}
