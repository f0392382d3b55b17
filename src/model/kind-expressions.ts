import { celEnvironment, compileExpression, type Language, type MemberRead } from "../base/cel.ts";
import { UserError } from "../base/exit.ts";
import { isObject } from "../base/json.ts";
import { memoized } from "../base/memoize.ts";
import { didYouMean } from "../base/nearest.ts";
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

const compiledFor = memoized((names: string) =>
  memoized((text: string) => {
    const compiled = compileKindExpression(text, names.split(" "), "any");
    if ("fault" in compiled) throw new Error(`${text}: ${compiled.fault}`);
    return compiled;
  }),
);

/**
 * Evaluates an expression of a kind with its variables (`row`; `want` and `row`; `before` and `after`); undefined if it
 * reads something that is missing. CEL is loaded on first use. @throws UserError if it cannot be evaluated; Error for an
 * invalid one, which no checked kind has.
 */
export function evaluateKind(text: string, given: Given): Plain | undefined {
  return compiledFor(Object.keys(given).join(" "))(text).valueOf(given);
}

/** Compiles a CEL expression of a kind's file, with optional values and regular expressions of linear time. */
export function compileKindExpression(
  text: string,
  names: readonly string[],
  type: "bool" | "any",
): KindExpression | { readonly fault: string } {
  const compiled = compileExpression(text, languageOf(names.join(" ")), type);
  if ("fault" in compiled) return { fault: compiled.fault.message };
  const evaluate = (given: Given) => {
    const result = compiled.evaluate(given);
    if ("value" in result) return toPlain(result.value);
    if (missing.has(result.code)) return undefined;
    throw new UserError(`it cannot be evaluated: ${result.fault.message}`);
  };
  return { valueOf: evaluate, members: compiled.members };
}

const missing: ReadonlySet<string> = new Set(["no_such_key", "index_out_of_bounds", "optional_value_missing"]);

function toPlain(value: unknown): Plain {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(toPlain);
  if (!isObject(value)) return value as Plain;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, toPlain(each)]));
}

const languageOf = memoized((joined: string): Language => {
  const names = joined.split(" ");
  return {
    environment: names.reduce((sum, name) => sum.registerVariable(name, "dyn"), celEnvironment()),
    explain: (code, word) =>
      code === "unknown_variable"
        ? `unknown name ${word}${didYouMean(word, names) || `; it knows ${names.join(" and ")}`}`
        : undefined,
  };
});
