import type { RepositoryKind } from "../model/repository-kinds.ts";
import type { ListedMove, StorageView } from "./view.ts";

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
  readonly tells: boolean;
}

/** Reads a look. Moves of `known` had ended before, and say nothing of this run. */
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
    tells: moves !== undefined || (held?.some(({ readOnly }) => readOnly !== undefined) ?? false),
  };
}

/** How far a run has come with one migration's repositories of one kind. */
export interface Course {
  readonly kind: RepositoryKind;
  /** How often this run has scheduled the moves, and how often it may do so again. */
  readonly scheduled: number;
  readonly repeats: number;
  /** Whether moves may be under way that the server does not show yet: scheduled by this run, or by an earlier one. */
  readonly covered: boolean;
  /** Why it is not known whether the last scheduling reached the server. */
  readonly unanswered: string | undefined;
  /** Looks in a row that saw nothing run and nothing change. */
  readonly quiet: number;
  readonly seen: string | undefined;
}

/** Failed moves are scheduled again so many times at most. */
export const mostRepeats = 3;

/** Looks that see nothing happen before what was scheduled counts as ended; doubled with each scheduling. */
const patience = { telling: 3, silent: 10 } as const;

/** The course after a look. */
export function advanced(course: Course, situation: Situation): Course {
  const { left, running, moved, failed } = situation;
  const seen = JSON.stringify([left?.length, moved.length, failed]);
  const happens = running > 0 || (course.seen !== undefined && course.seen !== seen);
  const unanswered = happens ? undefined : course.unanswered;
  return { ...course, seen, unanswered, quiet: happens || course.seen === undefined ? 0 : course.quiet + 1 };
}

/** The course after a scheduling; `unanswered` where it may not have reached the server. */
export function scheduledOnce(course: Course, unanswered?: string): Course {
  return { ...course, scheduled: course.scheduled + 1, covered: true, quiet: 0, unanswered };
}

export type Decision = "wait" | "schedule" | "done" | "failed" | "unknown";

/**
 * What to do next (contract 8). Nothing is scheduled while anything is known to run, nor before what may run had time
 * to show itself; a scheduling that nobody answered is not repeated.
 */
export function decide(course: Course, situation: Situation): Decision {
  const { left, running, failed, tells } = situation;
  if (left?.length === 0) return "done";
  if (running > 0 || course.quiet < patienceOf(course, situation)) return "wait";
  if (course.unanswered !== undefined) return "unknown";
  if (left === undefined && course.covered && failed.length === 0) return "done";
  if (course.scheduled <= course.repeats) return "schedule";
  return tells ? "failed" : "unknown";
}

function patienceOf({ covered, scheduled }: Course, { left, tells }: Situation): number {
  const canShow = left !== undefined || tells;
  if (!covered || !canShow) return 0;
  return (tells ? patience.telling : patience.silent) * 2 ** Math.max(0, scheduled - 1);
}
