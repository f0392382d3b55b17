import { counted, firstFew } from "../base/text-format.ts";
import { repositoryKinds } from "../model/repository-kinds.ts";
import type { Problem } from "../model/types.ts";
import { type Move, movesFailed } from "./moves.ts";
import type { Attempts, Situation } from "./state-machine.ts";

/** The error of failed moves: what remains, and how often it was scheduled. */
export function failedError(move: Move, attempts: Attempts, situation: Situation): string {
  const once = move.repeats === 0 ? "; this release may lose a repository that is scheduled again, so it was not" : "";
  return `${stayed(move, situation)} after being scheduled ${times(attempts.scheduled)}${failures(move, situation)}${once}`;
}

/** The error of moves with an unknown outcome. */
export function unknownError(move: Move, attempts: Attempts, situation: Situation): string {
  if (attempts.unanswered !== undefined) {
    return `${attempts.unanswered}; the server may have acted, so the request was not repeated`;
  }
  const silent = "the server does not report whether moves are still running";
  return `${stayed(move, situation)} after being scheduled ${times(attempts.scheduled)}; ${silent}, so run apply --storage again later`;
}

/** The error of moves whose run was interrupted. */
export function interruptedError(move: Move, situation: Situation | undefined, reason: string): string {
  const open = situation?.left ? ` while ${left(move, situation.left.length)} still on ${move.migration.from}` : "";
  return `${reason}${open}; scheduled moves continue on the server, and the next apply --storage resumes following them`;
}

/** A warning for moves whose old copies could not be removed. */
export function cleanupWarning({ change, migration: { from } }: Move, { unclean }: Situation): Problem | undefined {
  if (unclean.length === 0) return undefined;
  const what = `moved, but old copies could not be removed from ${from}: ${firstFew(unclean)}`;
  return { severity: "warning", rule: "storage-cleanup", message: `${change.address}: ${what}` };
}

function stayed(move: Move, { left: held, failed }: Situation): string {
  const { from } = move.migration;
  if (held) return `${left(move, held.length)} still on ${from} (${firstFew(held)})`;
  const { one } = repositoryKinds[move.kind];
  return `${one} moves did not all succeed (${firstFew(failed)})`;
}

function left({ kind }: Move, count: number): string {
  return `${counted(count, repositoryKinds[kind].one)} ${count === 1 ? "is" : "are"}`;
}

function failures({ kind }: Move, { left: held, failed }: Situation): string {
  return held && failed.length > 0 ? `; ${movesFailed(failed.length, kind)}` : "";
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
