import { counted, firstFew } from "../../base/text-format.ts";
import type { Answer, Writer } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import { createStop, type Stop } from "../../client/timer.ts";
import { type RepositoryKind, repositoryKinds } from "../../model/repository-kinds.ts";
import type { Problem } from "../../model/types.ts";
import { callOf } from "../../plan/requests.ts";
import type { ChangeEvent, Outcomes, Watcher } from "../apply/apply.ts";
import { announce } from "../apply/send-change.ts";
import { type Move, movesFailed } from "./moves.ts";
import { type Attempts, advance, countRequest, decide, type Situation, situationOf } from "./state-machine.ts";
import { readStorage, StorageHidden } from "./storage-view.ts";

export interface FollowOptions {
  readonly watchers: readonly Watcher[];
  /** If aborted, nothing more is scheduled or read; scheduled moves continue on the server. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds between two checks; by default a second at first, then longer. */
  readonly pollInterval?: number | undefined;
  readonly progress?: ((progress: MovingProgress) => void) | undefined;
}

export interface FollowResult {
  readonly outcomes: Outcomes;
  readonly warnings: readonly Problem[];
}

/**
 * Schedules each move with one request and follows it until the source is verified to be empty, or as far as the server
 * reports (docs/storage-moves.md). Moves run concurrently, because the server does the work. Never throws for errors of the server.
 */
export async function followMoves(
  writer: Writer,
  moves: readonly Move[],
  options: FollowOptions,
): Promise<FollowResult> {
  const stop = createStop(options.signal);
  const tally = createTally(options.progress);
  try {
    const ended = await Promise.all(moves.map((move) => follow({ writer, move, stop, tally, options })));
    return {
      outcomes: new Map(ended.map(({ address, outcome }) => [address, outcome])),
      warnings: ended.flatMap(({ warning }) => warning ?? []),
    };
  } finally {
    stop.now("the moves have ended");
  }
}

interface MoveTask {
  readonly writer: Writer;
  readonly move: Move;
  readonly stop: Stop;
  readonly tally: Tally;
  readonly options: FollowOptions;
}

interface EndedMove extends ChangeEvent {
  readonly warning?: Problem | undefined;
}

async function follow(task: MoveTask): Promise<EndedMove> {
  const ended = await followToEnd(task);
  // Without its change, because the ledger does not record moves.
  const event = { address: task.move.change.address, ...ended };
  for (const watcher of task.options.watchers) await watcher.outcome?.(event);
  return event;
}

type End = Omit<EndedMove, "address">;

async function followToEnd(task: MoveTask): Promise<End> {
  const { move, stop, tally, options } = task;
  const start = Date.now();
  const readAgain = createSituationReader(task);
  let attempts = firstAttempts(move);
  let situation: Situation | undefined;
  for (;;) {
    if (stop.reason !== undefined) return endInterrupted(move, attempts, situation, stop.reason);
    const begun = Date.now();
    const seen = await readAgain();
    const cost = Date.now() - begun;
    if ("end" in seen) return toEnd(seen.end, task, attempts, situation);
    situation = seen;
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
    if (!isUnobservable(situation))
      await stop.sleep(options.pollInterval ?? waitAfter({ elapsed: begun - start, cost }));
  }
}

function firstAttempts({ kind, earlier, listsMoves, repeats }: Move): Attempts {
  const mayBeRunning =
    earlier?.state === "scheduled" || (earlier?.state === "sent" && (listsMoves || kind === "projects"));
  return { kind, scheduled: 0, repeats, mayRun: mayBeRunning, unanswered: undefined, quietReads: 0, seen: undefined };
}

/** True if the server reports nothing, so that another check is useless. */
function isUnobservable({ left, reportsMoves }: Situation): boolean {
  return left === undefined && !reportsMoves;
}

const maxMisses = 5;

/**
 * Creates a function that reads the server's state and tolerates a few consecutive failures. Moves that ended before this
 * run scheduled any are ignored.
 */
function createSituationReader({ writer, move, stop }: MoveTask): () => Promise<Situation | { readonly end: Error }> {
  const { migration, kind, listsMoves } = move;
  let known: ReadonlySet<string> | undefined = firstAttempts(move).mayRun ? new Set() : undefined;
  let misses = 0;
  const readAgain = async (): Promise<Situation | { readonly end: Error }> => {
    try {
      const view = await readStorage(writer, migration.from, kind, listsMoves);
      misses = 0;
      known ??= new Set(view.moves?.filter(({ phase }) => phase !== "running").map(({ id }) => id));
      return situationOf(view, migration.from, migration.to, known);
    } catch (error) {
      if (!(error instanceof CallFailed || error instanceof StorageHidden)) throw error;
      const isLast = error instanceof StorageHidden || error.endsRun || ++misses >= maxMisses;
      if (isLast || stop.reason !== undefined) return { end: error };
      await stop.sleep(misses * 100);
      return readAgain();
    }
  };
  return readAgain;
}

function toEnd(error: Error, { move, stop }: MoveTask, attempts: Attempts, situation: Situation | undefined): End {
  if (stop.reason !== undefined) return endInterrupted(move, attempts, situation, stop.reason);
  const why = error instanceof CallFailed ? explainCallFailure(error) : error.message;
  const status = attempts.mayRun ? "unknown" : "failed";
  return { outcome: { status, error: `the moves could not be monitored: ${why}` } };
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
  return { outcome: { status: "unknown", error: interruptedError(move, situation, reason) } };
}

function conclude(decision: "done" | "failed" | "unknown", move: Move, attempts: Attempts, situation: Situation): End {
  const error = decision === "done" ? {} : { error: describeStayed(decision, move, attempts, situation) };
  const { change, migration } = move;
  if (situation.unclean.length === 0) return { outcome: { status: statuses[decision], ...error } };
  const what = `moved, but old copies could not be removed from ${migration.from}: ${firstFew(situation.unclean)}`;
  const warning: Problem = { severity: "warning", rule: "storage-cleanup", message: `${change.address}: ${what}` };
  return { outcome: { status: statuses[decision], ...error }, warning };
}

const statuses = { done: "applied", failed: "failed", unknown: "unknown" } as const;

/** Progress of all moves of a run. */
export interface MovingProgress {
  readonly done: number;
  readonly total: number;
  /** Estimated milliseconds for the rest; undefined before anything has moved. */
  readonly remaining: number | undefined;
}

type Tally = (address: string, situation: Situation) => void;

/** A tally that calls `progress` after each check, once there is something to move. */
export function createTally(progress?: (progress: MovingProgress) => void): Tally {
  const start = Date.now();
  /** `first`: what was done before this run, which says nothing about how long the rest takes. */
  const counts = new Map<string, { readonly first: number; readonly done: number; readonly total: number }>();
  // Projects are counted on the source, other repositories by their moves.
  return (address, { left, running, failed, moved }) => {
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

function interruptedError(move: Move, situation: Situation | undefined, reason: string): string {
  const open = situation?.left
    ? ` while ${left(move.kind, situation.left.length)} still on ${move.migration.from}`
    : "";
  return `${reason}${open}; scheduled moves continue on the server, and the next apply --storage resumes following them`;
}

function left(kind: RepositoryKind, count: number): string {
  return `${counted(count, repositoryKinds[kind].one)} ${count === 1 ? "is" : "are"}`;
}

const standardInterval = 1000;
const maxInterval = 30_000;

/**
 * Milliseconds until the next check: a second at first, then longer the longer the moves take, and after a slow check
 * later still, to limit the load on the server.
 */
function waitAfter(check: { readonly elapsed: number; readonly cost: number }): number {
  return Math.max(standardInterval, check.cost * 4, Math.min(maxInterval, check.elapsed / 50));
}
