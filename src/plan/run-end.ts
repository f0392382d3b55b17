import { type ExitCode, exit, type Facts } from "../base/exit.ts";
import type { Outcome, OutcomeStatus } from "../model/types.ts";

/** What a run leaves behind, as far as its exit code and its history tell. */
export interface RunEnd {
  readonly problems: readonly unknown[];
  /** What became of each change; left out where nothing was to be written. */
  readonly outcomes?: ReadonlyMap<string, Outcome> | undefined;
  /** Objections that were not waived. */
  readonly refused?: readonly unknown[] | undefined;
  /** Whether a saved plan is stale as a whole. */
  readonly stale?: boolean | undefined;
  readonly interrupted?: boolean;
}

export type OutcomeCounts = Readonly<Record<OutcomeStatus, number>>;

/** How a run ended, for its exit code (docs/running.md) and for the word in its history. */
export function runEnd({ problems, outcomes = new Map(), refused = [], stale = false, interrupted = false }: RunEnd) {
  const { failed, unknown, skipped, stale: staleChanges } = countOutcomes(outcomes.values());
  return {
    interrupted,
    refused: refused.length > 0,
    problem: !stale && (problems.length > 0 || failed + unknown + skipped > 0),
    stale: stale || staleChanges > 0,
  } satisfies Facts;
}

/** How many changes ended in each way. */
export function countOutcomes(outcomes: Iterable<Outcome>): OutcomeCounts {
  const counts = { applied: 0, failed: 0, skipped: 0, stale: 0, unknown: 0 };
  for (const { status } of outcomes) counts[status] += 1;
  return counts;
}

/** How a run ended, in a word; undefined where its exit code says that nothing is left to do. */
export function endWord(code: ExitCode, differs: "drift" | "pending" = "pending"): string | undefined {
  return { ...words, [exit.pending]: differs }[code];
}

const words: Readonly<Partial<Record<ExitCode, string>>> = {
  [exit.interrupted]: "interrupted",
  [exit.refused]: "refused",
  [exit.problem]: "failed",
  [exit.stale]: "stale",
};
