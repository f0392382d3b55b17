import type { ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { RE2JS, RE2JSException } from "re2js";
import { load } from "./load.ts";
import { memoized } from "./memoize.ts";
import { didYouMean } from "./nearest.ts";

export interface ExpressionFault {
  readonly message: string;
  readonly offset: number;
}

/** Far more than an expression needs, and far less than would be slow to parse. */
const limits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 100 };

/** Replaces `matches`, whose implementation in the library backtracks, and anybody may write rules. */
const linearMatch = "re2find";

/** CEL with optional values and regular expressions of linear time. */
export function celEnvironment(): Environment {
  const { Environment: Language }: typeof import("@marcbachmann/cel-js") = load("@marcbachmann/cel-js");
  return new Language({ enableOptionalTypes: true, limits }).registerFunction(
    `string.${linearMatch}(string): bool`,
    (text: string, pattern: string) => compiledPattern(pattern).matcher(text).find(),
  );
}

const compiledPattern = memoized((pattern: string) => RE2JS.compile(pattern));

export interface Language {
  readonly environment: Environment;
  /** The message for an error of the library by its code and the name in it; undefined to keep the library's message. */
  readonly explain: (code: string, word: string, isRunning: boolean) => string | undefined;
}

export interface Expression {
  readonly evaluate: (
    given: Readonly<Record<string, unknown>>,
  ) => { readonly value: unknown } | { readonly fault: ExpressionFault; readonly code: string };
  readonly members: () => readonly MemberRead[];
  readonly start: number;
}

/** Compiles an expression; a boolean one as far as types show before it is evaluated. */
export function compileExpression(
  text: string,
  language: Language,
  expected: "bool" | "any" = "bool",
): Expression | { readonly fault: ExpressionFault } {
  try {
    const expression = language.environment.parse(text);
    const { ast } = expression;
    for (const call of listMatches(ast)) {
      const fault = patternFault(call.args[2][0]);
      if (fault) return { fault };
      call.args[0] = linearMatch;
    }
    const { valid, type = "", error } = expression.check();
    if (!valid && error) throw error;
    if (expected === "bool" && type !== "bool" && type !== "dyn") {
      const article = /^[aeiou]/.test(type) ? "an" : "a";
      return { fault: { message: `expected true or false, got ${article} ${type}`, offset: ast.start } };
    }
    const evaluate: Expression["evaluate"] = (given) => {
      try {
        return { value: expression({ ...given }) };
      } catch (error) {
        return describeError(error, language, true);
      }
    };
    return { evaluate, members: () => membersIn(ast), start: ast.start };
  } catch (error) {
    return { fault: foreignOperator(text) ?? describeError(error, language, false).fault };
  }
}

function describeError(error: unknown, { environment, explain }: Language, isRunning: boolean) {
  const { code = "", summary = "it cannot be evaluated", range } = error as Partial<ParseError>;
  // The word at the end of a message of the library, or the function whose call it quotes.
  const word = /(?:: |\.|')(\w+)(?:$|\([^']*\)'$)/.exec(summary)?.[1] ?? "";
  const words = code === "no_matching_overload" ? unknownFunction(word, environment) : explain(code, word, isRunning);
  const message = words ?? summary.slice(0, 1).toLowerCase() + summary.slice(1);
  return { code, fault: { message: message.replaceAll(linearMatch, "matches"), offset: range?.start ?? 0 } };
}

/** A call of `matches`: its name, receiver and arguments. */
interface MatchCall {
  readonly args: [name: string, receiver: ASTNode, parameters: readonly [ASTNode]];
}

function listMatches(node: ASTNode): readonly MatchCall[] {
  const inside = listChildren(node).flatMap(listMatches);
  const isMatch = node.op === "rcall" && ["matches", linearMatch].includes(node.args[0]) && node.args[2].length === 1;
  return isMatch ? [node as unknown as MatchCall, ...inside] : inside;
}

function patternFault(node: ASTNode): ExpressionFault | undefined {
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

/** A member that an expression reads from a variable, such as `active` of `before`. */
export interface MemberRead {
  readonly of: string;
  readonly name: string;
}

function membersIn(node: ASTNode): readonly MemberRead[] {
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
function foreignOperator(text: string): ExpressionFault | undefined {
  const code = text.replace(literals, (each) => " ".repeat(each.length));
  const found = /(?<![.\w])(?:and|or|not)(?![\w(.])|<>|={3}|(?<![=!<>])=(?!=)/i.exec(code);
  const instead = found && operators[found[0].toLowerCase()];
  return found && instead ? { message: `CEL writes ${instead} for ${found[0]}`, offset: found.index } : undefined;
}

/** Explains a call of an unknown function; undefined if the function exists, so that its arguments are wrong. */
function unknownFunction(word: string, environment: Environment): string | undefined {
  const names = new Set(environment.getDefinitions().functions.map(({ name }) => name));
  return names.has(word) ? undefined : `unknown function ${word}${didYouMean(word, names)}`;
}
