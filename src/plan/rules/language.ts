import { type ASTNode, Environment, type EvaluationError, type ParseError } from "@marcbachmann/cel-js";
import { RE2JS, RE2JSException } from "re2js";
import { memoized } from "../../base/memoize.ts";
import { didYouMean } from "../../base/nearest.ts";
import { childrenOf, linearMatch } from "./cost.ts";
import { hostsIn, originsIn } from "./origins.ts";
import { ChangeView, changeFields, nothing, PlanView, planFields, SummaryView, summaryFields } from "./view.ts";

/** What is wrong with an expression, and before which of its characters. */
export interface ExpressionFault {
  readonly message: string;
  readonly offset: number;
}

/** An expression that knows its names; `ask` gives its value or why there is none, and never throws. */
export interface Expression {
  readonly tree: ASTNode;
  /** States of its largest pattern. */
  readonly patternSize: number;
  readonly ask: (view: ChangeView | PlanView) => { readonly value: unknown } | { readonly fault: ExpressionFault };
}

/** What a variable is called is what the rule is asked on. */
type Root = "change" | "plan";

/** CEL for rules on changes, or on plans: its optional values, and regular expressions that take linear time. */
export function compileExpression(text: string, root: Root): Expression | { readonly fault: ExpressionFault } {
  try {
    const patterns = patternsIn(environments[root].parse(text).ast);
    const fault = patterns.map(patternFault).find((each) => each !== undefined);
    if (fault) return { fault };
    const linear = withLinearPatterns(text, patterns);
    if (linear === undefined) return { fault: { message: "expected no comment inside a call of matches", offset: 0 } };
    const expression = environments[root].parse(linear);
    const { valid, type = "", error } = expression.check();
    if (!valid && error) throw error;
    if (type !== "bool" && type !== "dyn") {
      return { fault: { message: `expected true or false, got ${typeWord(type)}`, offset: expression.ast.start } };
    }
    const patternSize = Math.max(0, ...patterns.map(sizeOf));
    return { tree: expression.ast, patternSize, ask: (view) => asked(() => expression({ [root]: view }), root) };
  } catch (error) {
    return { fault: faultOf(error, root) };
  }
}

function typeWord(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function asked(evaluate: () => unknown, root: Root): ReturnType<Expression["ask"]> {
  try {
    return { value: evaluate() };
  } catch (error) {
    return { fault: faultOf(error, root, []) };
  }
}

/** Far more than a rule needs, and far less than what takes time to parse. */
const limits = { maxAstNodes: 1000, maxDepth: 50, maxListElements: 500, maxMapEntries: 100 };

const compiledPattern = memoized((pattern: string) => RE2JS.compile(pattern));

const environments = { change: environmentFor("change"), plan: environmentFor("plan") } as const;

function environmentFor(root: Root): Environment {
  return new Environment({ enableOptionalTypes: true, limits })
    .registerType("Change", { ctor: ChangeView, fields: { ...changeFields } })
    .registerType("Summary", { ctor: SummaryView, fields: { ...summaryFields } })
    .registerType("Plan", { ctor: PlanView, fields: { ...planFields } })
    .registerOperator("map == null", (fields: unknown) => fields === nothing)
    .registerFunction(`string.${linearMatch}(string): bool`, (text: string, pattern: string) =>
      compiledPattern(pattern).matcher(text).find(),
    )
    .registerFunction("string.origins(): list<string>", (text: string) => [...originsIn(text)])
    .registerFunction("string.hosts(): list<string>", (text: string) => [...hostsIn(text)])
    .registerVariable(root, root === "change" ? "Change" : "Plan");
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
function withLinearPatterns(text: string, patterns: readonly Pattern[]): string | undefined {
  const rewritten = patterns.reduce(
    (done, { at }) => done.slice(0, at) + linearMatch + done.slice(at + linearMatch.length),
    text,
  );
  const left = patternsIn(environments.plan.parse(rewritten).ast).filter(
    ({ at }) => !rewritten.startsWith(linearMatch, at),
  );
  return left.length > 0 ? undefined : rewritten;
}

type CelError = ParseError | EvaluationError;

/** `known`: the names that a word may be a misspelling of. */
function faultOf(error: unknown, root: Root, known: readonly string[] = names): ExpressionFault {
  const { code = "", summary = "it cannot be evaluated", range } = error as Partial<CelError>;
  const [, word = ""] = faultyWord.exec(summary) ?? [];
  const message = explanations[code]?.(word, root, known) ?? plainly(summary);
  return { message: message.replaceAll(linearMatch, "matches"), offset: range?.start ?? 0 };
}

/** The word that a message of the library ends in, or the function whose call it quotes. */
const faultyWord = /(?:: |\.|')(\w+)(?:$|\([^']*\)'$)/;

const explanations: Readonly<
  Record<string, (word: string, root: Root, known: readonly string[]) => string | undefined>
> = {
  unknown_variable: (word, root) => {
    if (word === otherRoot[root]) return `${word} is only known with on: ${word}`;
    return `unknown name ${word}${didYouMean(word, [root]) || `; a rule on a ${root} knows ${root}`}`;
  },
  no_such_key: (word, root, known) => {
    const hint = known.length > 0 ? didYouMean(word, known) || `; expected one of ${rootFields[root]}` : "";
    return `there is no ${word}${hint}`;
  },
  no_matching_overload: (word) =>
    functions.has(word) ? undefined : `unknown function ${word}${didYouMean(word, functions)}`,
};

const otherRoot = { change: "plan", plan: "change" } as const;
const rootFields = {
  change: Object.keys(changeFields).join(", "),
  plan: "changes, summary, the fields of a change, or a count of the summary",
} as const;

const names = [...Object.keys(changeFields), ...Object.keys(summaryFields), ...Object.keys(planFields)];
const functions = new Set(environments.plan.getDefinitions().functions.map(({ name }) => name));

function plainly(summary: string): string {
  return summary.slice(0, 1).toLowerCase() + summary.slice(1);
}
