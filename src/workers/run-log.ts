import { counted } from "../base/text-format.ts";
import type { Work } from "./chunks.ts";

/** A line for each run that a worker has worked for. */
export interface RunLog {
  /** Counts a chunk whose result was saved. */
  readonly count: (work: Pick<Work, "run" | "workspace" | "chunk">) => void;
  /** Whether any run was not logged yet. */
  readonly isOpen: () => boolean;
  /** Logs the runs that are not active any more. */
  readonly settle: (active: ReadonlySet<string>) => void;
}

interface Tally {
  readonly workspace: string;
  readonly began: number;
  chunks: number;
  read: number;
  written: number;
}

/** `now` in milliseconds. */
export function createRunLog(say: (sentence: string) => void, now: () => number): RunLog {
  const tallies = new Map<string, Tally>();
  return {
    count: ({ run, workspace, chunk }) => {
      const tally = tallies.get(run) ?? { workspace, began: now(), chunks: 0, read: 0, written: 0 };
      tallies.set(run, tally);
      tally.chunks++;
      if (chunk.kind === "read") tally.read += chunk.projects.length;
      else tally.written += chunk.batches.flat().length;
    },
    isOpen: () => tallies.size > 0,
    settle: (active) => {
      for (const [run, tally] of tallies) {
        if (active.has(run)) continue;
        tallies.delete(run);
        say(lineOf(run, tally, now()));
      }
    },
  };
}

function lineOf(run: string, { workspace, began, chunks, read, written }: Tally, end: number): string {
  const did = [
    ...(read > 0 ? [`${counted(read, "project")} read`] : []),
    ...(written > 0 ? [`${counted(written, "change")} sent`] : []),
  ];
  const of = workspace === "" ? "" : ` of ${workspace}`;
  return `Run ${run}${of}: ${did.join(", ")} in ${counted(chunks, "chunk")}, over ${Math.round((end - began) / 1000)} s`;
}
