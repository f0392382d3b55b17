import { compileExpression, type Expression, type ExpressionFault } from "../../base/cel.ts";
import { firstFew } from "../../base/text-format.ts";
import { isExpired } from "../../manifest/expiry.ts";
import { expressionProblem } from "../../manifest/problem.ts";
import type { PlanRule } from "../../manifest/rules.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { bySeverity } from "../../model/problem-line.ts";
import type { Change, Place, Problem, Project } from "../../model/types.ts";
import type { Objection } from "../guards.ts";
import { plannedChange } from "../make-plan.ts";
import { type Plan, planDigest } from "../plan.ts";
import {
  type ChangeSubject,
  type ChangeView,
  type CountsOfPlan,
  changeSubject,
  PlanView,
  ruleLanguage,
} from "./view.ts";

export interface CompiledRule extends PlanRule {
  readonly expression: Expression;
}

/** Compiles rules; returns the valid ones and the problems of the others. CEL is loaded with the first rule. */
export function compileRules(rules: readonly PlanRule[]) {
  const compiled: CompiledRule[] = [];
  const problems: Problem[] = [];
  for (const rule of rules) {
    const { document, when: text, on } = rule;
    const expression = compileExpression(text, ruleLanguage(on));
    if (!("fault" in expression)) compiled.push({ ...rule, expression });
    else problems.push(expressionProblem("rule-expression", { document, key: "when", text }, expression.fault));
  }
  return { rules: compiled, problems };
}

export interface RuleContext {
  /** The day (UTC) on which exceptions may have expired. */
  readonly today: string;
  /** Tests addresses against a glob, under each name of their projects. */
  readonly means: (glob: string) => (address: string) => boolean;
  /** The project that addresses of the plan name this way. */
  readonly projectOf: (name: string) => Project;
  readonly catalogue: Catalogue;
}

/** Evaluates every rule for a plan. A rule that cannot be evaluated objects: unknown must not pass for allowed. */
export function evaluateRules(
  plan: Pick<Plan, "resource_changes"> & { readonly summary: CountsOfPlan },
  rules: readonly CompiledRule[],
  context: RuleContext,
) {
  const changes = plan.resource_changes.map((planned) => changeSubject(planned, context));
  const sources = new Map(plan.resource_changes.map(({ address, source }) => [address, source]));
  const findings = [...rules].sort(byNameAndPlace).flatMap((rule) => {
    const subject = withoutExceptions(changes, rule, context);
    return rule.on === "plan" ? askPlan(rule, plan.summary, subject) : askChanges(rule, subject);
  });
  const ofSeverity = (severity: PlanRule["severity"]) => findings.filter(({ rule }) => rule.severity === severity);
  return {
    objections: ofSeverity("error").map((finding): Objection => {
      return { guard: "rule", message: sentence(finding), addresses: finding.addresses, name: finding.rule.name };
    }),
    warnings: ofSeverity("warning").map((finding) => toWarning(finding, sources)),
  };
}

export function objectionsToChange(
  catalogue: Catalogue,
  change: Change,
  rules: readonly CompiledRule[],
  context: RuleContext,
): readonly Objection[] {
  const ofChanges = rules.filter(({ on, severity }) => on === "change" && severity === "error");
  const planned = plannedChange(change, catalogue);
  return evaluateRules({ resource_changes: [planned], summary: ofNothing }, ofChanges, context).objections;
}

const ofNothing: CountsOfPlan = { projects: 0, live: 0, unmanaged: 0, unverified: 0 };

export function withRuleFindings(plan: Plan, { objections, warnings }: ReturnType<typeof evaluateRules>): Plan {
  const others = plan.warnings.filter(({ from_rule }) => !from_rule);
  const rest = {
    ...plan,
    objections: [...plan.objections.filter(({ guard }) => guard !== "rule"), ...objections],
    warnings: [...others, ...bySeverity(warnings).warnings],
  };
  return { ...rest, digest: planDigest(rest) };
}

function byNameAndPlace(a: PlanRule, b: PlanRule): number {
  const [left, right] = [a, b].map(({ name, document }) => `${name}\0${document.file}`) as [string, string];
  return left < right ? -1 : Number(left > right);
}

function withoutExceptions(changes: readonly ChangeSubject[], rule: PlanRule, context: RuleContext) {
  if (rule.except.length === 0 || isExpired(rule, context.today)) return changes;
  const tests = rule.except.map(context.means);
  return changes.filter(({ planned: { address } }) => !tests.some((isMeant) => isMeant(address)));
}

interface Finding {
  readonly rule: PlanRule;
  readonly addresses: readonly string[];
  readonly undecided?: ExpressionFault;
}

function askPlan(rule: CompiledRule, counts: CountsOfPlan, changes: readonly ChangeSubject[]): readonly Finding[] {
  const undecided = unknownPath(changes) ?? evaluateRule(rule, new PlanView(counts, changes));
  if (undecided === false) return [];
  return [{ rule, addresses: [], ...(undecided !== true && { undecided }) }];
}

function askChanges(rule: CompiledRule, changes: readonly ChangeSubject[]): readonly Finding[] {
  const holds: string[] = [];
  const unknown = new Map<string, { undecided: ExpressionFault; addresses: string[] }>();
  for (const change of changes) {
    const { address } = change.planned;
    const answer = unknownPath([change]) ?? evaluateRule(rule, change.view);
    if (answer === true) holds.push(address);
    if (typeof answer === "boolean") continue;
    const key = `${answer.offset} ${answer.message}`;
    const others = unknown.get(key) ?? { undecided: answer, addresses: [] };
    unknown.set(key, others);
    others.addresses.push(address);
  }
  return [
    ...(holds.length > 0 ? [{ rule, addresses: holds }] : []),
    ...[...unknown.values()].map((each) => ({ rule, ...each })),
  ];
}

function unknownPath(changes: readonly ChangeSubject[]): ExpressionFault | undefined {
  const unknown = changes.find(({ path }) => path === undefined);
  return unknown && { message: `the full path of project ${unknown.planned.project} is not known`, offset: 0 };
}

function evaluateRule({ expression, on }: CompiledRule, view: ChangeView | PlanView): boolean | ExpressionFault {
  const answer = expression.evaluate({ [on]: view });
  if ("fault" in answer) return answer.fault;
  if (typeof answer.value === "boolean") return answer.value;
  return { message: "it is neither true nor false there", offset: expression.start };
}

/** Located at the change, where a reviewer looks; a rule on plans at the rule itself. */
function toWarning(finding: Finding, sources: ReadonlyMap<string, Place>): Problem {
  const { rule, addresses } = finding;
  const place = sources.get(addresses[0] ?? "") ?? rule.document.place(["when"]);
  return { severity: "warning", rule: `rule/${rule.name}`, fromRule: true, message: sentence(finding), place };
}

function sentence({ rule: { name, message, when, document }, addresses, undecided }: Finding): string {
  const place = undecided ? document.within(["when"], when, undecided.offset) : document.place(["when"], "key");
  const at = `${place.file}:${place.line}${undecided ? `:${place.column}` : ""}`;
  if (!undecided)
    return [`rule ${name}: ${message} (${at})`, ...(addresses.length > 0 ? [firstFew(addresses)] : [])].join(": ");
  const missing = /^there is no /.test(undecided.message) ? "; test with has() what not every change has" : "";
  const where = addresses.length > 0 ? ` for ${firstFew(addresses)}` : "";
  return `rule ${name} cannot be evaluated${where}: ${undecided.message} (${at})${missing}`;
}
