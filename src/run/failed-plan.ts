import { UserError } from "../base/exit.ts";
import { withoutSecrets } from "../base/known-secrets.ts";
import { version } from "../base/version.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { catalogueOf } from "../model/catalogue.ts";
import { bySeverity } from "../model/problem-line.ts";
import type { Problem } from "../model/types.ts";
import { planOf } from "../plan/make-plan.ts";
import { planDigest } from "../plan/plan.ts";
import type { Checked, Heading } from "./context.ts";
import type { Planned } from "./request.ts";
import { StalePlan } from "./saved-plan.ts";

const unknown: Heading = { url: "", manifests: { digest: "", commit: null } };

/**
 * The empty plan of a run that failed early, because of problems in its workspace or an error. UserError and CallFailed
 * become problems; other errors are rethrown with secrets redacted.
 */
export function failedPlan(context: Checked | undefined, error?: unknown): Planned {
  const problems = error === undefined ? [] : [toProblem(error)];
  const { heading = unknown, problems: known = [] } = context ?? {};
  const catalogue = context?.loaded.workspace.catalogue ?? catalogueOf();
  const contents = { differences: [], objections: [], problems: [...known, ...problems], reads: 0 };
  const plan = planOf({ ...heading, version, createdAt: new Date().toISOString(), ...contents });
  const nothing: Planned = { plan, catalogue, differences: [], compared: false, missing: [] };
  if (!(error instanceof StalePlan)) return nothing;
  return { ...withProblems({ ...nothing, plan: error.plan }, problems), stale: true };
}

function toProblem(error: unknown): Problem {
  if (error instanceof UserError) return { severity: "error", rule: "setup", message: withoutSecrets(error).message };
  if (error instanceof CallFailed) return { severity: "error", rule: error.kind, message: explainCallFailure(error) };
  throw withoutSecrets(error);
}

/** Adds problems to a plan and updates its digest. */
export function withProblems<Result extends Planned>(planned: Result, more: readonly Problem[]): Result {
  if (more.length === 0) return planned;
  const { problems, warnings } = bySeverity(more);
  const before = planned.plan;
  const plan = { ...before, problems: [...before.problems, ...problems], warnings: [...before.warnings, ...warnings] };
  return { ...planned, plan: { ...plan, digest: planDigest(plan) } };
}
