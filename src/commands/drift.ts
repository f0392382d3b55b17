import { type PlanOptions, planAs } from "./plan.ts";
import type { Run } from "./verbs.ts";

/** `evenkeel drift`: a plan whose exit code tells whether anything is pending. */
export const run: Run<PlanOptions> = (terminal, options) =>
  planAs("drift", terminal, { ...options, detailedExitcode: true });
