import { surroundings } from "../model/deprecations.ts";
import type { Assignment } from "./assignments.ts";
import { apiName } from "./response-flow.ts";
import { type FlowValue, type Sent, unknown } from "./scopes.ts";
import { isMember, type Structure } from "./structure.ts";
import { headNameAt, nameAt } from "./token-names.ts";
import type { Token } from "./tokens.ts";
import { type Address, wantedNames } from "./traffic.ts";

/** What binding names does to the flow. */
interface Binding {
  readonly set: (name: string, value: FlowValue) => void;
  readonly sendToName: (name: string, sent: readonly Sent[], addresses: readonly Address[]) => void;
  readonly say: (about: "read", addresses: readonly Address[], field: Token) => void;
}

const { unwrapping, declaring } = surroundings.code;

/** Gives the value of an expression to the names before it. */
export function bind(structure: Structure, assignment: Assignment, value: FlowValue, binding: Binding): void {
  const { from, to, is } = assignment;
  const last = structure.tokens[to - 1];
  const words = wordsIn(structure, from, to);
  const isTaken = last?.text === "}" || (is === "looped" && last?.text === "]");
  if (isTaken) take(structure, from, to, value, binding);
  else if (is === "looped") for (const word of words) binding.set(nameAt(structure.tokens, word), value);
  else if (last?.text !== "]" && words.length > 0) give(structure, to, words, value, binding);
}

function give(structure: Structure, to: number, words: readonly number[], value: FlowValue, binding: Binding): void {
  const { tokens } = structure;
  const target = targetOf(structure, words);
  if (isAdding(structure, to) || isMemberOf(structure, target)) {
    binding.sendToName(headNameAt(structure, target), value.sent, isAdding(structure, to) ? value.addresses : []);
    return;
  }
  const others = words.filter((word) => word !== target && tokens[word + 1]?.text === ",");
  for (const word of others) binding.set(nameAt(tokens, word), unknown);
  binding.set(nameAt(tokens, target), value);
  if (isField(structure, target)) binding.set(`this.${tokens[target]?.text}`, value);
}

/** `private name = …` in a class is `this.name` in its methods. */
function isField({ tokens }: Structure, target: number): boolean {
  const before = [tokens[target - 1]?.text, tokens[target - 2]?.text, tokens[target - 3]?.text];
  return before.some((word) => /^(?:private|public|protected|readonly|static)$/.test(word ?? ""));
}

function wordsIn({ tokens }: Structure, from: number, to: number): readonly number[] {
  const indices = Array.from({ length: Math.min(Math.max(to - from, 0), 60) }, (_, step) => from + step);
  return indices.filter((at) => tokens[at]?.kind === "word" && !declaring.includes(tokens[at]?.text ?? ""));
}

/** `x: Type`, `x, err`, `var x Type` and `Type x`. */
function targetOf({ tokens }: Structure, words: readonly number[]): number {
  const [first = 0] = words;
  const isFirst = /^[:,]$/.test(tokens[first + 1]?.text ?? "") || declaring.includes(tokens[first - 1]?.text ?? "");
  return isFirst ? first : (words.at(-1) ?? first);
}

function isMemberOf({ tokens }: Structure, target: number): boolean {
  return isMember(tokens, target) && !nameAt(tokens, target).startsWith("this.");
}

function isAdding({ tokens }: Structure, to: number): boolean {
  return /^[+.]$/.test(tokens[to]?.text ?? "");
}

/** `{ name, other: local }` takes fields of an answer. */
function take(structure: Structure, from: number, to: number, value: FlowValue, binding: Binding): void {
  const { tokens } = structure;
  for (const word of wordsIn(structure, from, to)) {
    const token = tokens[word];
    if (!token || tokens[word - 1]?.text === ":") continue;
    const isWanted = wantedNames.has(apiName(token)) && value.field === undefined;
    if (isWanted) binding.say("read", value.answers, token);
    const local = tokens[word + 1]?.text === ":" ? word + 2 : word;
    const isRest = tokens[word - 1]?.text === ".";
    const part = isWanted ? { ...value, field: token } : isRest || unwrapping.includes(token.text) ? value : unknown;
    binding.set(nameAt(tokens, local), part);
  }
}
