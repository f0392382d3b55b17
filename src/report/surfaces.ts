import { codequality } from "./codequality.ts";
import { dotenv } from "./dotenv.ts";
import { github } from "./github.ts";
import { junit } from "./junit.ts";
import { findingsMarkdown, planMarkdown } from "./markdown.ts";
import { ndjson } from "./ndjson.ts";
import { prometheus } from "./prometheus.ts";
import type { FindingSurface, Surface } from "./report.ts";
import type { FindingKind, OwnKind, PlanKind } from "./report-kinds.ts";
import { sarif } from "./sarif.ts";
import { terraform } from "./terraform.ts";

/** Every kind of report that can be made of mistakes alone. */
export const findingSurfaces: Readonly<Record<Exclude<FindingKind, OwnKind>, FindingSurface>> = {
  markdown: findingsMarkdown,
  sarif,
  junit,
  codequality,
  github,
};

type PlanSurfaces = Readonly<Record<Exclude<PlanKind, OwnKind | "html">, Surface>> & { readonly html?: Surface };

const surfaces: PlanSurfaces = { ...findingSurfaces, markdown: planMarkdown, terraform, dotenv, prometheus, ndjson };

/** Every kind of report that can be made of a plan. The page of the HTML report is loaded where it is asked for. */
export async function planSurfaces(asked: readonly string[]): Promise<PlanSurfaces> {
  if (!asked.includes("html")) return surfaces;
  const { planHtml } = await import("./html/html.ts");
  return { ...surfaces, html: ({ plan }) => planHtml(plan) };
}
