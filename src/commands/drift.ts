import { type PlanOptions, run as runPlan } from "./plan.ts";
import type { Run } from "./verbs.ts";

/** `evenkeel drift`: a plan whose exit code tells whether anything is pending. */
export const run: Run<PlanOptions> = (terminal, options) =>
  runPlan(terminal, { ...options, detailedExitcode: true }, []);
