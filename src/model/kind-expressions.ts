import type { ASTNode, EvaluationError, ParseError } from "@marcbachmann/cel-js";
import { type Bound, costOf, linearMatch } from "../base/cel/cost.ts";
import { exactBound, type JsonSize, jsonSizeOf, roughBound } from "../base/cel/json-bound.ts";
import { type MemberRead, membersIn } from "../base/cel/members.ts";
import { faultyWord, foreignOperator, functionNames, unknownFunction } from "../base/cel/mistakes.ts";
import { expressionLimits, withLinearMatch, withLinearPatterns } from "../base/cel/patterns.ts";
import { UserError } from "../base/exit.ts";
import { isObject } from "../base/json.ts";
import { load } from "../base/load.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import type { KindExpressions } from "./kind-row.ts";
import type { ResourceKind } from "./resource-kind.ts";
import { TooLongError } from "./too-long-error.ts";
import type { Plain } from "./types.ts";

/** What an expression of a kind is given, by the names that it knows. */
type Given = Readonly<Record<string, unknown>>;

/** An expression of a kind that knows its names. */
export interface KindExpression {
  /**
   * Its value in the numbers of JSON; undefined where what it is given lacks something that it reads.
   * @throws UserError where it cannot be evaluated, or could take too long.
   */
  readonly valueOf: (given: Given) => Plain | undefined;
  /** What it reads of the names that it knows. */
  readonly members: () => readonly MemberRead[];
}

/** The expressions of a kind, each compiled when it is first evaluated. */
export function kindExpressions({ name }: ResourceKind): KindExpressions {
  const compiledFor = memoized((names: string) =>
    memoized((text: string) => {
      const compiled = compileKindExpression(text, names.split(" "), "any");
      if (!("fault" in compiled)) return compiled;
      throw new UserError(`an expression of the kind ${name}: ${compiled.fault}; evenkeel validate shows where`);
    }),
  );
  return { valueOf: (text, given) => compiledFor(Object.keys(given).join(" "))(text).valueOf(given) };
}

/** CEL of a kind's file: its optional values, and regular expressions that take linear time. */
export function compileKindExpression(
  text: string,
  names: readonly string[],
  type: "bool" | "any",
): KindExpression | { readonly fault: string } {
  try {
    const environment = environmentOf(names.join(" "));
    const linear = withLinearPatterns(text, environment);
    if ("fault" in linear) return { fault: linear.fault.message };
    const expression = environment.parse(linear.text);
    const { valid, type: found = "", error } = expression.check();
    if (!valid && error) throw error;
    if (type === "bool" && found !== "bool" && found !== "dyn")
      return { fault: `expected true or false, got ${found}` };
    const isTooLong = timeLimit({ tree: expression.ast, patternSize: linear.patternSize });
    return {
      valueOf: (given) => (isTooLong(given) ? tooLong() : evaluated(() => expression({ ...given }))),
      members: () => membersIn(expression.ast),
    };
  } catch (error) {
    return { fault: foreignOperator(text)?.message ?? faultWords(error, names) };
  }
}

function tooLong(): never {
  throw new TooLongError("it could take too long on a row of this size; nest fewer loops");
}

function evaluated(evaluate: () => unknown): Plain | undefined {
  try {
    return fromCel(evaluate());
  } catch (error) {
    const { code = "", summary } = error as Partial<EvaluationError>;
    if (missing.has(code)) return undefined;
    if (summary === undefined) throw error;
    throw new UserError(`it cannot be evaluated: ${plainly(summary)}`);
  }
}

const missing: ReadonlySet<string> = new Set(["no_such_key", "index_out_of_bounds", "optional_value_missing"]);

function fromCel(value: unknown): Plain {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(fromCel);
  if (!isObject(value)) return value as Plain;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromCel(each)]));
}

/** Steps of one evaluation: some tenths of a second. */
const mostSteps = 10_000_000;

/** What no row of a server exceeds; an expression that is fast on it is never measured. */
const largest: JsonSize = { list: 10_000, text: 256 * 1024, all: 1024 * 1024 };

/** Whether an expression could take too long on what it is given. */
function timeLimit(expression: { readonly tree: ASTNode; readonly patternSize: number }): (given: Given) => boolean {
  const stepsOn = (bounds: ReadonlyMap<string, Bound>) =>
    costOf(expression.tree, { variables: bounds, patternSize: expression.patternSize });
  const stepsOnAny = memoized((key: string) => {
    const [list = 1, text = 1, all = 1, ...names] = key.split(" ").map((part) => Number(part) || part);
    const bound = roughBound({ list: Number(list), text: Number(text), all: Number(all) });
    return stepsOn(new Map(names.map((name) => [String(name), bound])));
  });
  const keyOf = ({ list, text, all }: JsonSize, given: Given) => [list, text, all, ...Object.keys(given)].join(" ");
  let isAlwaysFast: boolean | undefined;
  return (given) => {
    isAlwaysFast ??= stepsOnAny(keyOf(largest, given)) <= mostSteps;
    if (isAlwaysFast || stepsOnAny(keyOf(roughSizeOf(given), given)) <= mostSteps) return false;
    return stepsOn(new Map(Object.entries(given).map(([name, value]) => [name, exactBound(value)]))) > mostSteps;
  };
}

/** Rounded up to powers of two, so that many rows are of one size. */
function roughSizeOf(given: Given): JsonSize {
  const sizes = Object.values(given).map((value) => (isObject(value) ? sizeOf(value) : jsonSizeOf(value)));
  const most = (key: keyof JsonSize) => 2 ** Math.ceil(Math.log2(Math.max(...sizes.map((size) => size[key]))));
  return { list: most("list"), text: most("text"), all: most("all") };
}

const sizeOf = memoized((value: object) => jsonSizeOf(value), new WeakMap());

const environmentOf = memoized((names: string) => {
  const { Environment }: typeof import("@marcbachmann/cel-js") = load("@marcbachmann/cel-js");
  return names
    .split(" ")
    .reduce(
      (environment, name) => environment.registerVariable(name, "dyn"),
      withLinearMatch(new Environment({ enableOptionalTypes: true, limits: expressionLimits })),
    );
});

function faultWords(error: unknown, names: readonly string[]): string {
  const { code, summary = "it cannot be read" } = error as Partial<ParseError>;
  const word = faultyWord(summary);
  if (code === "unknown_variable")
    return `unknown name ${word}${didYouMean(word, names) || `; it knows ${names.join(" and ")}`}`;
  if (code !== "no_matching_overload") return plainly(summary);
  return unknownFunction(word, functionNames(environmentOf(names.join(" ")))) ?? plainly(summary);
}

function plainly(summary: string): string {
  return (summary.slice(0, 1).toLowerCase() + summary.slice(1)).replaceAll(linearMatch, "matches");
}
