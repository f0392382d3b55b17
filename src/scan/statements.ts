import { grouped } from "../base/grouped.ts";
import { vocabulary } from "../model/deprecations.ts";
import {
  addressIn,
  type Evidence,
  type FoundAddress,
  type Mention,
  parametersIn,
  type SentParameter,
} from "./addresses.ts";
import {
  calleeOf,
  chainStart,
  endText,
  isBlock,
  isMember,
  type Node,
  neighbour,
  parametersAt,
  textAt,
} from "./program.ts";
import { maskedInterpolations, type TextFragment } from "./text.ts";

/** Requests of a program with the parameters in the same call. */
export function mentionsInProgram(nodes: readonly Node[], evidence: Evidence): readonly Mention[] {
  // URLs that variables hold, for paths that begin with one.
  const held = nodes.filter((node) => node.kind === "text" && /^https?:/.test(node.text) && textAt(node, -1) === "=");
  const bases = new Map(held.map((node) => [textAt(node, -2), node.text]));
  return [...grouped(nodes, ({ head }) => head).values()].flatMap((statement) => {
    const isSent = statement.some(isRequest);
    const parts = statement.flatMap((node) => readPart(node, evidence, bases)).slice(0, maxParts);
    return [...parts.flatMap(({ found }) => (found ? pathMentions(found, isSent) : [])), ...pairParts(parts, isSent)];
  });
}

interface Part {
  readonly node: Node;
  readonly calls: Calls;
  readonly found: FoundAddress | undefined;
  readonly sent: readonly SentParameter[];
}

/** Maximum number of parts per statement; the rest is dropped. */
const maxParts = 60;

function readPart(node: Node, evidence: Evidence, bases: ReadonlyMap<string, string>): readonly Part[] {
  if (node.kind === "sign") return [];
  const isText = node.kind === "text";
  const baseOf = (before: string) =>
    bases.get(/^[+.]$/.test(textAt(node, -1)) ? textAt(node, -2) : (/[{$]\s*([\w$@.]+)/.exec(before)?.[1] ?? ""));
  const found = isText ? addressInText(node, evidence, baseOf) : undefined;
  const sent = [...parametersAt(node), ...(isText && !found ? parametersInText(node) : [])];
  const calls = found || sent.length > 0 ? enclosingCalls(node) : undefined;
  return calls ? [{ node, calls, found, sent }] : [];
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

/** Parameters in a string literal that is a query, a form or JSON. */
function parametersInText({ text, start }: TextFragment): readonly SentParameter[] {
  if (text.length > 20_000 || (/\s/.test(text.trim()) && !/^\s*[[{]/.test(text))) return [];
  return parametersIn({ text: maskedInterpolations(text), start });
}

/** The address of a literal and the parameters in it; the path alone counts if it is whole or sent. */
function pathMentions({ address, base, mentions }: FoundAddress, isSent: boolean): readonly Mention[] {
  const isUsed = base === "api" || isSent;
  const own = mentions.filter(({ about }) => isUsed || about !== "path");
  return own.map((each) => ({ ...each, address: { ...address, sure: address.sure && isUsed } }));
}

function pairParts(parts: readonly Part[], isSent: boolean): readonly Mention[] {
  return parts.flatMap(({ node, calls, found }) => {
    if (!found) return [];
    const address = { ...found.address, sure: found.address.sure && isSent };
    const sending = parts.filter((each) => each.node === node || calls.some((start) => each.calls.includes(start)));
    return sending.flatMap(({ sent }) => sent.map((each): Mention => ({ about: "sent", address, ...each })));
  });
}

const { asides, commandlets, control, http, loggers, mocks, passing, setters, steps, talk } = vocabulary.code;

/**
 * The calls that receive a value: the first nodes of their chains, from the inside, up to the first one that does more
 * than build or collect values. Values that share one are parts of the same call.
 */
type Calls = readonly Node[];

const maxDepth = 40;

/** Undefined for a value that is not sent: documentation, a message, a header, or a mock. */
export function enclosingCalls(value: Node): Calls | undefined {
  const calls: Node[] = [];
  let node = value;
  for (let depth = 0; ; depth++) {
    if (depth > maxDepth || isAside(node)) return undefined;
    const { parent } = node;
    if (!parent || isBlock(parent)) return isMessage(value) ? undefined : [...calls, ...plainCall(value)];
    const name = calleeOf(parent);
    if (parent.text === "(" ? isUnsent(parent, name) : isSubscript(parent)) return undefined;
    if (name !== "") calls.push(chainStart(parent));
    const isPassed = name === "" ? !isArrow(parent) : passing.has(name) || setters.has(name);
    if (!isPassed) return isAside(parent) ? undefined : calls;
    node = parent;
  }
}

function isRequest(node: Node): boolean {
  const next = neighbour(node, 1);
  const isCalled = next?.kind === "text" || next?.kind === "word" || /^[(<!]$/.test(next?.text ?? "");
  return node.kind === "word" && ((http.has(node.text) && isCalled) || isCommand(node));
}

/** `Invoke-RestMethod`, and `httpRequest url: …` of a pipeline of Jenkins. */
function isCommand(node: Node): boolean {
  const isInvoked = textAt(node, -1) === "-" && textAt(node, -2) === "Invoke";
  return (commandlets.has(node.text) && isInvoked) || (steps.has(node.text) && neighbour(node, 1)?.kind === "word");
}

/** The last call without parentheses before a node: `client.get url, query: …`, as Ruby writes it. */
function plainCall({ beside, at, head, parent }: Node): Calls {
  const isInside = parent && !isBlock(parent);
  const before = beside.slice(Math.max(isInside ? 0 : head.at, at - 60), at);
  const call = before.findLast((node) => {
    const next = neighbour(node, 1)?.kind;
    const isMethod = node.kind === "word" && textAt(node, -1) === "." && http.has(node.text);
    return isCommand(node) || (isMethod && (next === "text" || next === "word"));
  });
  return call ? [call] : isInside ? plainCall(parent) : [];
}

function isAside(node: Node): boolean {
  const before = textAt(node, -1);
  return /^[:=>]$/.test(before) && asides.has(textAt(node, before === ">" ? -3 : -2).toLowerCase());
}

/** A condition, a message, an exception or a mock. */
function isUnsent(bracket: Node, name: string): boolean {
  const last = neighbour(bracket, -1);
  if (name === "") return control.has(last?.text ?? "") && !/^(?:return|await)$/.test(last?.text ?? "");
  if (talk.has(name)) return true;
  const isMethod = last !== undefined && isMember(last);
  // `nock("…").get("/path")`, `router.get("/path", …)`.
  if (isMethod && mocks.has(chainStart(bracket).text)) return true;
  const receiver = isMethod || textAt(bracket, -2) === ":" ? textAt(bracket, -3) : undefined;
  return /(?:Error|Exception|Warning)$/.test(name) && (receiver === undefined || loggers.has(receiver));
}

function isSubscript(bracket: Node): boolean {
  const last = neighbour(bracket, -1);
  if (bracket.text !== "[" || !last || last.end !== bracket.start) return false;
  return last.kind === "word" ? !control.has(last.text) : /^[\])]$/.test(endText(last));
}

/** `() => ({ … })`. */
function isArrow(bracket: Node): boolean {
  return textAt(bracket, -1) === ">" && textAt(bracket, -2) === "=" && textAt(bracket, -3) === "(";
}

/** A string literal by itself is documentation; after `print` or `throw` it is a message. */
function isMessage({ head, kind, start }: Node): boolean {
  const behind = neighbour(head, 1);
  const isAlone = !behind || behind.head !== head;
  if (head.start === start) return isAlone && kind === "text";
  if (head.text === "Write" && behind?.text === "-") return true;
  const isCalledPlainly = behind?.kind === "text" || !/^[(=.]$/.test(behind?.text ?? "");
  const isTalk = talk.has(head.text) || head.text === "throw";
  return (isTalk && isCalledPlainly) || (loggers.has(head.text) && behind?.text === ".");
}
