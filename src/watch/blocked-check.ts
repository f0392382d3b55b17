import { UserError } from "../base/exit.ts";
import { runReasons } from "../plan/run-end.ts";
import type { Planned, Request } from "../reconcile/request.ts";
import { claimFor, newRun } from "../state/claim.ts";
import { keptReasons } from "../state/run-summary.ts";
import type { WorkspaceState } from "../state/state.ts";

/**
 * Keeps a check as a run that never opened its own state, because its manifests have errors. Resolves to its name; null
 * if the state could not keep it.
 */
export async function recordBlockedCheck(
  { runs }: WorkspaceState,
  { env }: Request,
  { plan: { manifests, problems } }: Planned,
  began: Date,
): Promise<string | null> {
  const { run, who, host, job } = claimFor(newRun(began), env);
  try {
    await runs.record({
      run,
      command: "watch",
      who,
      host,
      ...(job !== undefined && { job }),
      started: began.toISOString(),
      ended: new Date().toISOString(),
      outcome: "failed",
      ...keptReasons(runReasons({ problems })),
      changes: 0,
      commit: manifests.commit,
      touched: {},
    });
    return run;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}
