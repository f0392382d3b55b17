import { thousands } from "../base/text.ts";
import type { JournalLine } from "../state/journal-entry.ts";
import type { RunSummary } from "../state/run-summary.ts";
import type { WorkspaceState } from "../state/state.ts";

/** How far a run is. */
export interface RunProgress {
  readonly done: number;
  readonly total: number;
  readonly text: string;
}

/** How far a run is that goes on, by its journal; undefined for one that does not. */
export async function progressOf(state: WorkspaceState, { run, ended }: RunSummary): Promise<RunProgress | undefined> {
  if (ended !== null || (await state.leases.holder())?.run !== run) return undefined;
  return progressIn((await state.journals.read(run)) ?? []);
}

/** How far a run is by the lines of its journal. */
export function progressIn(lines: readonly JournalLine[]): RunProgress {
  const start = lines.find(({ event }) => event === "start");
  const done = lines.filter(({ event }) => event === "result").length;
  if (start?.event !== "start") return { done: 0, total: 0, text: "Reading and comparing; no write was sent yet." };
  const { changes: total } = start;
  return { done, total, text: `${thousands(done)} of ${thousands(total)} changes answered.` };
}
