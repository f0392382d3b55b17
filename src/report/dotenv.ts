import { failureOf } from "./failure.ts";
import type { Renderer, Report } from "./report.ts";

/**
 * Variables for later jobs of a pipeline: `NAME=value` lines, as both GitLab's dotenv reports and GitHub's step outputs
 * take them. Each value is a number, a word, words between commas or the name of a run, so none needs quotes. The exit
 * code comes last, after why the run failed, where it did.
 */
export const dotenv: Renderer = (report) => {
  const counts = report.compared ? variablesOf(report) : { pending: "unknown" };
  const variables = { ...counts, ...reasonsOf(report), exit_code: report.exitCode };
  return Object.entries(variables)
    .map(([name, value]) => `EVENKEEL_PLAN_${name.toUpperCase()}=${value}`)
    .join("\n");
};

function reasonsOf({ plan, exitCode }: Report): object {
  const { blocked_by: blockers, problems, outcomes } = failureOf(plan, exitCode) ?? {};
  return { ...(blockers && { blocked_by: blockers.join() }), ...(problems && { problems }), ...outcomes };
}

function variablesOf({ plan: { summary, resource_changes }, saved }: Report): object {
  const { create, update, replace, disable, delete: deleted, loosened } = summary;
  const pending = resource_changes.some(({ outcome }) => outcome?.status !== "applied");
  return {
    ...(saved && { run: saved }),
    pending,
    create,
    update,
    ...(replace && { replace }),
    disable,
    delete: deleted,
    loosened,
  };
}
