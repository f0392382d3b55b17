import type { Report, Surface } from "./report.ts";

/**
 * Variables for later jobs of a pipeline: `NAME=value` lines, as both GitLab's dotenv reports and GitHub's step outputs
 * take them. Each value is a number, a word or the name of a run, so none needs quotes.
 */
export const dotenv: Surface = (report) => {
  const variables = report.compared ? variablesOf(report) : { pending: "unknown" };
  return Object.entries(variables)
    .map(([name, value]) => `EVENKEEL_PLAN_${name.toUpperCase()}=${value}`)
    .join("\n");
};

function variablesOf({ plan: { summary, resource_changes }, saved }: Report): object {
  const { create, update, disable, delete: deleted, loosened } = summary;
  const pending = resource_changes.some(({ outcome }) => outcome?.status !== "applied");
  return { ...(saved && { run: saved }), pending, create, update, disable, delete: deleted, loosened };
}
