import { codequality } from "./codequality.ts";
import { dotenv } from "./dotenv.ts";
import { github } from "./github.ts";
import { junit } from "./junit.ts";
import { lineUrl } from "./links.ts";
import { findingsMarkdown, planMarkdown } from "./markdown.ts";
import { ndjson } from "./ndjson.ts";
import { prometheus } from "./prometheus.ts";
import type { FindingRenderer, Renderer } from "./report.ts";
import type { FindingKind, OwnKind, PlanKind } from "./report-kinds.ts";
import { sarif } from "./sarif.ts";
import { terraform } from "./terraform.ts";

/** Renderers of reports that need problems alone. */
export const findingRenderers: Readonly<Record<Exclude<FindingKind, OwnKind>, FindingRenderer>> = {
  markdown: findingsMarkdown,
  sarif,
  junit,
  codequality,
  github,
};

type PlanRenderers = Readonly<Record<Exclude<PlanKind, OwnKind | "html">, Renderer>> & { readonly html?: Renderer };

const renderers: PlanRenderers = { ...findingRenderers, markdown: planMarkdown, terraform, dotenv, prometheus, ndjson };

/** Renderers of all reports of a plan. The page of the HTML report is loaded only if it is requested. */
export async function planRenderers(requested: readonly string[]): Promise<PlanRenderers> {
  if (!requested.includes("html")) return renderers;
  const { planHtml } = await import("./html/plan-page.ts");
  return {
    ...renderers,
    html: ({ plan, catalogue, command, links, folder, next }) =>
      planHtml(plan, catalogue, { command, next, lineUrl: (place) => lineUrl(links, folder, place) }),
  };
}
