import type { Situation } from "./state-machine.ts";

/** Progress of all moves of a run. */
export interface MovingProgress {
  readonly done: number;
  readonly total: number;
  /** Estimated milliseconds for the rest; undefined before anything has moved. */
  readonly remaining: number | undefined;
}

/** Adds up the progress of several moves. */
export interface Tally {
  readonly saw: (address: string, situation: Situation) => void;
}

interface Count {
  readonly first: number;
  readonly done: number;
  readonly total: number;
}

/** A tally that calls `progress` after each check, once there is something to move. */
export function createTally(progress?: (progress: MovingProgress) => void): Tally {
  const start = Date.now();
  const counts = new Map<string, Count>();
  return {
    saw: (address, situation) => {
      counts.set(address, countOf(situation, counts.get(address)));
      const sum = sumOf([...counts.values()], Date.now() - start);
      if (sum.total > 0) progress?.(sum);
    },
  };
}

/** Projects are counted on the source, other repositories by their moves. */
function countOf({ left, running, failed, moved }: Situation, before: Count | undefined): Count {
  const open = left ? left.length : running + failed.length;
  const done = left ? Math.max(0, (before?.total ?? left.length) - left.length) : moved.length;
  return { first: before?.first ?? done, done, total: Math.max(before?.total ?? 0, open + done) };
}

function sumOf(counts: readonly Count[], elapsed: number): MovingProgress {
  const sum = (of: (count: Count) => number) => counts.reduce((total, count) => total + of(count), 0);
  const done = sum((count) => count.done);
  const total = sum((count) => count.total);
  const moved = done - sum((count) => count.first);
  return { done, total, remaining: moved > 0 ? ((total - done) * elapsed) / moved : undefined };
}
