import type { EvaluationError, ParseError } from "@marcbachmann/cel-js";
import {
  expressionLimits,
  faultyWord,
  foreignOperator,
  functionNames,
  linearMatch,
  type MemberRead,
  membersIn,
  unknownFunction,
  withLinearMatch,
  withLinearPatterns,
} from "../base/cel.ts";
import { UserError } from "../base/exit.ts";
import { isObject } from "../base/json.ts";
import { load } from "../base/load.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
import type { KindExpressions } from "./kind-row.ts";
import type { ResourceKind } from "./resource-kind.ts";
import type { Plain } from "./types.ts";

type Given = Readonly<Record<string, unknown>>;

export interface KindExpression {
  /**
   * Evaluates it; integers become JSON numbers. Undefined if it reads something that is missing. @throws UserError if
   * it cannot be evaluated.
   */
  readonly valueOf: (given: Given) => Plain | undefined;
  readonly members: () => readonly MemberRead[];
}

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

/** Compiles a CEL expression of a kind's file, with optional values and regular expressions of linear time. */
export function compileKindExpression(
  text: string,
  names: readonly string[],
  type: "bool" | "any",
): KindExpression | { readonly fault: string } {
  try {
    const environment = createEnvironment(names.join(" "));
    const linear = withLinearPatterns(text, environment);
    if ("fault" in linear) return { fault: linear.fault.message };
    const expression = environment.parse(linear.text);
    const { valid, type: found = "", error } = expression.check();
    if (!valid && error) throw error;
    if (type === "bool" && found !== "bool" && found !== "dyn")
      return { fault: `expected true or false, got ${found}` };
    return {
      valueOf: (given) => evaluateCel(() => expression({ ...given })),
      members: () => membersIn(expression.ast),
    };
  } catch (error) {
    return { fault: foreignOperator(text)?.message ?? describeFault(error, names) };
  }
}

function evaluateCel(evaluate: () => unknown): Plain | undefined {
  try {
    return toPlain(evaluate());
  } catch (error) {
    const { code = "", summary } = error as Partial<EvaluationError>;
    if (missing.has(code)) return undefined;
    if (summary === undefined) throw error;
    throw new UserError(`it cannot be evaluated: ${simplify(summary)}`);
  }
}

const missing: ReadonlySet<string> = new Set(["no_such_key", "index_out_of_bounds", "optional_value_missing"]);

function toPlain(value: unknown): Plain {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value as Plain;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlain(each)]));
}

const createEnvironment = memoized((names: string) => {
  const { Environment }: typeof import("@marcbachmann/cel-js") = load("@marcbachmann/cel-js");
  return names
    .split(" ")
    .reduce(
      (environment, name) => environment.registerVariable(name, "dyn"),
      withLinearMatch(new Environment({ enableOptionalTypes: true, limits: expressionLimits })),
    );
});

function describeFault(error: unknown, names: readonly string[]): string {
  const { code, summary = "it cannot be read" } = error as Partial<ParseError>;
  const word = faultyWord(summary);
  if (code === "unknown_variable")
    return `unknown name ${word}${didYouMean(word, names) || `; it knows ${names.join(" and ")}`}`;
  if (code !== "no_matching_overload") return simplify(summary);
  return unknownFunction(word, functionNames(createEnvironment(names.join(" ")))) ?? simplify(summary);
}

function simplify(summary: string): string {
  return (summary.slice(0, 1).toLowerCase() + summary.slice(1)).replaceAll(linearMatch, "matches");
}
