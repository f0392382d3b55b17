import { onError } from "../base/exit.ts";
import type { Reader } from "../client/client.ts";
import { explainCallFailure } from "../client/explain-failure.ts";
import { CallFailed } from "../client/failure.ts";
import { readMigrations } from "../manifest/migrations.ts";
import { addressMatcher } from "../model/address.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Outcome, Problem } from "../model/types.ts";
import type { PlannedChange } from "../plan/plan.ts";
import { migrationChanges } from "../plan/revision/compare-projects.ts";
import { differenceFrom, staleOutcome } from "../plan/stale.ts";
import type { Context } from "./context.ts";
import { historyOf, type Move, type MoveStep, type MovesScope, type PlannedMoves, planMoves } from "./storage/moves.ts";

const nothing: PlannedMoves = { moves: [], objections: [], problems: [] };

/** Plans storage moves; none without `--storage`. @throws CallFailed if it ends the run. */
export async function movesOf(reader: Reader, context: Context): Promise<PlannedMoves> {
  const { request } = context;
  if (!request.storage) return nothing;
  const scope = await movesScope(context);
  const message = "--storage plans nothing: no manifest declares a StorageMigration";
  const undeclared: Problem = { severity: "warning", rule: "no-migration", message };
  if (scope.migrations.length === 0) return { ...nothing, problems: [undeclared] };
  const [targets, excludes] = [request.targets ?? [], request.excludes ?? []].map((globs) => globs.map(addressMatcher));
  const inTarget = (address: string) =>
    (!targets?.length || targets.some((matches) => matches(address))) && !excludes?.some((matches) => matches(address));
  // Moves from one storage belong to one shard.
  const inShard = (address: string) => request.shard?.(address.slice(0, address.lastIndexOf("/"))) ?? true;
  const { since } = context;
  const changed = since && new Set(migrationChanges(since.before, since.after).map(({ address }) => address));
  return planMoves(reader, {
    ...scope,
    includes: (address) => inTarget(address) && inShard(address) && (changed?.has(address) ?? true),
  });
}

async function movesScope({ loaded, heading, request, state }: Context): Promise<Omit<MovesScope, "includes">> {
  const { migrations } = readMigrations(loaded);
  const resends = (request.resend ?? []).map(addressMatcher);
  return {
    migrations,
    platform: loaded.workspace.server,
    history: await historyOf(state, heading.url),
    resend: (address) => resends.some((matches) => matches(address)),
  };
}

/** Checks planned moves against the storages; a repository that moved meanwhile is stale (docs/safety.md). */
export async function movesAgain(
  reader: Reader,
  context: Context,
  planned: readonly PlannedChange[],
): Promise<Pick<PlannedMoves, "objections"> & { readonly steps: readonly MoveStep[] }> {
  if (planned.length === 0) return { objections: [], steps: [] };
  const addresses = new Set(planned.map(({ address }) => address));
  const resent = new Set(planned.filter(({ resend }) => resend).map(({ address }) => address));
  const scope = { ...(await movesScope(context)), includes: (address: string) => addresses.has(address) };
  const resend = (address: string) => resent.has(address) || scope.resend(address);
  const { moves, objections, problems } = await planMoves(reader, { ...scope, resend });
  const now = new Map(moves.map((move) => [move.change.address, move]));
  const unread = problems.find(({ severity }) => severity === "error");
  const order = [...now.keys()];
  const inOrder = planned.toSorted((a, b) => order.indexOf(a.address) - order.indexOf(b.address));
  return { objections, steps: inOrder.map((each) => toStep(each, now.get(each.address), unread, reader.catalogue)) };
}

function toStep(
  planned: PlannedChange,
  move: Move | undefined,
  unread: Problem | undefined,
  catalogue: Catalogue,
): MoveStep {
  const { address, live } = planned;
  const isAsPlanned = move?.change.liveDigest === live?.digest;
  const other = move && isAsPlanned ? differenceFrom(planned, move.change, catalogue) : undefined;
  if (move && isAsPlanned && other === undefined) return { move };
  if (!move && unread) return { address, outcome: { status: "failed", error: unread.message } };
  const why = other ?? (move ? "what is on the source changed since the plan was made" : "nothing is left to move");
  return { address, outcome: staleOutcome(why) };
}

/**
 * The planned moves that are still to be made, checked again. Objections of guards and errors of the server become
 * outcomes, so that those of earlier projects are not lost.
 */
export async function moveSteps(
  reader: Reader,
  context: Context,
  planned: readonly PlannedChange[],
): Promise<readonly MoveStep[]> {
  const fail = (error: CallFailed): MoveStep[] => {
    const outcome: Outcome = { status: "failed", error: explainCallFailure(error) };
    return planned.map(({ address }) => ({ address, outcome }));
  };
  const again = movesAgain(reader, context, planned).then(({ steps, objections }) =>
    steps.map((step): MoveStep => {
      const address = "move" in step ? step.move.change.address : undefined;
      const objection = address && objections.find(({ addresses }) => addresses.includes(address));
      return objection ? { address, outcome: staleOutcome(objection.message) } : step;
    }),
  );
  return again.catch(onError(CallFailed, fail));
}
