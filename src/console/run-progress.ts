import { progressText } from "../report/runs.ts";
import type { LiveRuns } from "../state/live-runs.ts";
import type { RunSummary } from "../state/run-summary.ts";

/** How far a run is, as a page tells it. */
export interface ShownProgress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** How far a run is that goes on; undefined for one that does not. */
export function progressOf({ run, ended, progress }: RunSummary, { runs }: LiveRuns): ShownProgress | undefined {
  if (ended !== null || !runs.has(run)) return undefined;
  if (!progress) return { done: 0, total: 0, text: "running" };
  const { done, total } = progress;
  return { done, total, text: progressText(progress) };
}
