import { codequality, github, sarif } from "./finding-formats.ts";
import { explainFailure } from "./findings.ts";
import { junit } from "./junit.ts";
import { findingsMarkdown, planMarkdown } from "./markdown.ts";
import { prometheus } from "./prometheus.ts";
import {
  type FindingKind,
  type FindingRenderer,
  lineUrl,
  type OwnKind,
  type PlanKind,
  type Renderer,
  type Report,
} from "./report.ts";

/** The largest number that the merge request widget shows. */
const most = 999_999;

/**
 * Counts for the merge request widget, which has three: disabled changes count as deleted, replaced ones as deleted and
 * created. The widget ignores other keys: loosened policies, lost notifications, and the reasons of a failure.
 */
export const terraform: Renderer = ({ plan, exitCode }) => {
  const { summary } = plan;
  const { create, update, replace = 0, disable, delete: deleted, loosened, lost_notifications } = summary;
  const grave = { ...(loosened > 0 && { loosened }), ...(lost_notifications > 0 && { lost_notifications }) };
  const counts = { ...grave, create: create + replace, update, delete: disable + deleted + replace };
  const shown = Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, Math.min(n, most)]));
  return JSON.stringify({ ...shown, ...explainFailure(plan, exitCode) });
};

/** `NAME=value` lines, as GitLab's dotenv reports and GitHub's step outputs take them. No value needs quotes. */
export const dotenv: Renderer = (report) => {
  const counts = report.compared ? countVariables(report) : { pending: "unknown" };
  const variables = { ...counts, ...failureVariables(report), exit_code: report.exitCode };
  return Object.entries(variables)
    .map(([name, value]) => `EVENKEEL_PLAN_${name.toUpperCase()}=${value}`)
    .join("\n");
};

function failureVariables({ plan, exitCode }: Report): object {
  const { blocked_by: blockers, problems, outcomes } = explainFailure(plan, exitCode) ?? {};
  return { ...(blockers && { blocked_by: blockers.join() }), ...(problems && { problems }), ...outcomes };
}

function countVariables({ plan: { summary, resource_changes }, saved }: Report): object {
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

export const findingRenderers: Readonly<Record<Exclude<FindingKind, OwnKind>, FindingRenderer>> = {
  markdown: findingsMarkdown,
  sarif,
  junit,
  codequality,
  github,
};

type PlanRenderers = Readonly<Record<Exclude<PlanKind, OwnKind | "html">, Renderer>> & { readonly html?: Renderer };

const renderers: PlanRenderers = { ...findingRenderers, markdown: planMarkdown, terraform, dotenv, prometheus };

/** Renderers of all reports of a plan. The HTML page is loaded only if requested. */
export async function planRenderers(requested: readonly string[]): Promise<PlanRenderers> {
  if (!requested.includes("html")) return renderers;
  const { planHtml } = await import("./html/report-page.ts");
  return {
    ...renderers,
    html: ({ plan, catalogue, command, links, folder, next }) =>
      planHtml(plan, catalogue, { command, next, lineUrl: (place) => lineUrl(links, folder, place) }),
  };
}
