import { counted, joinedByAnd } from "../base/text-format.ts";
import type { Member } from "../state/worker-store.ts";
import type { Work } from "./chunks.ts";

/** Milliseconds between two looks at which runs are over, while there are any to log. */
const pollInterval = 2000;

/** Logs a line for each run that a worker has worked for, once that is over or the log is disposed. */
export interface RunLog extends Disposable {
  /** Counts a chunk whose result was saved. */
  readonly count: (work: Pick<Work, "run" | "workspace" | "chunk">) => void;
}

/** What this worker did for a run. */
interface Tally {
  readonly workspace: string;
  readonly began: number;
  chunks: number;
  read: number;
  written: number;
}

/**
 * `members` is asked in the background, beside what the worker does: no work waits for its answer, and a failure of it is
 * left to those who do.
 */
export function createRunLog(say: (sentence: string) => void, members: () => Promise<readonly Member[]>): RunLog {
  const tallies = new Map<string, Tally>();
  let timer: NodeJS.Timeout | undefined;
  const settle = (isActive: (run: string) => boolean) => {
    for (const [run, tally] of tallies) {
      if (isActive(run)) continue;
      tallies.delete(run);
      say(lineOf(run, tally));
    }
  };
  const poll = async () => {
    const active = await members().catch(() => undefined);
    if (active) settle((run) => active.some(({ id }) => id === run));
    // Disposed, or nothing is left to log.
    if (tallies.size === 0) stop();
    else if (timer) timer = setTimeout(poll, pollInterval).unref();
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    count: ({ run, workspace, chunk }) => {
      const tally = tallies.get(run) ?? { workspace, began: performance.now(), chunks: 0, read: 0, written: 0 };
      tallies.set(run, tally);
      tally.chunks++;
      if (chunk.kind === "read") tally.read += chunk.projects.length;
      else tally.written += chunk.batches.flat().length;
      timer ??= setTimeout(poll, pollInterval).unref();
    },
    [Symbol.dispose]: () => {
      stop();
      settle(() => false);
    },
  };
}

function lineOf(run: string, { workspace, began, chunks, read, written }: Tally): string {
  const did = [
    ...(read > 0 ? [`read ${counted(read, "project")}`] : []),
    ...(written > 0 ? [`wrote ${counted(written, "change")}`] : []),
  ];
  const seconds = Math.round((performance.now() - began) / 1000);
  const of = workspace === "" ? "" : ` of ${workspace}`;
  return `Run ${run}${of}: ${joinedByAnd(did)} in ${counted(chunks, "chunk")}, over ${seconds} s`;
}
