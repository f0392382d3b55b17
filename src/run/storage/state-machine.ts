import type { RepositoryKind } from "../../model/repository-kinds.ts";
import type { ListedMove, StorageView } from "./storage-view.ts";

export interface Situation {
  /** Projects still on the source; undefined for kinds that cannot be counted. */
  readonly left: readonly string[] | undefined;
  readonly running: number;
  readonly failed: readonly string[];
  readonly moved: readonly string[];
  readonly unclean: readonly string[];
  readonly reportsMoves: boolean;
}

/** Interprets one check. Moves in `known` ended before this run and are ignored. */
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

export interface Attempts {
  readonly kind: RepositoryKind;
  /** Number of times that this run has scheduled the moves, and may do so again. */
  readonly scheduled: number;
  readonly repeats: number;
  /** True if moves may be running that the server does not report yet. */
  readonly mayRun: boolean;
  /** The reason why it is unknown whether the last request reached the server. */
  readonly unanswered: string | undefined;
  /** Consecutive checks without a running move or a change. */
  readonly quietReads: number;
  readonly seen: string | undefined;
}

export const maxRepeats = 3;

/** Idle checks before scheduled moves are considered ended; doubled with each attempt. */
const patience = { telling: 3, silent: 10 } as const;

export function advance(attempts: Attempts, situation: Situation): Attempts {
  const { left, running, moved, failed } = situation;
  const seen = JSON.stringify([left?.length, moved.length, failed]);
  const happens = running > 0 || (attempts.seen !== undefined && attempts.seen !== seen);
  const unanswered = happens ? undefined : attempts.unanswered;
  return {
    ...attempts,
    seen,
    unanswered,
    quietReads: happens || attempts.seen === undefined ? 0 : attempts.quietReads + 1,
  };
}

/** The attempts after a request; `unanswered` if it may not have reached the server. */
export function countRequest(attempts: Attempts, unanswered?: string): Attempts {
  return { ...attempts, scheduled: attempts.scheduled + 1, mayRun: true, quietReads: 0, unanswered };
}

export type Decision = "wait" | "schedule" | "done" | "failed" | "unknown";

/**
 * Decides the next step (docs/storage-moves.md). Nothing is scheduled while moves run, or before possible ones had time
 * to appear. An unanswered request is not repeated.
 */
export function decide(attempts: Attempts, situation: Situation): Decision {
  const { left, running, failed, reportsMoves } = situation;
  if (left?.length === 0) return "done";
  if (running > 0 || attempts.quietReads < choosePatience(attempts, situation)) return "wait";
  if (attempts.unanswered !== undefined) return "unknown";
  if (left === undefined && attempts.mayRun && failed.length === 0) return "done";
  if (attempts.scheduled <= attempts.repeats) return "schedule";
  return reportsMoves ? "failed" : "unknown";
}

function choosePatience({ mayRun, scheduled }: Attempts, { left, reportsMoves }: Situation): number {
  const canShow = left !== undefined || reportsMoves;
  if (!mayRun || !canShow) return 0;
  return (reportsMoves ? patience.telling : patience.silent) * 2 ** Math.max(0, scheduled - 1);
}
