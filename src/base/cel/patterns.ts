import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { RE2JS, RE2JSException } from "re2js";
import { memoized } from "../memoize.ts";
import { childrenOf, linearMatch } from "./cost.ts";

/** What is wrong with an expression, and before which of its characters. */
export interface ExpressionFault {
  readonly message: string;
  readonly offset: number;
}

/** Far more than an expression needs, and far less than what takes time to parse. */
export const expressionLimits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 100 };

/** Adds the `matches` that takes linear time, under the name that {@link withLinearPatterns} gives it. */
export function withLinearMatch(environment: Environment): Environment {
  return environment.registerFunction(`string.${linearMatch}(string): bool`, (text: string, pattern: string) =>
    compiledPattern(pattern).matcher(text).find(),
  );
}

const compiledPattern = memoized((pattern: string) => RE2JS.compile(pattern));

/** An expression whose calls of `matches` take linear time. */
interface LinearExpression {
  readonly text: string;
  /** States of its largest pattern. */
  readonly patternSize: number;
}

/** Rewrites all calls of `matches`. @throws ParseError of the library. */
export function withLinearPatterns(
  text: string,
  environment: Environment,
): LinearExpression | { readonly fault: ExpressionFault } {
  const patterns = patternsIn(environment.parse(text).ast);
  const fault = patterns.map(patternFault).find((each) => each !== undefined);
  if (fault) return { fault };
  const linear = rewritten(text, patterns, environment);
  if (linear === undefined) return { fault: { message: "expected no comment inside a call of matches", offset: 0 } };
  return { text: linear, patternSize: Math.max(0, ...patterns.map(sizeOf)) };
}

interface Pattern {
  /** Of the word `matches`. */
  readonly at: number;
  readonly node: ASTNode;
}

/** The patterns of all calls of `matches`, which would backtrack as the library has it: rules may come from anybody. */
function patternsIn(node: ASTNode): readonly Pattern[] {
  const inside = childrenOf(node).flatMap(patternsIn);
  if (node.op !== "rcall") return inside;
  const [name, , [pattern]] = node.args;
  const isMatch = name === "matches" || name === linearMatch;
  return isMatch && pattern ? [{ at: node.input.lastIndexOf(name, pattern.start), node: pattern }, ...inside] : inside;
}

function patternFault({ node }: Pattern): ExpressionFault | undefined {
  const fault = (message: string) => ({ message, offset: node.start });
  if (node.op !== "value" || typeof node.args !== "string") return fault("matches needs its pattern written out here");
  if (node.args.length > longestPattern) return fault(`a pattern may have up to ${longestPattern} characters`);
  try {
    const isLarge = compiledPattern(node.args).programSize() > largestPattern;
    return isLarge ? fault("this pattern is too large; use fewer or smaller counts such as {9}") : undefined;
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return fault(`not a regular expression of RE2: ${error.message.replace("error parsing regexp: ", "")}`);
  }
}

const longestPattern = 500;
const largestPattern = 300;

function sizeOf({ node: { args } }: Pattern): number {
  return typeof args === "string" ? compiledPattern(args).programSize() : 0;
}

/** Undefined where not every call could be found. */
function rewritten(text: string, patterns: readonly Pattern[], environment: Environment): string | undefined {
  const done = patterns.reduce(
    (sum, { at }) => sum.slice(0, at) + linearMatch + sum.slice(at + linearMatch.length),
    text,
  );
  const left = patternsIn(environment.parse(done).ast).filter(({ at }) => !done.startsWith(linearMatch, at));
  return left.length > 0 ? undefined : done;
}
