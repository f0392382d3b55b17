import { fleetText, progressText } from "../report/runs.ts";
import type { RunProgress, Stage } from "../state/run-progress.ts";
import { noBar, type Progress, type Terminal } from "./terminal.ts";

/** Milliseconds between two lines of progress in a log. */
const betweenLines = 60_000;

/**
 * Shows the progress of a run with workers in its progress bars or, without a terminal, as a line a minute. `now` is in
 * milliseconds.
 */
export function follow(
  { note }: Pick<Terminal, "note">,
  bars: Readonly<Record<Stage, Progress>>,
  now: () => number = () => performance.now(),
) {
  let words = "";
  let told = now();
  const shown = new Map<Stage, readonly [number, number]>();
  const barOf = (stage: Stage) => (done: number, total: number) => {
    shown.set(stage, [done, total]);
    bars[stage].update(done, total, words);
  };
  return {
    reading: barOf("reading"),
    writing: barOf("writing"),
    following: (progress: RunProgress): void => {
      words = fleetText(progress);
      const [done, total] = shown.get(progress.stage) ?? [progress.done, progress.total];
      bars[progress.stage].update(done, total, words);
      if (bars[progress.stage] !== noBar || now() - told < betweenLines) return;
      told = now();
      note(`Still ${progressText(progress)}`);
    },
  };
}
