import { type ExitCode, exit } from "../base/exit.ts";
import type { Plan } from "../plan/plan.ts";

/** Why a run failed, in words and numbers for programs; what there is none of is left out. */
export interface Failure {
  readonly exit_code: ExitCode;
  /** Who objects to the plan, each once: `loosening`, `protected`, `rule`. */
  readonly blocked_by?: readonly string[];
  readonly problems?: number;
  /** Changes by what became of them, but for those that were applied. */
  readonly outcomes?: Readonly<Record<string, number>>;
}

/** Undefined where a run did not fail: pending changes alone are no failure. */
export function failureOf(
  plan: Pick<Plan, "objections" | "problems" | "resource_changes">,
  exitCode: ExitCode,
): Failure | undefined {
  if (exitCode === exit.done || exitCode === exit.pending) return undefined;
  const blockers = new Set(plan.objections.filter(({ waived }) => !waived).map(({ guard }) => guard));
  const outcomes: Record<string, number> = {};
  for (const { outcome } of plan.resource_changes) {
    if (outcome && outcome.status !== "applied") outcomes[outcome.status] = (outcomes[outcome.status] ?? 0) + 1;
  }
  return {
    exit_code: exitCode,
    ...(blockers.size > 0 && { blocked_by: [...blockers] }),
    ...(plan.problems.length > 0 && { problems: plan.problems.length }),
    ...(Object.keys(outcomes).length > 0 && { outcomes }),
  };
}
