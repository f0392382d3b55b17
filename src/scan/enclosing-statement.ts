import { vocabulary } from "../model/deprecations.ts";
import { isOpening, requestAround } from "./chains.ts";
import type { Program } from "./program.ts";
import { receiverOf } from "./token-names.ts";

/** Where the value of an expression goes. */
type Destination =
  /** To a call; `sure` where it is known to send requests. */
  | { readonly to: "call"; readonly open: number; readonly sure: boolean }
  /** To a method that collects parameters. */
  | { readonly to: "setter"; readonly open: number }
  /** To no call. `depth` is the bracket that contains the statement. */
  | { readonly to: "statement"; readonly depth: number }
  /** To a message, a log, or something else that is not sent. */
  | { readonly to: "nothing" };

const { code } = vocabulary;
const talk = code.talk;
const loggers = code.loggers;
const passing = code.passing;
const setters = code.setters;
const http = code.http;
const asides = code.asides;
const mocks = code.mocks;

const nothing: Destination = { to: "nothing" };
const maxDepth = 40;

/** Follows a value out of literals and calls that return their argument. */
export function destinationOf(program: Program, index: number): Destination {
  let at = program.enclosing(index);
  if (isAside(program, index)) return nothing;
  for (let depth = 0; depth < maxDepth; depth++) {
    if (program.isBlock(at)) return ofStatement(program, index, at);
    const found = program.textAt(at) === "(" ? throughCall(program, at) : throughLiteral(program, at);
    if (found) return found;
    at = program.enclosing(at);
  }
  return nothing;
}

function isAside(program: Program, at: number): boolean {
  const before = program.textAt(at - 1);
  const key = before === ">" ? program.tokens[at - 3] : program.tokens[at - 2];
  return /^[:=>]$/.test(before) && asides.has(key?.text.toLowerCase() ?? "");
}

function throughCall(program: Program, at: number): Destination | undefined {
  const name = program.callee(at);
  const before = program.textAt(at - 1);
  if (name === "") return code.control.has(before) && before !== "return" && before !== "await" ? nothing : undefined;
  const isMethod = program.isMember(at - 1);
  if (talk.has(name) || /(?:Error|Exception|Warning)$/.test(name))
    return isReporting(program, at, name) ? nothing : undefined;
  if (isMethod && isMock(program, at)) return nothing;
  if (isMethod && (setters.has(name) || isOpening(program, at))) return { to: "setter", open: at };
  if (setters.has(name) && !http.has(name)) {
    const request = requestAround(program, at);
    return request === undefined ? undefined : { to: "call", open: request, sure: true };
  }
  if (passing.has(name)) return undefined;
  return { to: "call", open: at, sure: http.has(name) };
}

/** `nock("…").get("/path")`, `router.get("/path", …)`. */
function isMock(program: Program, at: number): boolean {
  const { name, open } = receiverOf(program, at);
  return mocks.has(name ?? (open === undefined ? "" : program.callee(open)));
}

/** Whether a call only reports something: `log.error(…)`, `Error(…)`. */
function isReporting(program: Program, at: number, name: string): boolean {
  const receiver = program.isMember(at - 1) || program.textAt(at - 2) === ":" ? program.textAt(at - 3) : undefined;
  return receiver === undefined || talk.has(name) || loggers.has(receiver);
}

function throughLiteral(program: Program, at: number): Destination | undefined {
  const before = program.tokens[at - 1];
  const isSubscript =
    program.textAt(at) === "[" &&
    program.areAdjacent(at - 1, at) &&
    (before?.kind === "word" || before?.text === "]" || before?.text === ")");
  if (isSubscript && before?.kind === "word" && code.control.has(before.text)) return undefined;
  if (isSubscript) return nothing;
  return isAside(program, at) ? nothing : undefined;
}

/** A string literal by itself is documentation; after `print` or `throw` it is a message. */
function ofStatement(program: Program, index: number, depth: number): Destination {
  const head = headOf(program, index);
  const word = program.textAt(head);
  const behind = program.tokens[head + 1];
  if (head === index && (!behind || program.startsLine(head + 1)) && program.isText(index)) return nothing;
  const isCalledPlainly =
    behind?.kind === "text" || (behind?.text !== "(" && behind?.text !== "=" && behind?.text !== ".");
  if ((talk.has(word) || word === "throw") && isCalledPlainly) return nothing;
  if (loggers.has(word) && behind?.text === ".") return nothing;
  return (
    commandlet(program, head, index) ??
    step(program, index) ??
    plainCall(program, head, index) ?? { to: "statement", depth }
  );
}

/** `Invoke-RestMethod -Uri url`, as PowerShell writes calls. */
function commandlet(program: Program, head: number, index: number): Destination | undefined {
  for (let at = Math.max(head + 2, index - 60); at < index; at++) {
    const isNoun = code.commandlets.has(program.textAt(at)) && program.textAt(at - 1) === "-";
    if (isNoun && program.textAt(at - 2) === "Invoke") return { to: "call", open: at, sure: true };
  }
  return undefined;
}

/** `httpRequest url: url, requestBody: body`, as pipelines of Jenkins write it. */
function step(program: Program, index: number): Destination | undefined {
  for (let at = index; at > Math.max(-1, index - 60); at--) {
    const { kind, text = "" } = program.tokens[at] ?? {};
    if (kind === "word" && code.steps.has(text) && program.isWord(at + 1)) return { to: "call", open: at, sure: true };
    if (program.startsLine(at) && !continues(program.textAt(at - 1), text)) return undefined;
  }
  return undefined;
}

/** `client.get url, params: { … }`, as Ruby writes calls. */
function plainCall(program: Program, head: number, index: number): Destination | undefined {
  for (let at = head + 1; at < Math.min(index, head + 12); at++) {
    const isMethod = program.isWord(at) && program.textAt(at - 1) === "." && http.has(program.textAt(at));
    const next = program.tokens[at + 1];
    if (isMethod && (next?.kind === "text" || next?.kind === "word")) return { to: "call", open: at, sure: true };
  }
  return undefined;
}

/** The first token of the enclosing statement, within 40 tokens. */
function headOf(program: Program, index: number): number {
  let at = index;
  while (!program.isBlock(program.enclosing(at))) at = program.enclosing(at);
  for (let steps = 0; steps < 40; steps++) {
    const before = program.tokens[at - 1];
    if (!before || before.text === ";" || before.text === "{" || isBlockEnd(program, at - 1)) return at;
    if (program.startsLine(at) && !continues(before.text, program.textAt(at))) return at;
    const opened = program.matching(at - 1);
    at = opened >= 0 && opened < at - 1 ? opened : at - 1;
  }
  return at;
}

function isBlockEnd(program: Program, at: number): boolean {
  return program.textAt(at) === "}" && program.isBlock(program.matching(at));
}

/** Whether a statement continues on the next line. */
export function continues(before: string, next: string): boolean {
  return (
    /^[=,+.&|?\\([{-]$/.test(before) || /^[.&|?+]$/.test(next) || /^(?:await|return|new|in|of|and|or|not)$/.test(before)
  );
}

/** Whether a token is inside a list or mapping below a bracket. */
export function isListed(program: Program, index: number, depth: number): boolean {
  for (let at = program.enclosing(index); at > depth; at = program.enclosing(at))
    if (program.textAt(at) !== "(") return true;
  return false;
}
