import type { RunSummary } from "../state/run-summary.ts";

/** A run, and the runs right before it that saw the very same. */
export interface FoldedRun {
  readonly run: RunSummary;
  /** Newest first. */
  readonly earlier: readonly RunSummary[];
}

/** Commands that only check: of those that see the same again and again, the last one tells all. */
const checks = new Set(["watch", "drift"]);

/** Runs, newest first, with consecutive checks that saw the same as one. */
export function foldedRuns(runs: readonly RunSummary[]): readonly FoldedRun[] {
  const folded: { readonly run: RunSummary; readonly earlier: RunSummary[] }[] = [];
  for (const run of runs) {
    const last = folded.at(-1);
    if (last && sawTheSame(last.earlier.at(-1) ?? last.run, run)) last.earlier.push(run);
    else folded.push({ run, earlier: [] });
  }
  return folded;
}

function sawTheSame(later: RunSummary, run: RunSummary): boolean {
  if (!checks.has(run.command) || run.ended === null) return false;
  const isAlike = (["command", "who", "outcome", "changes", "commit", "plan"] as const).every(
    (name) => later[name] === run[name],
  );
  return isAlike && JSON.stringify([later.fleet, later.reasons]) === JSON.stringify([run.fleet, run.reasons]);
}
