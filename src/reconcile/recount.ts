import { inParallel } from "../base/concurrency.ts";
import type { Reader } from "../client/client.ts";
import { type RefreshScope, refreshProject } from "../live/survey.ts";
import type { DesiredProject } from "../model/types.ts";
import { partOfPlan } from "../plan/part.ts";
import type { Plan } from "../plan/plan.ts";
import { asksForCounts, type CompiledRule } from "../plan/rules/evaluate.ts";

/**
 * A saved plan with the counts that rules ask for and its changes do not tell, as they are now: whoever can write its file
 * could keep a rule quiet with others. The server is asked only where a rule may ask for one.
 * @throws CallFailed where it ends the run.
 */
export async function recountedForRules(
  reader: Reader,
  plan: Plan,
  rules: readonly CompiledRule[],
  { desired, scope }: { readonly desired: readonly DesiredProject[]; readonly scope: RefreshScope },
): Promise<Plan> {
  if (!rules.some(asksForCounts)) return plan;
  const { includes, target } = partOfPlan(plan);
  const diff: RefreshScope["diff"] = (project) => ({
    ...scope.diff(project),
    target: (address) => target(address, project),
  });
  const part = desired.filter(({ project }) => includes(project));
  const read = await inParallel(part, scope.workers, (each) => refreshProject(reader, each, { ...scope, diff }));
  const found = read.flatMap(({ difference }) => difference ?? []);
  const sum = (of: (each: (typeof found)[number]) => number) => found.reduce((total, each) => total + of(each), 0);
  const counts = {
    projects: found.length,
    live: sum(({ live }) => live),
    unmanaged: sum(({ unmanaged }) => unmanaged),
    unverified: sum(({ unverified }) => unverified.reduce((total, { fields }) => total + fields.length, 0)),
  };
  return { ...plan, summary: { ...plan.summary, ...counts } };
}
