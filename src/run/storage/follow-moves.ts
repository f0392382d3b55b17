import { onError } from "../../base/exit.ts";
import { counted, firstFew } from "../../base/text-format.ts";
import type { Answer, Writer } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { createStop, type Stop } from "../../client/timer.ts";
import { type RepositoryKind, repositoryKinds } from "../../model/repository-kinds.ts";
import type { Problem } from "../../model/types.ts";
import { callOf } from "../../plan/requests.ts";
import { type ChangeEvent, type Outcomes, outcomesOf, type Watcher } from "../apply/apply.ts";
import { announce } from "../apply/send-change.ts";
import type { MovingProgress, Request } from "../request.ts";
import { type Move, type MoveStep, movesFailed } from "./moves.ts";
import { readStorage, type Situation, StorageHidden, situationOf } from "./storage-view.ts";

/** If `signal` is aborted, nothing more is scheduled or read; scheduled moves continue on the server. */
interface FollowOptions extends Pick<Request, "signal" | "pollInterval" | "moving"> {
  readonly watchers: readonly Watcher[];
}

/**
 * Schedules each move with one request and follows it until the source is verified to be empty, or as far as the server
 * reports (docs/storage-moves.md), with warnings about successful moves that need attention. Moves run concurrently,
 * because the server does the work. Never throws for errors of the server.
 */
export async function followMoves(
  writer: Writer,
  steps: readonly MoveStep[],
  options: FollowOptions,
): Promise<{ readonly outcomes: Outcomes; readonly warnings: readonly Problem[] }> {
  const stop = createStop(options.signal);
  const tally = createTally(options.moving);
  const follow = async (step: MoveStep): Promise<EndedMove> => {
    // Without its change, because the ledger does not record moves.
    const event: EndedMove =
      "outcome" in step
        ? step
        : {
            address: step.move.change.address,
            ...(await followToEnd({ writer, move: step.move, stop, tally, options })),
          };
    for (const watcher of options.watchers) await watcher.outcome?.(event);
    return event;
  };
  try {
    const ended = await Promise.all(steps.map(follow));
    return { outcomes: outcomesOf(ended), warnings: ended.flatMap(({ warning }) => warning ?? []) };
  } finally {
    stop.now("the moves have ended");
  }
}

interface MoveTask {
  readonly writer: Writer;
  readonly move: Move;
  readonly stop: Stop;
  readonly tally: ReturnType<typeof createTally>;
  readonly options: FollowOptions;
}

interface EndedMove extends ChangeEvent {
  readonly warning?: Problem | undefined;
}

type End = Omit<EndedMove, "address">;

const maxMisses = 5;

/** Milliseconds. */
const maxInterval = 30_000;

/** Tolerates a few consecutive failures of reading. Moves that ended before this run scheduled any are ignored. */
async function followToEnd(task: MoveTask): Promise<End> {
  const { writer, move, stop, tally, options } = task;
  const { migration, kind, listsMoves, earlier, repeats } = move;
  const start = Date.now();
  const mayRun = earlier?.state === "scheduled" || (earlier?.state === "sent" && (listsMoves || kind === "projects"));
  let attempts: Attempts = { scheduled: 0, repeats, mayRun, unanswered: undefined, quietReads: 0, seen: undefined };
  let situation: Situation | undefined;
  let known: ReadonlySet<string> | undefined = mayRun ? new Set() : undefined;
  for (let misses = 0; ; ) {
    if (stop.reason !== undefined) return endInterrupted(move, attempts, situation, stop.reason);
    const begun = Date.now();
    const view = await readStorage(writer, migration.from, kind, listsMoves).catch(onError(Error, (error) => error));
    if (view instanceof Error) {
      const isCall = view instanceof CallFailed;
      if (!isCall && !(view instanceof StorageHidden)) throw view;
      if (stop.reason === undefined && (!isCall || view.endsRun || ++misses >= maxMisses)) {
        const error = `the moves could not be monitored: ${isCall ? explainCallFailure(view) : view.message}`;
        return { outcome: { status: attempts.mayRun ? "unknown" : "failed", error } };
      }
      await stop.sleep(misses * 100);
      continue;
    }
    misses = 0;
    known ??= new Set(view.moves?.filter(({ phase }) => phase !== "running").map(({ id }) => id));
    situation = situationOf(view, migration.from, migration.to, known);
    const cost = Date.now() - begun;
    const next = advance(attempts, situation);
    // The unanswered request was received after all.
    if (attempts.unanswered !== undefined && next.unanswered === undefined) await note(task);
    attempts = next;
    tally(move.change.address, situation);
    const decision = decide(attempts, situation);
    if (decision === "schedule") {
      const sent = await schedule(task, attempts);
      if ("outcome" in sent) return sent;
      attempts = sent;
    } else if (decision !== "wait") {
      return conclude(decision, move, attempts, situation);
    }
    // A second at first, longer the longer the moves take, and later still after a slow check, to limit the load.
    // If the server reports nothing, another check is useless.
    if (situation.left !== undefined || situation.reportsMoves)
      await stop.sleep(options.pollInterval ?? Math.max(1000, cost * 4, Math.min(maxInterval, (begun - start) / 50)));
  }
}

async function schedule(task: MoveTask, attempts: Attempts): Promise<Attempts | End> {
  const { writer, move, options, stop } = task;
  const { change } = move;
  const call = callOf(change, writer.catalogue);
  const unrecorded = await announce(options.watchers, change, call);
  if (unrecorded) return endInterrupted(move, attempts, undefined, unrecorded);
  if (stop.reason !== undefined) return endInterrupted(move, attempts, undefined, stop.reason);
  try {
    const answer = await writer.send(call);
    await note(task, answer);
    return countRequest(attempts);
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    if (error.uncertain) return countRequest(attempts, error.message);
    if (stop.reason !== undefined) return endInterrupted(move, attempts, undefined, stop.reason);
    return { outcome: { status: "failed", error: explainCallFailure(error) }, failure: error };
  }
}

async function note({ move, options }: MoveTask, answer?: Answer): Promise<void> {
  const { change, migration } = move;
  const entry = { event: "scheduled", address: change.address, to: migration.to } as const;
  for (const watcher of options.watchers) await watcher.noted?.({ ...entry, ...(answer && { http: answer.status }) });
}

function endInterrupted(move: Move, attempts: Attempts, situation: Situation | undefined, reason: string): End {
  if (!attempts.mayRun) return { outcome: { status: "skipped", error: reason } };
  const held = situation?.left;
  const open = held ? ` while ${left(move.kind, held.length)} still on ${move.migration.from}` : "";
  const error = `${reason}${open}; scheduled moves continue on the server, and the next apply --storage resumes following them`;
  return { outcome: { status: "unknown", error } };
}

function conclude(decision: "done" | "failed" | "unknown", move: Move, attempts: Attempts, situation: Situation): End {
  const error = decision === "done" ? {} : { error: describeStayed(decision, move, attempts, situation) };
  const outcome = { status: decision === "done" ? "applied" : decision, ...error } as const;
  const { change, migration } = move;
  if (situation.unclean.length === 0) return { outcome };
  const what = `moved, but old copies could not be removed from ${migration.from}: ${firstFew(situation.unclean)}`;
  const warning: Problem = { severity: "warning", rule: "storage-cleanup", message: `${change.address}: ${what}` };
  return { outcome, warning };
}

/** A tally that calls `progress` after each check, once there is something to move. */
export function createTally(progress?: (progress: MovingProgress) => void) {
  const start = Date.now();
  /** `first`: what was done before this run, which says nothing about how long the rest takes. */
  const counts = new Map<string, { readonly first: number; readonly done: number; readonly total: number }>();
  // Projects are counted on the source, other repositories by their moves.
  return (address: string, { left, running, failed, moved }: Situation): void => {
    const open = left ? left.length : running + failed.length;
    const before = counts.get(address);
    const total = Math.max(before?.total ?? 0, open + (left ? 0 : moved.length));
    const doneHere = left ? total - open : moved.length;
    counts.set(address, { first: before?.first ?? doneHere, done: doneHere, total });
    const sum = (of: "first" | "done" | "total") => [...counts.values()].reduce((all, count) => all + count[of], 0);
    const [done, all] = [sum("done"), sum("total")];
    const fresh = done - sum("first");
    const remaining = fresh > 0 ? ((all - done) * (Date.now() - start)) / fresh : undefined;
    if (all > 0) progress?.({ done, total: all, remaining });
  };
}

function describeStayed(
  decision: "failed" | "unknown",
  { kind, migration: { from }, repeats }: Move,
  { unanswered, scheduled }: Attempts,
  { left: held, failed }: Situation,
): string {
  if (decision === "unknown" && unanswered !== undefined)
    return `${unanswered}; the server may have acted, so the request was not repeated`;
  const stayed = held
    ? `${left(kind, held.length)} still on ${from} (${firstFew(held)})`
    : `${repositoryKinds[kind].one} moves did not all succeed (${firstFew(failed)})`;
  const times = `${stayed} after being scheduled ${scheduled === 1 ? "once" : `${scheduled} times`}`;
  if (decision === "unknown")
    return `${times}; the server does not report whether moves are still running, so run apply --storage again later`;
  const failures = held && failed.length > 0 ? `; ${movesFailed(failed.length, kind)}` : "";
  const once = repeats === 0 ? "; this release may lose a repository that is scheduled again, so it was not" : "";
  return `${times}${failures}${once}`;
}

function left(kind: RepositoryKind, count: number): string {
  return `${counted(count, repositoryKinds[kind].one)} ${count === 1 ? "is" : "are"}`;
}

export interface Attempts {
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

/** Idle checks before scheduled moves are considered ended; doubled with each attempt. */
const patience = { telling: 3, silent: 10 } as const;

export function advance(attempts: Attempts, situation: Situation): Attempts {
  const { left, running, moved, failed } = situation;
  const seen = JSON.stringify([left?.length, moved.length, failed]);
  const happens = running > 0 || (attempts.seen !== undefined && attempts.seen !== seen);
  return {
    ...attempts,
    seen,
    unanswered: happens ? undefined : attempts.unanswered,
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
