import { type ASTNode, Environment, type EvaluationError, type ParseError } from "@marcbachmann/cel-js";
import {
  compileCondition,
  type ExpressionFault,
  expressionLimits,
  faultyWord,
  functionNames,
  linearMatch,
  unknownFunction,
  withLinearMatch,
} from "../../base/cel.ts";
import { didYouMean } from "../../base/nearest.ts";
import { hostsIn, originsIn } from "../../base/origins.ts";
import { ChangeView, changeFields, nothing, PlanView, planFields, SummaryView, summaryFields } from "./view.ts";

export interface Expression {
  readonly tree: ASTNode;
  readonly ask: (view: ChangeView | PlanView) => { readonly value: unknown } | { readonly fault: ExpressionFault };
}

type Root = "change" | "plan";

/** Compiles a rule on changes or on plans: CEL with optional values and regular expressions of linear time. */
export function compileExpression(text: string, root: Root): Expression | { readonly fault: ExpressionFault } {
  const compiled = compileCondition(text, environments[root], (error) => toFault(error, root));
  if ("fault" in compiled) return compiled;
  const { expression } = compiled;
  return { tree: expression.ast, ask: (view) => evaluateSafely(() => expression({ [root]: view }), root) };
}

function evaluateSafely(evaluate: () => unknown, root: Root): ReturnType<Expression["ask"]> {
  try {
    return { value: evaluate() };
  } catch (error) {
    return { fault: toFault(error, root, []) };
  }
}

const environments = { change: createEnvironment("change"), plan: createEnvironment("plan") } as const;

function createEnvironment(root: Root): Environment {
  return withLinearMatch(new Environment({ enableOptionalTypes: true, limits: expressionLimits }))
    .registerType("Change", { ctor: ChangeView, fields: { ...changeFields } })
    .registerType("Summary", { ctor: SummaryView, fields: { ...summaryFields } })
    .registerType("Plan", { ctor: PlanView, fields: { ...planFields } })
    .registerOperator("map == null", (fields: unknown) => fields === nothing)
    .registerFunction("string.origins(): list<string>", (text: string) => [...originsIn(text)])
    .registerFunction("string.hosts(): list<string>", (text: string) => [...hostsIn(text)])
    .registerVariable(root, root === "change" ? "Change" : "Plan");
}

type CelError = ParseError | EvaluationError;

/** `known`: names to suggest for a misspelled word. */
function toFault(error: unknown, root: Root, known: readonly string[] = names): ExpressionFault {
  const { code = "", summary = "it cannot be evaluated", range } = error as Partial<CelError>;
  const word = faultyWord(summary);
  const message = explanations[code]?.(word, root, known) ?? plainly(summary);
  return { message: message.replaceAll(linearMatch, "matches"), offset: range?.start ?? 0 };
}

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
  no_matching_overload: (word) => unknownFunction(word, functions),
};

const otherRoot = { change: "plan", plan: "change" } as const;
const rootFields = {
  change: Object.keys(changeFields).join(", "),
  plan: "changes, summary, the fields of a change, or a count of the summary",
} as const;

const names = [...Object.keys(changeFields), ...Object.keys(summaryFields), ...Object.keys(planFields)];
const functions = functionNames(environments.plan);

function plainly(summary: string): string {
  return summary.slice(0, 1).toLowerCase() + summary.slice(1);
}
