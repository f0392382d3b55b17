import { type ASTNode, Environment, type EvaluationError, type ParseError } from "@marcbachmann/cel-js";
import {
  type ExpressionFault,
  expressionLimits,
  faultyWord,
  foreignOperator,
  functionNames,
  linearMatch,
  unknownFunction,
  withLinearMatch,
  withLinearPatterns,
} from "../../base/cel.ts";
import { didYouMean } from "../../base/nearest.ts";
import { hostsIn, originsIn } from "../../base/origins.ts";
import { fullPathOf, renamed } from "../../model/identity.ts";
import type { Fields, Project, Value } from "../../model/types.ts";
import { isScalar } from "../../model/values.ts";
import { type PlannedChange, type Summary, visibleOf } from "../plan.ts";

/** The properties of a change in rules, with their CEL types. */
const changeFields = {
  address: "string",
  project: "string",
  project_id: "int",
  kind: "string",
  key: "string",
  action: "string",
  before: "map<string, dyn>",
  after: "map<string, dyn>",
  policy_effect: "string",
  lost_notifications: "list<string>",
  moved_notifications: "list<string>",
  reason: "string",
  action_reason: "string",
  file: "string",
} as const;

/** The properties of a plan in rules: its counts, without changes that the rule excepts. */
const summaryFields = {
  projects: "int",
  changed_projects: "int",
  live: "int",
  create: "int",
  update: "int",
  replace: "int",
  disable: "int",
  delete: "int",
  tightened: "int",
  loosened: "int",
  lost_notifications: "int",
  unmanaged: "int",
  unverified: "int",
} as const;

/** The members of `plan`. */
const planFields = { changes: "list<Change>", summary: "Summary" } as const;

/** The fields of a missing side: empty, and the only mapping that equals null. */
const nothing: CelFields = {};

type CelFields = Readonly<Record<string, unknown>>;

/**
 * A change in rules. Address and project are those of the server, whichever way manifests name the project: an ID, or
 * a path in capitals, must not bypass a rule on paths.
 */
export class ChangeView {
  readonly address: string;
  /** The full path, or the name in the plan if it is unknown. */
  readonly project: string;
  /** 0 if unknown. */
  readonly project_id: bigint;
  readonly kind: string;
  readonly key: string;
  readonly action: string;
  readonly before: CelFields;
  readonly after: CelFields;
  /** Empty if the change neither tightens nor loosens. */
  readonly policy_effect: string;
  /** Lost events, in sentences; empty if none are known. */
  readonly lost_notifications: readonly string[];
  /** Moved events; empty if none are known. */
  readonly moved_notifications: readonly string[];
  /** The `reason` of the deciding policy; empty if it gives none. */
  readonly reason: string;
  readonly action_reason: string;
  readonly file: string;
  /** The planned change, which is not visible to rules. */
  readonly listed: string;
  readonly isPathKnown: boolean;

  constructor(planned: PlannedChange, named: Project) {
    const { action, before, after, policyEffect = "", ...rest } = visibleOf(planned);
    const path = fullPathOf(named);
    this.listed = rest.address;
    this.isPathKnown = path !== undefined;
    this.project = path ?? planned.project;
    this.address = renamed(rest.address, this.project);
    this.project_id = BigInt(named.id ?? 0);
    this.kind = planned.kind;
    this.key = rest.key;
    this.action = action;
    this.before = celFields(before);
    this.after = celFields(after);
    this.policy_effect = policyEffect;
    this.lost_notifications = planned.lost_notifications ?? [];
    this.moved_notifications = planned.moved_notifications ?? [];
    this.reason = planned.policy_reason ?? "";
    this.action_reason = planned.action_reason;
    this.file = planned.source.file;
  }
}

/** The counts of a plan that do not follow from its changes. */
export type CountsOfPlan = Pick<Summary, "projects" | "live" | "unmanaged" | "unverified">;

/** The counts of a plan in rules: a member for each of `summaryFields`. */
class SummaryView {
  constructor(counts: Readonly<Record<keyof typeof summaryFields, number>>) {
    Object.assign(this, Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count)])));
  }
}

function summaryOf(counts: CountsOfPlan, changes: readonly ChangeView[]): SummaryView {
  const { projects, live, unmanaged, unverified } = counts;
  const having = (key: "action" | "policy_effect", value: string) =>
    changes.filter((change) => change[key] === value).length;
  return new SummaryView({
    ...{ projects, live, unmanaged, unverified },
    changed_projects: new Set(changes.map(({ project }) => project)).size,
    create: having("action", "create"),
    update: having("action", "update"),
    replace: having("action", "replace"),
    disable: having("action", "disable"),
    delete: having("action", "delete"),
    tightened: having("policy_effect", "tightened"),
    loosened: having("policy_effect", "loosened"),
    lost_notifications: changes.filter((change) => change.lost_notifications.length > 0).length,
  });
}

/** A plan in rules. */
export class PlanView {
  readonly changes: readonly ChangeView[];
  readonly summary: SummaryView;

  constructor(summary: CountsOfPlan, changes: readonly ChangeView[]) {
    this.changes = changes;
    this.summary = summaryOf(summary, changes);
  }
}

function celFields(fields: Fields | null): CelFields {
  if (fields === null) return nothing;
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, celValue(value)]));
}

/** A whole number is an int, as in an expression; a secret is a mapping with its reference. */
function celValue(value: Value): unknown {
  if (typeof value === "number" && Number.isSafeInteger(value)) return BigInt(value);
  if (isScalar(value)) return value;
  if (Array.isArray(value)) return value.map(celValue);
  return celFields({ ...value } as Fields);
}

/** A compiled expression; `ask` returns its value or an error, and never throws. */
export interface Expression {
  readonly tree: ASTNode;
  readonly ask: (view: ChangeView | PlanView) => { readonly value: unknown } | { readonly fault: ExpressionFault };
}

/** The name of the variable is the subject of the rule. */
type Root = "change" | "plan";

/** CEL for rules on changes, or on plans: its optional values, and regular expressions that take linear time. */
export function compileExpression(text: string, root: Root): Expression | { readonly fault: ExpressionFault } {
  try {
    const linear = withLinearPatterns(text, environments[root]);
    if ("fault" in linear) return linear;
    const expression = environments[root].parse(linear.text);
    const { valid, type = "", error } = expression.check();
    if (!valid && error) throw error;
    if (type !== "bool" && type !== "dyn") {
      return { fault: { message: `expected true or false, got ${typeWord(type)}`, offset: expression.ast.start } };
    }
    return { tree: expression.ast, ask: (view) => evaluateSafely(() => expression({ [root]: view }), root) };
  } catch (error) {
    return { fault: foreignOperator(text) ?? faultOf(error, root) };
  }
}

function typeWord(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function evaluateSafely(evaluate: () => unknown, root: Root): ReturnType<Expression["ask"]> {
  try {
    return { value: evaluate() };
  } catch (error) {
    return { fault: faultOf(error, root, []) };
  }
}

const environments = { change: environmentFor("change"), plan: environmentFor("plan") } as const;

function environmentFor(root: Root): Environment {
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

/** `known`: the names to suggest for a misspelled word. */
function faultOf(error: unknown, root: Root, known: readonly string[] = names): ExpressionFault {
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
