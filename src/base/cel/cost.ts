import type { ASTNode } from "@marcbachmann/cel-js";
import { mostAddresses } from "./origins.ts";

/** How large a value can be at most: its characters or entries, and how large each of these. */
export interface Bound {
  readonly size: number;
  readonly item?: Bound;
  readonly fields?: Readonly<Record<string, Bound>>;
  /** Of JSON of which no more is known: the characters of its longest text, and of all of it; `size` is its longest list. */
  readonly json?: { readonly text: number; readonly all: number };
}

interface Estimate {
  /** About as many steps of the evaluator. */
  readonly cost: number;
  readonly bound: Bound;
}

/** What is known of an expression before it is evaluated. */
export interface Sizing {
  readonly variables: ReadonlyMap<string, Bound>;
  /** States of its largest pattern. */
  readonly patternSize: number;
}

/** What calls of `matches` are rewritten to; as long, so that every place in an expression stays where it was. */
export const linearMatch = "re2find";

/**
 * How many steps an expression takes at most, whatever values of this size it meets: told without evaluating it, and
 * the same on every machine, so that what takes too long is refused and never interrupted.
 */
export function costOf(tree: ASTNode, scope: Sizing): number {
  return estimate(tree, scope).cost;
}

function estimate(node: ASTNode, scope: Sizing): Estimate {
  if (node.op === "value") return { cost: 1, bound: leaf(typeof node.args === "string" ? node.args.length : 20) };
  if (node.op === "id") return { cost: 1, bound: scope.variables.get(node.args) ?? leaf(20) };
  const loop = loopOf(node);
  if (loop) return estimateLoop(loop, scope);
  const parts = childrenOf(node).map((child) => estimate(child, scope));
  const bounds = parts.map(({ bound }) => bound);
  const read = bounds.reduce((sum, bound) => sum + weight(bound), 0);
  const own = (accesses.has(node.op) ? 1 : 1 + read / 100) + slowness(node, read, scope);
  const cost = parts.reduce((sum, part) => sum + part.cost, own);
  return { cost, bound: resultOf(node, bounds) };
}

const accesses: ReadonlySet<string> = new Set([".", ".?", "[]", "[?]", "&&", "||", "?:"]);

function resultOf(node: ASTNode, bounds: readonly Bound[]): Bound {
  const [first = leaf(20)] = bounds;
  if (node.op === "." || node.op === ".?") return first.fields?.[node.args[1]] ?? itemOf(first);
  if (node.op === "[]" || node.op === "[?]") return itemOf(first);
  if (node.op === "list" || node.op === "map") return { size: bounds.length, item: union(bounds) };
  if (node.op === "rcall" && node.args[0] === "split") return { size: textOf(first) + 1, item: leaf(textOf(first)) };
  if (node.op === "rcall" && listsOrigins.has(node.args[0])) return { size: mostAddresses + 1, item: leaf(first.size) };
  if (truths.has(node.op) || isMeasure(node)) return leaf(20);
  if (isChoice(node)) return union(bounds);
  if (node.op === "+") return { ...union(bounds), size: bounds.reduce((sum, bound) => sum + textOf(bound), 0) };
  const whole = union(bounds);
  return { ...whole, size: bounds.reduce((sum, bound) => sum + (bound.item ? weight(bound) : textOf(bound)), 20) };
}

/** Whether a node gives one of its parts as it is. */
function isChoice(node: ASTNode): boolean {
  return node.op === "?:" || (node.op === "rcall" && (node.args[0] === "orValue" || node.args[0] === "or"));
}

function textOf({ size, json }: Bound): number {
  return json ? Math.max(size, json.text) : size;
}

const truths: ReadonlySet<string> = new Set(["==", "!=", "in", "<", "<=", ">", ">=", "&&", "||", "!_"]);

/**
 * Beyond reading its values once: a pattern may be in each of its states at each character, a duration is parsed in
 * steps that each copy the rest, and a time zone is looked up each time.
 */
function slowness(node: ASTNode, read: number, { patternSize }: Sizing): number {
  if (node.op === "call") return node.args[0] === "duration" ? read ** 2 / 100 : 0;
  if (node.op !== "rcall") return 0;
  const [name, , { length }] = node.args;
  if (name === linearMatch) return (read * patternSize) / 50;
  if (listsOrigins.has(name)) return read / 4;
  return name.startsWith("get") && length > 0 ? 1000 : 0;
}

const listsOrigins: ReadonlySet<string> = new Set(["origins", "hosts"]);

/** Whether a call gives a number or a truth, however large what it is asked of. */
function isMeasure(node: ASTNode): boolean {
  return (node.op === "call" || node.op === "rcall") && measures.has(node.args[0]);
}

const measures: ReadonlySet<string> = new Set(
  `size has startsWith endsWith contains ${linearMatch} indexOf lastIndexOf bool int uint double type hasValue`.split(
    " ",
  ),
);

/** A macro that evaluates its last arguments for each entry, or once for `cel.bind`, with a name for it. */
interface Loop {
  readonly over: ASTNode;
  readonly variable: string;
  readonly steps: readonly ASTNode[];
  readonly kind: string;
}

const macros: ReadonlySet<string> = new Set(["all", "exists", "exists_one", "filter", "map"]);

function loopOf(node: ASTNode): Loop | undefined {
  if (node.op !== "rcall") return undefined;
  const [kind, receiver, [variable, ...steps]] = node.args;
  if (variable?.op !== "id") return undefined;
  if (macros.has(kind) && steps.length > 0) return { over: receiver, variable: variable.args, steps, kind };
  const [over, ...rest] = steps;
  const isBind = kind === "bind" && receiver.op === "id" && receiver.args === "cel";
  return isBind && over ? { over, variable: variable.args, steps: rest, kind } : undefined;
}

function estimateLoop({ over, variable, steps, kind }: Loop, scope: Sizing): Estimate {
  const range = estimate(over, scope);
  const times = kind === "bind" ? 1 : range.bound.size;
  const entry = kind === "bind" ? range.bound : itemOf(range.bound);
  const inner = steps.map((step) =>
    estimate(step, { ...scope, variables: new Map([...scope.variables, [variable, entry]]) }),
  );
  const cost = range.cost + 1 + times * inner.reduce((sum, step) => sum + step.cost, 2);
  const last = inner.at(-1)?.bound ?? leaf(1);
  if (kind === "bind") return { cost, bound: last };
  if (kind === "map") return { cost, bound: { size: times, item: last } };
  return { cost, bound: kind === "filter" ? { size: times, item: entry } : leaf(1) };
}

/** What an expression consists of; macros as they are written. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case ".":
    case ".?":
      return [node.args[0]];
    case "!_":
    case "-_":
      return [node.args];
    case "map":
      return node.args.flat();
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    default:
      return node.args;
  }
}

function leaf(size: number): Bound {
  return { size };
}

function itemOf(bound: Bound): Bound {
  if (bound.json) return bound;
  return bound.item ?? (bound.fields ? union(Object.values(bound.fields)) : leaf(bound.size));
}

function weight({ size, item, fields, json }: Bound): number {
  if (json) return json.all;
  if (fields) return Object.values(fields).reduce((sum, field) => sum + weight(field), size);
  return item ? size * (1 + weight(item)) : size;
}

/** As large as the largest of them in every respect. */
function union(bounds: readonly Bound[]): Bound {
  const size = bounds.reduce((most, bound) => Math.max(most, bound.size), 1);
  const json = jsonUnion(bounds);
  if (json) return { size, json };
  const items = bounds.flatMap(({ item, fields = {} }) => [...(item ? [item] : []), ...Object.values(fields)]);
  return items.length > 0 ? { size, item: union(items) } : { size };
}

/** Where one of them may be any JSON, so may what is made of all of them. */
function jsonUnion(bounds: readonly Bound[]): Bound["json"] {
  if (!bounds.some(({ json }) => json)) return undefined;
  return {
    text: bounds.reduce((most, bound) => Math.max(most, textOf(bound)), 1),
    all: bounds.reduce((sum, bound) => sum + weight(bound), 1),
  };
}
