import { type ExitCode, exit, exitCode } from "../base/exit.ts";
import type { ReportedProblem } from "../model/problem-line.ts";
import type { Plan } from "../plan/plan.ts";
import { plan } from "../reconcile/reconcile.ts";
import type { Applied, Planned, Request } from "../reconcile/request.ts";

/** One look that is over. */
export interface LookEnd {
  readonly plan: Plan;
  /** Whether everything was looked at; else what changed since a commit. */
  readonly whole: boolean;
  readonly surveyed: boolean;
  /** What was carried out of it, where anything was to be. */
  readonly applied?: Applied;
  /** Errors beside those of the plan, such as a checkout that cannot follow. */
  readonly troubles: readonly ReportedProblem[];
  readonly run: string | null;
  readonly exitCode: ExitCode;
  /** In a word: `in sync`, `drift`, `pending`, `applied`, `failed`, `refused`, `stale`, `interrupted`. */
  readonly outcome: string;
  readonly seconds: number;
  readonly finishedAt: Date;
}

/** Looks at what changed since a commit, where that can be told, or at everything. */
export async function lookAt(
  request: Request,
  since: string | undefined,
): Promise<{ readonly planned: Planned; readonly whole: boolean }> {
  const asks = { ...request, command: "watch" } as const;
  if (since === undefined) return { planned: await plan(asks), whole: true };
  const planned = await plan({ ...asks, since });
  if (planned.surveyed || request.signal?.aborted) return { planned, whole: false };
  return { planned: await plan(asks), whole: true };
}

/** What a look and its apply leave behind, as an exit code (contract 4). */
export function codeAfter(
  { plan: { problems, resource_changes: changes } }: Planned,
  applied: Applied | undefined,
  troubles: readonly ReportedProblem[],
  interrupted: boolean,
): ExitCode {
  const outcomes = [...(applied?.outcomes?.values() ?? [])].map(({ status }) => status);
  const done = outcomes.filter((status) => status === "applied").length;
  const stale = outcomes.filter((status) => status === "stale").length;
  return exitCode({
    interrupted,
    refused: (applied?.refused?.length ?? 0) > 0,
    problem: problems.length + troubles.length > 0 || done + stale < outcomes.length,
    stale: stale > 0 || applied?.stale === true,
    pending: changes.length > done,
  });
}

/** The run under which the state keeps a look or an apply; null where it could not. */
export function runOf({ recorded }: Planned): string | null {
  return recorded && "run" in recorded ? recorded.run : null;
}

/** How a look ended, in a word; `hasDrifted`: whether any of what differs is drift. */
export function outcomeOf({ exitCode, plan, surveyed }: Omit<LookEnd, "outcome">, hasDrifted: boolean): string {
  const words: Readonly<Record<number, string>> = {
    [exit.interrupted]: "interrupted",
    [exit.refused]: "refused",
    [exit.problem]: "failed",
    [exit.stale]: "stale",
    [exit.pending]: hasDrifted ? "drift" : "pending",
  };
  return words[exitCode] ?? (surveyed && plan.resource_changes.length > 0 ? "applied" : "in sync");
}
