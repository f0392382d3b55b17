import { surroundings } from "../model/deprecations.ts";
import { isOpening, requestAround } from "./chains.ts";
import { isMember, type Structure } from "./structure.ts";
import { receiverOf } from "./token-names.ts";

/** Where a part of an expression goes. */
type Climbed =
  /** Into a call: one that is known to send requests, or any other. */
  | { readonly to: "call"; readonly open: number; readonly sure: boolean }
  /** Into a call on something that collects parameters. */
  | { readonly to: "setter"; readonly open: number }
  /** Into nothing but the statement. `depth` is the bracket that the statement stands in. */
  | { readonly to: "statement"; readonly depth: number }
  /** Into a message, a log, or something else that is not sent. */
  | { readonly to: "nothing" };

const { code } = surroundings;
const talk = new Set(code.talk);
const loggers = new Set(code.loggers);
const passing = new Set(code.passing);
const setters = new Set(code.setters);
const http = new Set(code.http);
const asides = new Set(code.asides);
const mocks = new Set(code.mocks);

const nothing: Climbed = { to: "nothing" };
/** Deeper expressions are not looked at. */
const deepest = 40;

/** Climbs out of literals and calls that only pass on what they are given. */
export function climb(structure: Structure, index: number): Climbed {
  const { tokens, parent } = structure;
  let at = parent[index] ?? -1;
  if (isAside(structure, index)) return nothing;
  for (let depth = 0; depth < deepest; depth++) {
    if (structure.isBlock(at)) return ofStatement(structure, index, at);
    const found = tokens[at]?.text === "(" ? throughCall(structure, at) : throughLiteral(structure, at);
    if (found) return found;
    at = parent[at] ?? -1;
  }
  return nothing;
}

/** Whether it is the value of a key that is never sent, such as a description. */
function isAside({ tokens }: Structure, at: number): boolean {
  const before = tokens[at - 1]?.text ?? "";
  const key = before === ">" ? tokens[at - 3] : tokens[at - 2];
  return /^[:=>]$/.test(before) && asides.has(key?.text.toLowerCase() ?? "");
}

function throughCall(structure: Structure, at: number): Climbed | undefined {
  const { tokens } = structure;
  const name = structure.callee(at);
  const before = tokens[at - 1]?.text ?? "";
  if (name === "")
    return code.control.includes(before) && before !== "return" && before !== "await" ? nothing : undefined;
  const isMethod = isMember(tokens, at - 1);
  if (talk.has(name) || /(?:Error|Exception|Warning)$/.test(name))
    return isSaying(structure, at, name) ? nothing : undefined;
  if (isMethod && isMock(structure, at)) return nothing;
  if (isMethod && (setters.has(name) || isOpening(structure, at))) return { to: "setter", open: at };
  if (setters.has(name) && !http.has(name)) {
    const request = requestAround(structure, at);
    return request === undefined ? undefined : { to: "call", open: request, sure: true };
  }
  if (passing.has(name)) return undefined;
  return { to: "call", open: at, sure: http.has(name) };
}

/** `nock("…").get("/path")`, `router.get("/path", …)`. */
function isMock(structure: Structure, at: number): boolean {
  const { name, open } = receiverOf(structure, at);
  return mocks.has(name ?? (open === undefined ? "" : structure.callee(open)));
}

/** Whether a call only reports something: `log.error(…)`, `Error(…)`, `client.test(…)`. */
function isSaying({ tokens }: Structure, at: number, name: string): boolean {
  const receiver = isMember(tokens, at - 1) || tokens[at - 2]?.text === ":" ? tokens[at - 3]?.text : undefined;
  return receiver === undefined || talk.has(name) || loggers.has(receiver);
}

function throughLiteral(structure: Structure, at: number): Climbed | undefined {
  const { tokens } = structure;
  const before = tokens[at - 1];
  const isSubscript =
    tokens[at]?.text === "[" &&
    structure.touches(at - 1, at) &&
    (before?.kind === "word" || before?.text === "]" || before?.text === ")");
  if (isSubscript && before?.kind === "word" && code.control.includes(before.text)) return undefined;
  if (isSubscript) return nothing;
  return isAside(structure, at) ? nothing : undefined;
}

/** A text alone is documentation; behind a word that says something, it is said. */
function ofStatement(structure: Structure, index: number, depth: number): Climbed {
  const { tokens } = structure;
  const head = headOf(structure, index);
  const word = tokens[head]?.text ?? "";
  const behind = tokens[head + 1];
  if (head === index && (!behind || structure.leads(head + 1)) && tokens[index]?.kind === "text") return nothing;
  const isCalledPlainly =
    behind?.kind === "text" || (behind?.text !== "(" && behind?.text !== "=" && behind?.text !== ".");
  if ((talk.has(word) || word === "throw") && isCalledPlainly) return nothing;
  if (loggers.has(word) && behind?.text === ".") return nothing;
  return (
    commandlet(structure, head, index) ??
    step(structure, index) ??
    plainCall(structure, head, index) ?? { to: "statement", depth }
  );
}

/** `Invoke-RestMethod -Uri url`, as PowerShell writes calls. */
function commandlet({ tokens }: Structure, head: number, index: number): Climbed | undefined {
  for (let at = Math.max(head + 2, index - 60); at < index; at++) {
    const isNoun = code.commandlets.includes(tokens[at]?.text ?? "") && tokens[at - 1]?.text === "-";
    if (isNoun && tokens[at - 2]?.text === "Invoke") return { to: "call", open: at, sure: true };
  }
  return undefined;
}

/** `httpRequest url: url, requestBody: body`, as pipelines of Jenkins write it. */
function step(structure: Structure, index: number): Climbed | undefined {
  const { tokens } = structure;
  for (let at = index; at > Math.max(-1, index - 60); at--) {
    const { kind, text = "" } = tokens[at] ?? {};
    if (kind === "word" && code.steps.includes(text) && tokens[at + 1]?.kind === "word")
      return { to: "call", open: at, sure: true };
    if (structure.leads(at) && !goesOn(tokens[at - 1]?.text ?? "", text)) return undefined;
  }
  return undefined;
}

/** `client.get url, params: { … }`, as Ruby writes calls. */
function plainCall({ tokens }: Structure, head: number, index: number): Climbed | undefined {
  for (let at = head + 1; at < Math.min(index, head + 12); at++) {
    const isMethod = tokens[at]?.kind === "word" && tokens[at - 1]?.text === "." && http.has(tokens[at]?.text ?? "");
    const next = tokens[at + 1];
    if (isMethod && (next?.kind === "text" || next?.kind === "word")) return { to: "call", open: at, sure: true };
  }
  return undefined;
}

/** The first token of the statement that a token stands in, as far as that is near. */
function headOf(structure: Structure, index: number): number {
  const { tokens, parent, other } = structure;
  let at = index;
  while (parent[at] !== undefined && !structure.isBlock(parent[at] ?? -1)) at = parent[at] ?? -1;
  for (let steps = 0; steps < 40; steps++) {
    const before = tokens[at - 1];
    if (!before || before.text === ";" || before.text === "{" || isBlockEnd(structure, at - 1)) return at;
    if (structure.leads(at) && !goesOn(before.text, tokens[at]?.text ?? "")) return at;
    const opened = other[at - 1] ?? -1;
    at = opened >= 0 && opened < at - 1 ? opened : at - 1;
  }
  return at;
}

function isBlockEnd(structure: Structure, at: number): boolean {
  return structure.tokens[at]?.text === "}" && structure.isBlock(structure.other[at] ?? -1);
}

/** Whether a line goes on with the next one. */
export function goesOn(before: string, next: string): boolean {
  return (
    /^[=,+.&|?\\([{-]$/.test(before) || /^[.&|?+]$/.test(next) || /^(?:await|return|new|in|of|and|or|not)$/.test(before)
  );
}

/** Whether a list or a table stands between a token and the statement in a bracket. */
export function isListed({ tokens, parent }: Structure, index: number, depth: number): boolean {
  for (let at = parent[index] ?? -1; at > depth; at = parent[at] ?? -1) if (tokens[at]?.text !== "(") return true;
  return false;
}
