import { codequality } from "./codequality.ts";
import { github } from "./github.ts";
import { planHtml } from "./html/html.ts";
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

/** Every kind of report that can be made of a plan. */
export const planSurfaces: Readonly<Record<Exclude<PlanKind, OwnKind>, Surface>> = {
  ...findingSurfaces,
  markdown: planMarkdown,
  html: ({ plan }) => planHtml(plan),
  terraform,
  prometheus,
  ndjson,
};
