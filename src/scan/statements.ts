import { vocabulary } from "../model/deprecations.ts";
import type { Program } from "./program.ts";

const { asides, commandlets, control, http, loggers, mocks, passing, setters, steps, talk } = vocabulary.code;

/**
 * The calls that receive a value: the first tokens of their chains, from the inside, up to the first one that does more
 * than build or collect values. Values that share one are parts of the same call.
 */
export type Calls = readonly number[];

const maxDepth = 40;

/** Undefined for a value that is not sent: documentation, a message, a header, or a mock. */
export function enclosingCalls(program: Program, index: number): Calls | undefined {
  const calls: number[] = [];
  if (isAside(program, index)) return undefined;
  let at = program.enclosing(index);
  for (let depth = 0; !program.isBlock(at); depth++, at = program.enclosing(at)) {
    const isCall = program.textAt(at) === "(";
    const name = isCall ? program.callee(at) : "";
    if (depth > maxDepth || isAside(program, at) || (isCall ? isUnsent(program, at) : isSubscript(program, at)))
      return undefined;
    if (name !== "") calls.push(program.chainStart(at));
    const isPassed = name === "" ? !isArrow(program, at) : passing.has(name) || setters.has(name);
    if (!isPassed) return calls;
  }
  return isMessage(program, index) ? undefined : [...calls, ...plainCall(program, index)];
}

export function isRequest(program: Program, tokens: readonly number[]): boolean {
  return tokens.some((at) => {
    const next = program.tokens[at + 1];
    const isCalled = next?.kind === "text" || next?.kind === "word" || /^[(<!]$/.test(next?.text ?? "");
    return program.isWord(at) && ((http.has(program.textAt(at)) && isCalled) || isCommand(program, at));
  });
}

/** `Invoke-RestMethod`, and `httpRequest url: …` of a pipeline of Jenkins. */
function isCommand(program: Program, at: number): boolean {
  const text = program.textAt(at);
  return (
    (commandlets.has(text) && program.textAt(at - 1) === "-" && program.textAt(at - 2) === "Invoke") ||
    (steps.has(text) && program.isWord(at + 1))
  );
}

/** The last call without parentheses before a token: `client.get url, query: …`, as Ruby writes it. */
function plainCall(program: Program, index: number): Calls {
  for (let at = index - 1; at >= Math.max(program.head(index), index - 60); at--) {
    const next = program.tokens[at + 1];
    const isMethod = program.isWord(at) && program.textAt(at - 1) === "." && http.has(program.textAt(at));
    if (isCommand(program, at) || (isMethod && (next?.kind === "text" || next?.kind === "word"))) return [at];
  }
  return [];
}

function isAside(program: Program, at: number): boolean {
  const before = program.textAt(at - 1);
  const key = before === ">" ? program.tokens[at - 3] : program.tokens[at - 2];
  return /^[:=>]$/.test(before) && asides.has(key?.text.toLowerCase() ?? "");
}

/** A condition, a message, an exception or a mock. */
function isUnsent(program: Program, at: number): boolean {
  const name = program.callee(at);
  const before = program.textAt(at - 1);
  if (name === "") return control.has(before) && before !== "return" && before !== "await";
  const isMethod = program.isMember(at - 1);
  if (talk.has(name)) return true;
  if (isMethod && mocks.has(chainName(program, at))) return true;
  const receiver = isMethod || program.textAt(at - 2) === ":" ? program.textAt(at - 3) : undefined;
  return /(?:Error|Exception|Warning)$/.test(name) && (receiver === undefined || loggers.has(receiver));
}

/** `nock("…").get("/path")`, `router.get("/path", …)`. */
function chainName(program: Program, at: number): string {
  return program.textAt(program.chainStart(at));
}

function isSubscript(program: Program, at: number): boolean {
  const before = program.tokens[at - 1];
  if (program.textAt(at) !== "[" || !program.areAdjacent(at - 1, at)) return false;
  return before?.kind === "word" ? !control.has(before.text) : /^[\])]$/.test(before?.text ?? "");
}

/** `() => ({ … })`. */
function isArrow(program: Program, at: number): boolean {
  return program.textAt(at - 1) === ">" && program.textAt(at - 2) === "=" && program.textAt(at - 3) === ")";
}

/** A string literal by itself is documentation; after `print` or `throw` it is a message. */
function isMessage(program: Program, index: number): boolean {
  const head = program.head(index);
  const word = program.textAt(head);
  const behind = program.tokens[head + 1];
  if (head === index && (!behind || program.head(head + 1) !== head) && program.isText(index)) return true;
  const isCalledPlainly = behind?.kind === "text" || !/^[(=.]$/.test(behind?.text ?? "");
  if (word === "Write" && behind?.text === "-") return true;
  return ((talk.has(word) || word === "throw") && isCalledPlainly) || (loggers.has(word) && behind?.text === ".");
}
