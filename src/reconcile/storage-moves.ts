import type { Outcomes, Watcher } from "../apply/apply.ts";
import type { Reader, Writer } from "../client/client.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { addressMatcher } from "../model/address.ts";
import type { Outcome, Problem } from "../model/types.ts";
import type { PlannedChange } from "../plan/plan.ts";
import { followMoves } from "../storage/follow.ts";
import { historyOf } from "../storage/history.ts";
import { type Move, type MovesScope, type PlannedMoves, planMoves } from "../storage/moves.ts";
import type { Opened } from "./context.ts";
import type { Request } from "./request.ts";

/** A move to carry out, or one of a saved plan that is not to be carried out any more. */
export type MoveStep = { readonly move: Move } | { readonly address: string; readonly outcome: Outcome };

const nothing: PlannedMoves = { moves: [], objections: [], problems: [] };

/** The storage moves of a plan; none where `--storage` was not given. @throws CallFailed where it ends the run. */
export async function movesOf(reader: Reader, opened: Opened, request: Request): Promise<PlannedMoves> {
  if (!request.storage) return nothing;
  const targets = (request.targets ?? []).map(addressMatcher);
  const inTarget = (address: string) => targets.length === 0 || targets.some((matches) => matches(address));
  const inShard = request.shard ?? (() => true);
  return planMoves(reader, {
    ...scopeOf(opened),
    includes: (address) => inTarget(address) && inShard(storageOf(address)),
    resend: resentBy(request),
  });
}

function resentBy({ resend = [] }: Request): MovesScope["resend"] {
  const resends = resend.map(addressMatcher);
  return (address) => resends.some((matches) => matches(address));
}

/** All that leaves one storage is in one shard. */
function storageOf(address: string): string {
  return address.slice(0, address.lastIndexOf("/"));
}

function scopeOf({ loaded, url }: Opened): Omit<MovesScope, "includes" | "resend"> {
  const { migrations } = readMigrations(loaded);
  return { migrations, platform: loaded.workspace.server, history: historyOf(loaded.root, url) };
}

/** Whether a planned change is a storage move: by its kind, for a project may be called as the addresses of moves begin. */
export function isMove({ kind }: Pick<PlannedChange, "kind">): boolean {
  return kind === "storage";
}

/** Moves that were planned before, judged again by what lies on the storages now; what moved meanwhile is stale (contract 5). */
export async function movesAgain(
  reader: Reader,
  opened: Opened,
  request: Request,
  planned: readonly PlannedChange[],
): Promise<Pick<PlannedMoves, "objections"> & { readonly steps: readonly MoveStep[] }> {
  if (planned.length === 0) return { objections: [], steps: [] };
  const addresses = new Set(planned.map(({ address }) => address));
  const includes = (address: string) => addresses.has(address);
  const { moves, objections, problems } = await planMoves(reader, {
    ...scopeOf(opened),
    includes,
    resend: resentBy(request),
  });
  const now = new Map(moves.map((move) => [move.change.address, move]));
  const unread = problems.find(({ severity }) => severity === "error");
  return { objections, steps: planned.map((each) => stepOf(each, now.get(each.address), unread)) };
}

function stepOf({ address, live }: PlannedChange, move: Move | undefined, unread: Problem | undefined): MoveStep {
  if (move && move.change.liveDigest === live?.digest) return { move };
  if (!move && unread) return { address, outcome: { status: "failed", error: unread.message } };
  const why = move ? "what lies on the source changed since the plan was made" : "nothing is left to move by now";
  return { address, outcome: { status: "stale", error: `${why}; plan again` } };
}

export interface Moving {
  readonly watchers: readonly Watcher[];
  /** Told of what succeeded and still wants a person's eye. */
  readonly warn: (problems: readonly Problem[]) => void;
}

/** Carries out moves until their sources are empty, and tells what became of each. */
export async function carryOutMoves(
  writer: Writer,
  steps: readonly MoveStep[],
  { signal, pollInterval, moving: progress }: Request,
  { watchers, warn }: Moving,
): Promise<Outcomes> {
  const settled = steps.flatMap((step) => ("outcome" in step ? [step] : []));
  for (const step of settled) for (const watcher of watchers) await watcher.outcome?.(step);
  const moves = steps.flatMap((step) => ("move" in step ? [step.move] : []));
  const { outcomes, warnings } = await followMoves(writer, moves, { watchers, signal, pollInterval, progress });
  warn(warnings);
  return new Map([...settled.map(({ address, outcome }) => [address, outcome] as const), ...outcomes]);
}
