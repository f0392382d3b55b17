import { grouped } from "../base/grouped.ts";
import {
  addressIn,
  type Evidence,
  type FoundAddress,
  type Mention,
  parametersIn,
  type SentParameter,
} from "./addresses.ts";
import { type Program, parametersAt } from "./program.ts";
import { type Calls, enclosingCalls, isRequest } from "./statements.ts";
import { maskedInterpolations, type TextFragment } from "./text.ts";
import type { Token } from "./tokens.ts";

interface Part {
  readonly at: number;
  readonly calls: Calls;
  readonly found: FoundAddress | undefined;
  readonly sent: readonly SentParameter[];
}

/** Further ones of a statement are dropped. */
const maxParts = 60;

/** Requests of a program with the parameters in the same call. */
export function mentionsInProgram(program: Program, evidence: Evidence): readonly Mention[] {
  const statements = grouped(program.tokens.keys(), (index) => program.head(index));
  const bases = findBases(program);
  return [...statements.values()].flatMap((statement) => readStatement({ program, evidence, bases }, statement));
}

interface Reading {
  readonly program: Program;
  readonly evidence: Evidence;
  /** URLs that variables hold, for paths that begin with one. */
  readonly bases: ReadonlyMap<string, string>;
}

function findBases(program: Program): ReadonlyMap<string, string> {
  const urls = program.tokens.flatMap(({ kind, text }, at) => {
    const isHeld = kind === "text" && /^https?:/.test(text) && program.textAt(at - 1) === "=";
    return isHeld ? [[program.textAt(at - 2), text] as const] : [];
  });
  return new Map(urls);
}

/** The address in a string literal; a word alone is none. */
export function addressInText(
  { text, start }: TextFragment,
  evidence: Evidence,
  baseOf?: (before: string) => string | undefined,
): FoundAddress | undefined {
  if (!/[a-z]/.test(text) || text.length > 5000) return undefined;
  const masked = maskedInterpolations(text);
  const found = addressIn({ text: masked, start }, text, evidence, baseOf);
  const isWord = found?.base === "none" && !found.address.path.includes("/") && !masked.includes("?");
  return isWord ? undefined : found;
}

function readStatement(reading: Reading, statement: readonly number[]): readonly Mention[] {
  const { program } = reading;
  const isSent = isRequest(program, statement);
  const parts = statement.flatMap((at) => readPart(reading, at)).slice(0, maxParts);
  return [...parts.flatMap(({ found }) => (found ? pathMentions(found, isSent) : [])), ...pairParts(parts, isSent)];
}

function readPart({ program, evidence, bases }: Reading, at: number): readonly Part[] {
  const token = program.tokens[at];
  if (!token || token.kind === "sign") return [];
  const baseOf = (before: string) =>
    bases.get(
      /^[+.]$/.test(program.textAt(at - 1)) ? program.textAt(at - 2) : (/[{$]\s*([\w$@.]+)/.exec(before)?.[1] ?? ""),
    );
  const found = token.kind === "text" ? addressInText(token, evidence, baseOf) : undefined;
  const sent = [...parametersAt(program, at), ...(token.kind === "text" && !found ? parametersInText(token) : [])];
  const calls = found || sent.length > 0 ? enclosingCalls(program, at) : undefined;
  return calls ? [{ at, calls, found, sent }] : [];
}

/** The address of a literal and the parameters in it; the path alone counts if it is whole or sent. */
function pathMentions({ address, base, mentions }: FoundAddress, isSent: boolean): readonly Mention[] {
  const isUsed = base === "api" || isSent;
  const own = mentions.filter(({ about }) => isUsed || about !== "path");
  return own.map((each) => ({ ...each, address: { ...address, sure: address.sure && isUsed } }));
}

function pairParts(parts: readonly Part[], isSent: boolean): readonly Mention[] {
  return parts.flatMap(({ at, calls, found }) => {
    if (!found) return [];
    const address = { ...found.address, sure: found.address.sure && isSent };
    const sending = parts.filter((each) => each.at === at || calls.some((start) => each.calls.includes(start)));
    return sending.flatMap(({ sent }) => sent.map((each): Mention => ({ about: "sent", address, ...each })));
  });
}

/** Parameters in a string literal that is a query, a form or JSON. */
function parametersInText({ text, start }: Token): readonly SentParameter[] {
  if (text.length > 20_000 || (/\s/.test(text.trim()) && !/^\s*[[{]/.test(text))) return [];
  return parametersIn({ text: maskedInterpolations(text), start });
}
