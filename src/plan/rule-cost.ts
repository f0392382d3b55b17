import type { ASTNode } from "@marcbachmann/cel-js";

/** How large a value can be at most: its characters or entries, and how large each of these. */
export interface Bound {
  readonly size: number;
  readonly item?: Bound;
  readonly fields?: Readonly<Record<string, Bound>>;
}

interface Estimate {
  /** About as many steps of the evaluator. */
  readonly cost: number;
  readonly bound: Bound;
}

type Scope = ReadonlyMap<string, Bound>;

/**
 * How many steps an expression takes at most, whatever values of this size it meets: told without evaluating it, and
 * the same on every machine, so that what takes too long is refused and never interrupted.
 */
export function costOf(tree: ASTNode, variables: Scope): number {
  return estimate(tree, variables).cost;
}

function estimate(node: ASTNode, scope: Scope): Estimate {
  if (node.op === "value") return { cost: 1, bound: leaf(typeof node.args === "string" ? node.args.length : 20) };
  if (node.op === "id") return { cost: 1, bound: scope.get(node.args) ?? leaf(20) };
  const loop = loopOf(node);
  if (loop) return estimateLoop(loop, scope);
  const parts = childrenOf(node).map((child) => estimate(child, scope));
  const bounds = parts.map(({ bound }) => bound);
  const read = bounds.reduce((sum, bound) => sum + weight(bound), 0);
  const cost = parts.reduce((sum, part) => sum + part.cost, 1 + (accesses.has(node.op) ? 0 : read / 100));
  return { cost, bound: resultOf(node, bounds) };
}

const accesses: ReadonlySet<string> = new Set([".", ".?", "[]", "[?]", "&&", "||", "?:"]);

function resultOf(node: ASTNode, bounds: readonly Bound[]): Bound {
  const [first = leaf(20)] = bounds;
  if (node.op === "." || node.op === ".?") return first.fields?.[node.args[1]] ?? itemOf(first);
  if (node.op === "[]" || node.op === "[?]") return itemOf(first);
  if (node.op === "list" || node.op === "map") return { size: bounds.length, item: union(bounds) };
  if (node.op === "rcall" && node.args[0] === "split") return { size: first.size + 1, item: leaf(first.size) };
  if (truths.has(node.op) || isMeasure(node)) return leaf(20);
  const whole = union(bounds);
  return { ...whole, size: bounds.reduce((sum, bound) => sum + (bound.item ? weight(bound) : bound.size), 20) };
}

const truths: ReadonlySet<string> = new Set(["==", "!=", "in", "<", "<=", ">", ">=", "&&", "||", "!_"]);

/** Whether a call gives a number or a truth, however large what it is asked of. */
function isMeasure(node: ASTNode): boolean {
  return (node.op === "call" || node.op === "rcall") && measures.has(node.args[0]);
}

const measures: ReadonlySet<string> = new Set(
  "size has startsWith endsWith contains matches re2find indexOf lastIndexOf bool int uint double type hasValue".split(
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

function estimateLoop({ over, variable, steps, kind }: Loop, scope: Scope): Estimate {
  const range = estimate(over, scope);
  const times = kind === "bind" ? 1 : range.bound.size;
  const entry = kind === "bind" ? range.bound : itemOf(range.bound);
  const inner = steps.map((step) => estimate(step, new Map([...scope, [variable, entry]])));
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
  return bound.item ?? (bound.fields ? union(Object.values(bound.fields)) : leaf(bound.size));
}

function weight({ size, item, fields }: Bound): number {
  if (fields) return Object.values(fields).reduce((sum, field) => sum + weight(field), size);
  return item ? size * (1 + weight(item)) : size;
}

/** As large as the largest of them in every respect. */
function union(bounds: readonly Bound[]): Bound {
  const size = bounds.reduce((most, bound) => Math.max(most, bound.size), 1);
  const items = bounds.flatMap(({ item, fields = {} }) => [...(item ? [item] : []), ...Object.values(fields)]);
  return items.length > 0 ? { size, item: union(items) } : { size };
}
