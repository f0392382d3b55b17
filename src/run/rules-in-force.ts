import { readdirSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { describeSystemError } from "../base/system-errors.ts";
import { type Parsed, parseManifest } from "../manifest/document.ts";
import { expiryProblems } from "../manifest/expiry.ts";
import { problemIn, sortedProblems } from "../manifest/problem.ts";
import { type PlanRule, readOutsideRules, shadowed } from "../manifest/rules.ts";
import { validate } from "../manifest/validate.ts";
import { addressTest, projectNamed, projectPart } from "../model/identity.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { DesiredProject, Problem, Project } from "../model/types.ts";
import { type Plan, planDigest } from "../plan/plan.ts";
import {
  type CompiledRule,
  compileRules,
  evaluateRules,
  objectionsToChange,
  type RuleContext,
  withRuleFindings,
} from "../plan/rules/evaluate.ts";
import { staleOutcome } from "../plan/stale.ts";
import { warnIfReachable } from "../secrets/providers-file.ts";
import { loadWorkspace, textReader, workspaceAbove } from "../workspace/load.ts";
import { entriesBelow, type Located } from "../workspace/walk.ts";
import type { Step } from "./apply/apply.ts";
import { type Checked, type Context, digestWithExpired } from "./context.ts";
import type { Request } from "./request.ts";

type InForce = Pick<Context, "rules" | "today" | "loaded">;

/** The rules of a workspace and of EVENKEEL_RULES. `root`: the workspace, to warn if it contains that folder. */
export function rulesInForce(
  rules: readonly PlanRule[],
  { EVENKEEL_RULES: folderName }: Request["env"],
  today: string,
  root?: string,
): { readonly rules: readonly CompiledRule[]; readonly problems: readonly Problem[] } {
  const folder: Parsed = folderName === undefined ? { documents: [], problems: [] } : readRulesFolder(folderName);
  const outside = readOutsideRules(folder.documents);
  const compiled = compileRules([...rules, ...outside.rules]);
  // A merge request could edit rules inside the workspace.
  const places = folderName ? [folderName, ...folder.documents.map(({ file }) => file)] : [];
  const what = "rules of EVENKEEL_RULES are";
  const reachable = places.flatMap((each) => {
    return root === undefined ? [] : warnIfReachable(root, each, "rules-folder", what, "change them");
  });
  const problems = [
    ...folder.problems,
    ...outside.problems,
    ...shadowed(rules, outside.rules),
    ...expiryProblems([], outside.rules, today),
    ...compiled.problems,
    ...reachable.slice(0, 1),
  ];
  return { rules: compiled.rules, problems };
}

export async function withRules(context: Checked): Promise<Checked> {
  const { declaredRules, request, today, loaded } = context;
  const { rules, problems } = rulesInForce(declaredRules, request.env, today, loaded.root);
  return {
    ...context,
    rules,
    problems: problems.length > 0 ? sortedProblems([...context.problems, ...problems]) : context.problems,
  };
}

export function withRuleObjections(plan: Plan, context: InForce, projects: readonly Project[]): Plan {
  if (context.rules.length === 0 && !plan.warnings.some(({ from_rule }) => from_rule)) return plan;
  return withRuleFindings(plan, evaluateRules(plan, context.rules, ruleContext(context, projects)));
}

/**
 * Adds the objections of the rules to a merged plan as a whole. If its manifests are not those of the surrounding
 * workspace, it keeps the objections of its parts.
 */
export async function mergedByRules(
  plan: Plan,
  { folder, env, today }: Required<Pick<Request, "folder" | "env" | "today">>,
): Promise<Plan> {
  if (!workspaceAbove(folder)) return plan;
  const loaded = loadWorkspace(folder);
  const { expired, rules: stated } = validate(loaded, today);
  if (digestWithExpired(loaded.digest, expired) !== plan.manifests.digest) return plan;
  const { rules, problems } = rulesInForce(stated, env, today);
  const projects = plan.resource_changes.map(({ project, project_id: id, project_path: fullPath }) => {
    return { ...projectNamed(project), ...(id !== undefined && { id }), ...(fullPath !== undefined && { fullPath }) };
  });
  const merged = withRuleFindings(plan, evaluateRules(plan, rules, ruleContext({ today, loaded }, projects)));
  const errors = bySeverity(problems).problems;
  if (errors.length === 0) return merged;
  const reported = { ...merged, problems: [...merged.problems, ...errors] };
  return { ...reported, digest: planDigest(reported) };
}

/** Skips steps, computed right before their writes, to which a rule objects only now. */
export function stepsAllowedByRules(
  steps: readonly Step[],
  context: Context,
  desired: DesiredProject,
): readonly Step[] {
  if (context.rules.length === 0) return steps;
  const rules = ruleContext(context, [desired.project]);
  return steps.map((step) => {
    if (!("change" in step)) return step;
    const [objection] = objectionsToChange(rules.catalogue, step.change, context.rules, rules);
    return objection ? { address: step.change.address, outcome: staleOutcome(objection.message) } : step;
  });
}

function ruleContext({ today, loaded }: Pick<InForce, "today" | "loaded">, projects: readonly Project[]): RuleContext {
  const named = new Map(projects.map((project) => [project.name, project]));
  const projectOf = (name: string) => named.get(name) ?? projectNamed(name);
  return {
    today,
    catalogue: loaded.workspace.catalogue,
    projectOf,
    means: (glob) => {
      const test = addressTest(glob);
      return (address) => test(address, projectOf(projectPart(address)));
    },
  };
}

/** Rules that cannot be read are a problem, so that no one can bypass them. */
function readRulesFolder(folder: string): Parsed {
  const why = errorAt(folder);
  if (why) return { documents: [], problems: [problemIn(folder || ".", "rules-folder", `EVENKEEL_RULES ${why}`)] };
  const root = resolve(folder);
  const problems: Problem[] = [];
  const list = ({ path, real }: Located) => {
    try {
      return readdirSync(real, { withFileTypes: true });
    } catch (error) {
      problems.push(problemIn(join(folder, path), "unreadable", `cannot be read (${describeSystemError(error)})`));
      return [];
    }
  };
  const found = entriesBelow({ path: "", real: root }, { list, counts: (_, { name }) => !name.startsWith(".") });
  const files = found.map(({ path }) => path).filter((path) => /\.ya?ml$/i.test(path));
  const readText = textReader(root);
  const read = files.sort().map((name): Parsed => {
    const file = join(folder, name);
    const content = readText(name);
    if ("text" in content) return parseManifest(file, content.text);
    return { documents: [], problems: [{ ...content.problem, place: { file, line: 1, column: 1 } }] };
  });
  if (files.length === 0)
    problems.push(problemIn(folder, "rules-folder", "EVENKEEL_RULES: no .yaml or .yml file there"));
  return {
    documents: read.flatMap(({ documents }) => documents),
    problems: [...problems, ...read.flatMap((each) => each.problems)],
  };
}

function errorAt(folder: string): string | undefined {
  if (folder === "") return "is empty; expected a folder with rules";
  try {
    return statSync(folder).isDirectory() ? undefined : "is not a folder";
  } catch (error) {
    return `cannot be read: ${describeSystemError(error)}`;
  }
}
