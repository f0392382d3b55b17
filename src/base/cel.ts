import type { ASTNode, Environment, ParseResult } from "@marcbachmann/cel-js";
import { RE2JS, RE2JSException } from "re2js";
import { memoized } from "./memoize.ts";
import { didYouMean } from "./nearest.ts";

export interface ExpressionFault {
  readonly message: string;
  readonly offset: number;
}

/** Replaces `matches` in expressions; of the same length, so that every position stays the same. */
export const linearMatch = "re2find";

/** Far more than an expression needs, and far less than would be slow to parse. */
export const expressionLimits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 100 };

/** Adds a `matches` of linear time, under the name that {@link withLinearPatterns} uses. */
export function withLinearMatch(environment: Environment): Environment {
  return environment.registerFunction(`string.${linearMatch}(string): bool`, (text: string, pattern: string) =>
    compiledPattern(pattern).matcher(text).find(),
  );
}

const compiledPattern = memoized((pattern: string) => RE2JS.compile(pattern));

/** Rewrites all calls of `matches`. @throws ParseError of the library. */
export function withLinearPatterns(
  text: string,
  environment: Environment,
): { readonly text: string } | { readonly fault: ExpressionFault } {
  const patterns = listPatterns(environment.parse(text).ast);
  const fault = patterns.map(patternFault).find((each) => each !== undefined);
  if (fault) return { fault };
  const linear = rewritten(text, patterns, environment);
  if (linear === undefined) return { fault: { message: "expected no comment inside a call of matches", offset: 0 } };
  return { text: linear };
}

/** A boolean expression, as far as types show before it is evaluated. */
export interface CompiledCondition {
  readonly expression: ParseResult;
  readonly offset: number;
}

/** Compiles a boolean expression; `explain` words the library's errors. */
export function compileCondition(
  text: string,
  environment: Environment,
  explain: (error: unknown) => ExpressionFault,
): CompiledCondition | { readonly fault: ExpressionFault } {
  try {
    const linear = withLinearPatterns(text, environment);
    if ("fault" in linear) return linear;
    const expression = environment.parse(linear.text);
    const { valid, type = "", error } = expression.check();
    if (!valid && error) throw error;
    const offset = expression.ast.start;
    if (type === "bool" || type === "dyn") return { expression, offset };
    const article = /^[aeiou]/.test(type) ? "an" : "a";
    return { fault: { message: `expected true or false, got ${article} ${type}`, offset } };
  } catch (error) {
    return { fault: foreignOperator(text) ?? explain(error) };
  }
}

interface Pattern {
  readonly at: number;
  readonly node: ASTNode;
}

/** The patterns of all calls of `matches`. The library's own implementation backtracks, and anybody may write rules. */
function listPatterns(node: ASTNode): readonly Pattern[] {
  const inside = listChildren(node).flatMap(listPatterns);
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

function rewritten(text: string, patterns: readonly Pattern[], environment: Environment): string | undefined {
  const done = patterns.reduce(
    (sum, { at }) => sum.slice(0, at) + linearMatch + sum.slice(at + linearMatch.length),
    text,
  );
  const left = listPatterns(environment.parse(done).ast).filter(({ at }) => !done.startsWith(linearMatch, at));
  return left.length > 0 ? undefined : done;
}

/** A member that an expression reads from a variable, such as `active` of `before`. */
export interface MemberRead {
  readonly of: string;
  readonly name: string;
}

export function membersIn(node: ASTNode): readonly MemberRead[] {
  const inside = listChildren(node).flatMap(membersIn);
  if (node.op !== "." && node.op !== ".?") return inside;
  const [object, name] = node.args;
  return object.op === "id" ? [{ of: object.args, name }, ...inside] : inside;
}

/** Parts of an expression; macros are not expanded. */
function listChildren(node: ASTNode): readonly ASTNode[] {
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

/** Strings and comments. */
const literals = /r?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|\/\/.*/g;

/** Operators of other languages, with their equivalent in CEL. */
const operators: Readonly<Record<string, string>> = {
  and: "&&",
  or: "||",
  not: "!",
  "=": "==",
  "<>": "!=",
  "===": "==",
};

/** The first operator of another language in an expression that CEL rejects. */
export function foreignOperator(text: string): ExpressionFault | undefined {
  const code = text.replace(literals, (each) => " ".repeat(each.length));
  const found = /(?<![.\w])(?:and|or|not)(?![\w(.])|<>|={3}|(?<![=!<>])=(?!=)/i.exec(code);
  const instead = found && operators[found[0].toLowerCase()];
  return found && instead ? { message: `CEL writes ${instead} for ${found[0]}`, offset: found.index } : undefined;
}

export function functionNames(environment: Environment): ReadonlySet<string> {
  return new Set(environment.getDefinitions().functions.map(({ name }) => name));
}

/** Explains a call of an unknown function; undefined if the function exists, so that its arguments are wrong. */
export function unknownFunction(word: string, functions: ReadonlySet<string>): string | undefined {
  return functions.has(word) ? undefined : `unknown function ${word}${didYouMean(word, functions)}`;
}

/** The word at the end of a message of the library, or the function whose call it quotes. */
export function faultyWord(summary: string): string {
  return /(?:: |\.|')(\w+)(?:$|\([^']*\)'$)/.exec(summary)?.[1] ?? "";
}
