import { vocabulary } from "../model/deprecations.ts";
import type { Assignment } from "./assignments.ts";
import type { Program } from "./program.ts";
import { apiName } from "./response-flow.ts";
import { type FlowValue, unknown } from "./scopes.ts";
import { headNameAt, nameAt } from "./token-names.ts";
import type { Token } from "./tokens.ts";
import { type Address, type SentParameter, wantedNames } from "./traffic.ts";

/** How an assignment changes what is known. */
interface Binding {
  readonly set: (name: string, value: FlowValue) => void;
  readonly sendToName: (name: string, sent: readonly SentParameter[], addresses: readonly Address[]) => void;
  readonly report: (about: "read", addresses: readonly Address[], field: Token) => void;
}

const { unwrapping, declaring } = vocabulary.code;

/** Assigns the value of an expression to names. */
export function bind(program: Program, assignment: Assignment, value: FlowValue, binding: Binding): void {
  const { from, to, is } = assignment;
  const last = program.tokens[to - 1];
  const words = wordsIn(program, from, to);
  const isTaken = last?.text === "}" || (is === "looped" && last?.text === "]");
  if (isTaken) take(program, from, to, value, binding);
  else if (is === "looped") for (const word of words) binding.set(nameAt(program, word), value);
  else if (last?.text !== "]" && words.length > 0) give(program, to, words, value, binding);
}

function give(program: Program, to: number, words: readonly number[], value: FlowValue, binding: Binding): void {
  const target = targetOf(program, words);
  if (isAdding(program, to) || isMemberOf(program, target)) {
    binding.sendToName(headNameAt(program, target), value.sent, isAdding(program, to) ? value.addresses : []);
    return;
  }
  const others = words.filter((word) => word !== target && program.textAt(word + 1) === ",");
  for (const word of others) binding.set(nameAt(program, word), unknown);
  binding.set(nameAt(program, target), value);
  if (isField(program, target)) binding.set(`this.${program.textAt(target)}`, value);
}

/** `private name = …` in a class is `this.name` in its methods. */
function isField(program: Program, target: number): boolean {
  const before = [program.textAt(target - 1), program.textAt(target - 2), program.textAt(target - 3)];
  return before.some((word) => /^(?:private|public|protected|readonly|static)$/.test(word ?? ""));
}

function wordsIn(program: Program, from: number, to: number): readonly number[] {
  const indices = Array.from({ length: Math.min(Math.max(to - from, 0), 60) }, (_, step) => from + step);
  return indices.filter((at) => program.isWord(at) && !declaring.has(program.textAt(at)));
}

/** `x: Type`, `x, err`, `var x Type` and `Type x`. */
function targetOf(program: Program, words: readonly number[]): number {
  const [first = 0] = words;
  const isFirst = /^[:,]$/.test(program.textAt(first + 1)) || declaring.has(program.textAt(first - 1));
  return isFirst ? first : (words.at(-1) ?? first);
}

function isMemberOf(program: Program, target: number): boolean {
  return program.isMember(target) && !nameAt(program, target).startsWith("this.");
}

function isAdding(program: Program, to: number): boolean {
  return /^[+.]$/.test(program.textAt(to));
}

/** `{ name, other: local }` reads fields of a response. */
function take(program: Program, from: number, to: number, value: FlowValue, binding: Binding): void {
  for (const word of wordsIn(program, from, to)) {
    const token = program.tokens[word];
    if (!token || program.textAt(word - 1) === ":") continue;
    const isWanted = wantedNames.has(apiName(token)) && value.field === undefined;
    if (isWanted) binding.report("read", value.responses, token);
    const local = program.textAt(word + 1) === ":" ? word + 2 : word;
    const isRest = program.textAt(word - 1) === ".";
    const part = isWanted ? { ...value, field: token } : isRest || unwrapping.has(token.text) ? value : unknown;
    binding.set(nameAt(program, local), part);
  }
}
