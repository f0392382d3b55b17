import type { RepositoryKind } from "../model/repository-kinds.ts";
import type { ListedMove, StorageView } from "./storage-view.ts";

/** What a look at the server says of one migration's repositories of one kind. */
export interface Situation {
  /** Projects still on the source; undefined for kinds that cannot be counted. */
  readonly left: readonly string[] | undefined;
  /** Known to be moving now. */
  readonly running: number;
  /** Whose latest move failed. */
  readonly failed: readonly string[];
  readonly moved: readonly string[];
  /** Moved, and the old copies could not be removed. */
  readonly unclean: readonly string[];
  /** Whether the server says what is moving. */
  readonly reportsMoves: boolean;
}

/** What one look at the server means. Moves in `known` ended before this run, and say nothing about it. */
export function situationOf(
  { held, moves }: StorageView,
  from: string,
  to: string,
  known: ReadonlySet<string> = new Set(),
): Situation {
  const ours = (moves ?? []).filter((move) => move.from === from && !known.has(move.id));
  const byRepository = new Map(ours.map((move) => [move.repository, move]));
  const inPhase = (phase: ListedMove["phase"]) => ours.filter((move) => move.phase === phase);
  const isMoving = ({ id, readOnly }: { readonly id: string; readonly readOnly: boolean | undefined }) =>
    readOnly === true || byRepository.get(id)?.phase === "running";
  const arrived = inPhase("moved").filter((move) => move.to === to);
  return {
    left: held?.map(({ path }) => path),
    running: held ? held.filter(isMoving).length : inPhase("running").length,
    failed: (held
      ? held.filter(({ id }) => byRepository.get(id)?.phase === "failed").map(({ path }) => path)
      : inPhase("failed").map(({ name }) => name)
    ).sort(),
    moved: arrived.map(({ name }) => name),
    unclean: arrived.filter(({ unclean }) => unclean).map(({ name }) => name),
    reportsMoves: moves !== undefined || (held?.some(({ readOnly }) => readOnly !== undefined) ?? false),
  };
}

/** What a run has done so far about one migration's repositories of one kind, and what it saw. */
export interface Attempts {
  readonly kind: RepositoryKind;
  /** How often this run has scheduled the moves, and how often it may do so again. */
  readonly scheduled: number;
  readonly repeats: number;
  /** Whether moves may be under way that the server does not show yet: scheduled by this run, or by an earlier one. */
  readonly mayRun: boolean;
  /** Why it is unknown whether the last scheduling reached the server. */
  readonly unanswered: string | undefined;
  /** Looks in a row that saw nothing run and nothing change. */
  readonly quietLooks: number;
  readonly seen: string | undefined;
}

/** Failed moves are scheduled again so many times at most. */
export const mostRepeats = 3;

/** Looks that see nothing happen before what was scheduled counts as ended; doubled with each scheduling. */
const patience = { telling: 3, silent: 10 } as const;

/** The same after a look. */
export function advanced(attempts: Attempts, situation: Situation): Attempts {
  const { left, running, moved, failed } = situation;
  const seen = JSON.stringify([left?.length, moved.length, failed]);
  const happens = running > 0 || (attempts.seen !== undefined && attempts.seen !== seen);
  const unanswered = happens ? undefined : attempts.unanswered;
  return {
    ...attempts,
    seen,
    unanswered,
    quietLooks: happens || attempts.seen === undefined ? 0 : attempts.quietLooks + 1,
  };
}

/** The same after a scheduling; `unanswered` where it may not have reached the server. */
export function scheduledOnce(attempts: Attempts, unanswered?: string): Attempts {
  return { ...attempts, scheduled: attempts.scheduled + 1, mayRun: true, quietLooks: 0, unanswered };
}

export type Decision = "wait" | "schedule" | "done" | "failed" | "unknown";

/**
 * What to do next (docs/storage-moves.md). Nothing is scheduled while anything is known to run, nor before what may run had time
 * to show itself; a scheduling that no one answered is not repeated.
 */
export function decide(attempts: Attempts, situation: Situation): Decision {
  const { left, running, failed, reportsMoves } = situation;
  if (left?.length === 0) return "done";
  if (running > 0 || attempts.quietLooks < patienceOf(attempts, situation)) return "wait";
  if (attempts.unanswered !== undefined) return "unknown";
  if (left === undefined && attempts.mayRun && failed.length === 0) return "done";
  if (attempts.scheduled <= attempts.repeats) return "schedule";
  return reportsMoves ? "failed" : "unknown";
}

function patienceOf({ mayRun, scheduled }: Attempts, { left, reportsMoves }: Situation): number {
  const canShow = left !== undefined || reportsMoves;
  if (!mayRun || !canShow) return 0;
  return (reportsMoves ? patience.telling : patience.silent) * 2 ** Math.max(0, scheduled - 1);
}
