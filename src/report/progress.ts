import { counted, thousands } from "../base/text-format.ts";
import type { RunProgress, Stage } from "../state/run-progress.ts";
import { remainingText } from "./moves.ts";

/** What stands behind the numbers of a bar: `3 workers, 1,746 of 1,800 requests/min, about 4 min left`. */
export function fleetText(progress: RunProgress): string {
  const { workers, rate, remaining_seconds: left = 0 } = progress;
  const parts = [
    workers === undefined ? "" : counted(workers, "worker"),
    rate ? `${rateText(rate)}/${rate.per}` : "",
    remainingText(left * 1000),
  ];
  return parts.filter(Boolean).join(", ");
}

function rateText({ used, allowed }: NonNullable<RunProgress["rate"]>): string {
  return allowed === null ? `${thousands(used)} requests` : `${thousands(used)} of ${thousands(allowed)} requests`;
}

/** Where a run is: `reading, 1,200 of 3,000 projects, 3 workers, about 4 min left`. */
export function progressText(progress: RunProgress): string {
  const { stage, done, total } = progress;
  return [`${stage}, ${thousands(done)} of ${thousands(total)} projects`, fleetText(progress)]
    .filter(Boolean)
    .join(", ");
}

/** The last reported progress of a run. */
export function lastSeenText({ stage, done, total, at }: RunProgress): string {
  const what: Readonly<Record<Stage, string>> = { reading: "read", writing: "written" };
  return `${thousands(done)} of ${thousands(total)} projects were ${what[stage]} at ${at}`;
}
