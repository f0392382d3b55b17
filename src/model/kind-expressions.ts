import { type ASTNode, Environment, type EvaluationError, type ParseError } from "@marcbachmann/cel-js";
import { isObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Plain } from "./types.ts";

/** What an expression of a kind is given, by the names that it knows. */
type Given = Readonly<Record<string, unknown>>;

/** An expression of a kind that knows its names. */
export interface KindExpression {
  /** Its value in the numbers of JSON; undefined where what it is given lacks something that it reads. */
  readonly valueOf: (given: Given) => Plain | undefined;
}

/** CEL of a kind's file: its optional values, and no regular expressions, which could take for ever. */
export function compileKindExpression(
  text: string,
  names: readonly string[],
  type: "bool" | "any",
): KindExpression | { readonly fault: string } {
  try {
    const expression = environmentOf(names.join(" ")).parse(text);
    const { valid, type: found = "", error } = expression.check();
    if (!valid && error) throw error;
    if (callsMatches(expression.ast)) return { fault: "matches is not known here" };
    if (type === "bool" && found !== "bool" && found !== "dyn")
      return { fault: `expected true or false, got ${found}` };
    return { valueOf: (given) => evaluated(() => expression({ ...given })) };
  } catch (error) {
    return { fault: faultWords(error, names) };
  }
}

function evaluated(evaluate: () => unknown): Plain | undefined {
  try {
    return fromCel(evaluate());
  } catch (error) {
    if ((error as Partial<EvaluationError>).code === "no_such_key") return undefined;
    throw error;
  }
}

function fromCel(value: unknown): Plain {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(fromCel);
  if (!isObject(value)) return value as Plain;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromCel(each)]));
}

/** As rules of policies are bounded. */
const limits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 100 };

const environmentOf = memoized((names: string) =>
  names
    .split(" ")
    .reduce(
      (environment, name) => environment.registerVariable(name, "dyn"),
      new Environment({ enableOptionalTypes: true, limits }),
    ),
);

function callsMatches(node: ASTNode): boolean {
  if (node.op === "rcall" && node.args[0] === "matches") return true;
  const inside = (part: unknown): boolean =>
    Array.isArray(part)
      ? part.some(inside)
      : isObject(part) && "op" in part && callsMatches(part as unknown as ASTNode);
  return inside([node.args]);
}

function faultWords(error: unknown, names: readonly string[]): string {
  const { code, summary = "it cannot be read" } = error as Partial<ParseError>;
  const [, word = ""] = /(\w+)$/.exec(summary) ?? [];
  if (code === "unknown_variable")
    return `unknown name ${word}${didYouMean(word, names) || `; it knows ${names.join(" and ")}`}`;
  return summary.slice(0, 1).toLowerCase() + summary.slice(1);
}
