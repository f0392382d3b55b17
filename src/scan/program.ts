import { vocabulary } from "../model/deprecations.ts";
import { type SentParameter, wantedNames } from "./addresses.ts";
import type { Token } from "./tokens.ts";

/** A token and its neighbours. A bracket contains the nodes up to its partner, which is no node itself. */
export interface Node extends Token {
  readonly parent: Node | undefined;
  readonly inside: Node[];
  /** The nodes directly inside the same bracket, this one included, at index `at`. */
  readonly beside: readonly Node[];
  readonly at: number;
  readonly startsLine: boolean;
  /** The first node of its statement. */
  head: Node;
  /** The end of the token, or of the bracket's partner; undefined for a bracket without one. */
  end: number | undefined;
}

const partners: Readonly<Record<string, string>> = { "(": ")", "[": "]", "{": "}" };

/** The nodes of a program in order. Never throws: a bracket without a partner contains all that follows. */
export function nodesOf(tokens: readonly Token[], text: string): readonly Node[] {
  const nodes: Node[] = [];
  const roots: Node[] = [];
  let parent: Node | undefined;
  let ended = 0;
  for (const token of tokens) {
    const startsLine = nodes.length === 0 || text.slice(ended, token.start).includes("\n");
    const end = token.start + token.text.length;
    ended = Math.max(ended, end);
    const isSign = token.kind === "sign";
    if (isSign && parent && partners[parent.text] === token.text) {
      parent.end = end;
      parent = parent.parent;
      continue;
    }
    const beside = parent?.inside ?? roots;
    const isBracket = isSign && token.text in partners;
    const own = { inside: [], beside, at: beside.length, startsLine, end: isBracket ? undefined : end };
    const node: Node = { ...token, parent, ...own, head: undefined as never };
    beside.push(node);
    nodes.push(node);
    node.head = findHead(node);
    if (isBracket) parent = node;
  }
  return nodes;
}

/** A statement ends at a semicolon, a block, or a line that does not continue. */
function findHead(node: Node): Node {
  if (!isBlock(node.parent)) return node.parent?.head ?? node;
  const last = neighbour(node, -1);
  if (!last || last.text === ";" || (last.text === "{" && isBlock(last))) return node;
  const isParameter = last.text === "|" && textAt(node, -3) === "|";
  return node.startsLine && (isParameter || !continues(endText(last), node.text)) ? node : last.head;
}

function continues(before: string, next: string): boolean {
  return (
    /^[=,+.&|?\\-]$/.test(before) || /^[.&|?+]$/.test(next) || /^(?:await|return|new|in|of|and|or|not)$/.test(before)
  );
}

/** True for the program itself, and for a brace that holds statements. */
export function isBlock(bracket: Node | undefined): boolean {
  if (!bracket) return true;
  if (bracket.text !== "{" || bracket.inside[0]?.text === "|") return false;
  const last = neighbour(bracket, -1);
  if (!last) return !bracket.parent || bracket.parent.text === "{";
  if (last.kind === "sign" && /[);}]/.test(endText(last))) return true;
  const isArrow = last.text === ">" && /^[=-]$/.test(textAt(bracket, -2));
  return isArrow || ((last.kind === "word" || /^[>\]]$/.test(endText(last))) && followsHead(bracket));
}

/** `else {`, `class Name {`, `name(): Type {`, `name() throws Fault {`, on the same line. */
function followsHead(brace: Node): boolean {
  for (const { kind, text, startsLine } of brace.beside.slice(Math.max(0, brace.at - 14), brace.at).reverse()) {
    if ((kind === "word" && vocabulary.code.blocks.has(text)) || (kind === "sign" && text === "(")) return true;
    if (startsLine || (kind === "sign" && !/^[:<>[.|*&?]$/.test(text))) return false;
  }
  return false;
}

export function neighbour({ beside, at }: Node, by: number): Node | undefined {
  return beside[at + by];
}

/** The text of a neighbour; empty if there is none. */
export function textAt(node: Node, by: number): string {
  return neighbour(node, by)?.text ?? "";
}

/** The last character of a bracket, or the text of another token. */
export function endText({ kind, text }: Node): string {
  return (kind === "sign" && partners[text]) || text;
}

/** True if a dot or an arrow before a node makes it a member. */
export function isMember(node: Node): boolean {
  return textAt(node, -1) === "." || (textAt(node, -1) === ">" && textAt(node, -2) === "-");
}

/** The name of the function that a parenthesis calls; empty if it only groups. */
export function calleeOf(bracket: Node): string {
  const called = findCalled(bracket);
  return bracket.text === "(" && called?.kind === "word" && !isControl(called) ? called.text : "";
}

/** The node before a bracket; skips `!`, `?` and the types of a generic call. */
function findCalled(bracket: Node): Node | undefined {
  const last = neighbour(bracket, /^[!?]$/.test(textAt(bracket, -1)) ? -2 : -1);
  if (last?.text !== ">") return last;
  const before = last.beside.slice(Math.max(0, last.at - 11), last.at);
  const opening = before.findLast(({ text }) => text === "<");
  return opening ? neighbour(opening, -1) : last;
}

function isControl(node: Node): boolean {
  return vocabulary.code.control.has(node.text) && !isMember(node);
}

/** The first node of a chain of members and calls, given a word or a bracket of it. */
export function chainStart(start: Node): Node {
  let node = start;
  for (let steps = 0; steps < 60; steps++) {
    const isBracket = /^[([]$/.test(node.text);
    if (isBracket ? node.startsLine : !isMember(node)) return node;
    const before = isBracket ? findCalled(node) : findReceiver(node);
    const isPart =
      before?.kind === "word" ? !(isBracket && isControl(before)) : before && endText(before) !== before.text;
    if (!before || !isPart) return node;
    node = before;
  }
  return node;
}

/** The last node of a member's receiver, which ends before `.`, `->`, `?.`, `!.` or `&.`. */
function findReceiver(member: Node): Node | undefined {
  const dot = textAt(member, -1) === ">" ? -2 : -1;
  return neighbour(member, /^[?!&]$/.test(textAt(member, dot - 1)) ? dot - 2 : dot - 1);
}

const { mapOf, pairs: pairCalls, setters } = vocabulary.code;

/** The parameters at a node: `"name": value`, `name: value`, `name=value` in a call, `("name", value)`, `{ name }`. */
export function parametersAt(node: Node): readonly SentParameter[] {
  // The API's name of a field: tags_count for `TagsCount` and `tagsCount`.
  const isCased = node.kind !== "text" && /[A-Z]/.test(node.text);
  const name = isCased ? node.text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase() : node.text;
  if (node.kind === "sign" || !wantedNames.has(name)) return [];
  const distance = distanceOfValue(node);
  if (distance === undefined) return [];
  const nameOffset = node.start;
  const values = distance === 0 ? [] : readLiterals(neighbour(node, distance));
  if (values.length === 0) return [{ name, value: undefined, nameOffset, offset: nameOffset }];
  return values.map(({ text, start: offset }) => ({ name, value: text, nameOffset, offset }));
}

/** The distance of a parameter's value from its name, 0 for `{ name }`; undefined if the node is not a parameter. */
function distanceOfValue(node: Node): number | undefined {
  const [next, after, previous] = [textAt(node, 1), textAt(node, 2), textAt(node, -1)];
  const open = node.parent?.text ?? "";
  const isWord = node.kind === "word";
  if (next === "" && open === "[") return undefined;
  if (!isWord && next === "to" && neighbour(node, 1)?.kind === "word") return 2;
  if ((!isWord && next === "-" && after === ">") || (next === "=" && after === ">")) return 3;
  const isSet = next === "=" && !(/^[=~]$/.test(after) && areAdjacent(node, 1));
  // `@{ name = value }`, `new { name = value }` and `call(name=value)`.
  if (isWord && isSet && (open === "(" || (open === "{" && /^(?:@|new)$/.test(textAt(node.parent ?? node, -1)))))
    return 2;
  if (next === ":" && open !== "" && !(after === ":" && areAdjacent(node, 1))) return previous === "?" ? undefined : 2;
  if (next === "," && !isWord && isPair(node)) return 2;
  return isWord && open === "{" && /^,?$/.test(previous) && /^,?$/.test(next) ? 0 : undefined;
}

/** True if the neighbours at a distance and after it are adjacent. */
function areAdjacent(node: Node, by: number): boolean {
  return neighbour(node, by)?.end === neighbour(node, by + 1)?.start;
}

/** `("name", value)` with exactly two elements, or in a setter. */
function isPair({ parent, at, beside }: Node): boolean {
  if (parent?.end === undefined) return false;
  const callee = calleeOf(parent);
  if (mapOf.has(callee)) return beside.slice(0, at).filter(({ text }) => text === ",").length % 2 === 0;
  if (at > 0) return false;
  return callee === "" ? beside.length < 5 : setters.has(callee) || pairCalls.has(callee);
}

/** The string literals of a value: one, a symbol, a list, or the arguments of a call. */
function readLiterals(value: Node | undefined): readonly Token[] {
  if (!value || value.kind === "text") return value ? [value] : [];
  const next = neighbour(value, 1);
  if (value.text === ":" && next?.kind === "word") return [next];
  if (value.kind === "word" && !/^[.([{]$/.test(next?.text ?? "")) return [];
  const near = value.beside.slice(value.at, value.at + 4);
  const bracket = near.find(({ inside, end }) => inside.length > 0 && end !== undefined);
  const inside = (bracket?.inside ?? []).flatMap((each) => [each, ...each.inside]).slice(0, 20);
  return inside.filter(({ kind }) => kind === "text");
}
