import { type ExitCode, exitCode, userErrorOf } from "../base/exit.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import { countOutcomes, endWord, runEnd, runReasons } from "../plan/run-end.ts";
import { plan } from "../run/plan.ts";
import type { Applied, Planned, Request } from "../run/request.ts";
import { claimFor, newRun } from "../state/lease.ts";
import { keptReasons, recordRun } from "../state/run-summary.ts";
import type { WorkspaceState } from "../state/state.ts";

export interface CheckEnd extends Pick<Planned, "plan" | "catalogue" | "compared"> {
  /** True if everything was checked, not only changes since a commit. */
  readonly whole: boolean;
  readonly applied?: Applied;
  readonly errors: readonly ReportedProblem[];
  readonly run: string | null;
  readonly exitCode: ExitCode;
  /** `in sync`, `drift`, `pending`, `applied`, `failed`, `refused`, `stale`, `interrupted`. */
  readonly outcome: string;
  readonly seconds: number;
  readonly finishedAt: Date;
}

export interface Trigger {
  /** The check may be limited to changes since this commit; omitted: everything is checked. */
  readonly since?: string | undefined;
  /** The check is limited to these projects. */
  readonly projects?: readonly string[] | undefined;
  /** Errors of the checkout. If there are any, nothing is applied. */
  readonly errors: readonly ReportedProblem[];
}

/** Checks these projects, or the changes since a commit, or everything if they cannot be determined. */
export async function checkNow(
  request: Request,
  { since, projects }: Pick<Trigger, "since" | "projects">,
): Promise<{ readonly planned: Planned; readonly whole: boolean }> {
  const asks = { ...request, command: "watch", authors: true } as const;
  if (projects) {
    const names = new Set(projects.map((each) => each.toLowerCase()));
    const planned = await plan({ ...asks, shard: (project) => names.has(project.toLowerCase()) });
    return { planned, whole: false };
  }
  if (since === undefined) return { planned: await plan(asks), whole: true };
  const planned = await plan({ ...asks, since });
  if (planned.compared || request.signal?.aborted) return { planned, whole: false };
  return { planned: await plan(asks), whole: true };
}

export function codeAfter(
  { plan: { problems, resource_changes: changes } }: Planned,
  applied: Applied | undefined,
  errors: readonly ReportedProblem[],
  interrupted: boolean,
): ExitCode {
  const { outcomes, refused, stale } = applied ?? {};
  const end = runEnd({ problems: [...problems, ...errors], outcomes, refused, interrupted });
  const { applied: done } = countOutcomes(outcomes?.values() ?? []);
  return exitCode({ ...end, stale: end.stale || stale === true, pending: changes.length > done });
}

export function runOf({ recorded }: Planned): string | null {
  return recorded && "run" in recorded ? recorded.run : null;
}

/** The outcome of a check in a word; `hasDrifted`: true if any difference is drift. */
export function outcomeOf({ exitCode, plan, compared }: Omit<CheckEnd, "outcome">, hasDrifted: boolean): string {
  const inSync = compared && plan.resource_changes.length > 0 ? "applied" : "in sync";
  return endWord(exitCode, hasDrifted ? "drift" : "pending") ?? inSync;
}

/** For a check whose manifests have errors. Resolves to its run; null if the state could not store it. */
export async function recordBlockedCheck(
  state: WorkspaceState,
  { env }: Request,
  { plan: { manifests, problems } }: Planned,
  began: Date,
): Promise<string | null> {
  const { run, who, host, job } = claimFor(newRun(began), env);
  const recorded = recordRun(state, {
    ...{ run, command: "watch", who, host, ...(job !== undefined && { job }), commit: manifests.commit },
    ...{ started: began.toISOString(), ended: new Date().toISOString(), outcome: "failed", changes: 0, touched: {} },
    ...keptReasons(runReasons({ problems })),
  });
  return (await userErrorOf(recorded)) === undefined ? run : null;
}
