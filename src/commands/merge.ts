import { dayOf } from "../base/day.ts";
import { type ExitCode, exit, exitCode, UserError } from "../base/exit.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Outcome } from "../model/types.ts";
import { mergePlans, type NamedPlan } from "../plan/merge.ts";
import type { Plan } from "../plan/plan.ts";
import { runEnd } from "../plan/run-end.ts";
import { outcomesText } from "../report/outcomes.ts";
import { planText } from "../report/text.ts";
import { failedPlan } from "../run/failed-plan.ts";
import { mergedByRules } from "../run/rules-in-force.ts";
import { planPath, readReport } from "../run/saved-plan.ts";
import { catalogueAround } from "../workspace/load.ts";
import type { Run } from "./command.ts";
import { outInPlace, printProblems, writeTo } from "./outputs.ts";
import { openPlanReports, type WriteReports, withFailureReport } from "./plan-reports.ts";
import { folderOf } from "./run-request.ts";
import type { Options } from "./table.ts";
import type { Terminal } from "./terminal.ts";

/** `evenkeel merge PLAN...`: merges the plans of shards, and evaluates the rules for the result; offline. */
export const run: Run<Options<"merge">> = async (terminal, asked, files) => {
  const options = outInPlace(terminal, asked);
  const write = await openPlanReports(terminal, "merge", options);
  const nothing = (refusal: UserError) => {
    const { plan, catalogue, compared } = failedPlan(undefined, refusal);
    const json = () => JSON.stringify(plan, null, 2);
    write({ text: () => "", json }, { plan, catalogue, exitCode: refusal.code, compared });
  };
  return withFailureReport(nothing, () => merging(terminal, options, files, write));
};

async function merging(
  terminal: Terminal,
  options: Options<"merge">,
  files: readonly string[],
  write: WriteReports,
): Promise<ExitCode> {
  const catalogue = catalogueAround(folderOf(terminal, options));
  const [first, ...others] = await Promise.all(files.map((file) => partOf(terminal, file, catalogue)));
  if (!first) throw new UserError("merge needs the plans of the shards", exit.usage);
  const parts = [first, ...others] as const;
  const today = dayOf(new Date());
  const plan = await mergedByRules(mergePlans(parts), {
    folder: folderOf(terminal, options),
    env: terminal.env,
    today,
  });
  const json = JSON.stringify(plan, null, 2);
  const compared = parts.some(({ plan: { summary, problems } }) => summary.projects > 0 || problems.length === 0);
  const code = exitCode({
    ...runEnd({ problems: plan.problems, outcomes: outcomesIn(plan) }),
    pending: options.detailedExitcode === true && plan.summary.writes > 0,
  });
  printProblems(terminal, plan);
  if (options.out) writeTo(terminal, options.out, json);
  write(
    { text: () => (compared ? mergedPlanText(terminal, plan, catalogue) : ""), json: () => json },
    { plan, catalogue, exitCode: code, compared },
  );
  return code;
}

async function partOf({ cwd }: Terminal, name: string, catalogue: Catalogue): Promise<NamedPlan> {
  return { name, plan: await readReport(planPath(cwd, name), catalogue) };
}

function outcomesIn({ resource_changes: changes }: Plan): ReadonlyMap<string, Outcome> {
  return new Map(changes.flatMap(({ address, outcome }) => (outcome ? [[address, outcome] as const] : [])));
}

function mergedPlanText({ palette }: Terminal, plan: Plan, catalogue: Catalogue): string {
  return plan.summary.outcomes ? outcomesText(plan, palette) : planText(plan, catalogue, palette);
}
