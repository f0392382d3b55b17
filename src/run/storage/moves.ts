import { digestOf } from "../../base/json.ts";
import { counted, firstFew, withoutTrailing } from "../../base/text-format.ts";
import type { Reader } from "../../client/client.ts";
import { explainCallFailure } from "../../client/explain-failure.ts";
import { CallFailed } from "../../client/failure.ts";
import type { StorageMigration } from "../../manifest/migrations.ts";
import { storageAddress } from "../../model/address.ts";
import { needsDirectFetch, tierIncludes } from "../../model/availability.ts";
import { endpoints } from "../../model/endpoints.ts";
import { compareReleases, minorOf } from "../../model/releases.ts";
import { type RepositoryKind, repositoryKinds, storageKey } from "../../model/repository-kinds.ts";
import type { Change, Fields, Outcome, Platform, Problem } from "../../model/types.ts";
import { askedFor } from "../../plan/diff/reasons.ts";
import type { Objection } from "../../plan/guards.ts";
import { type JournalLine, readJournals } from "../../state/journal.ts";
import { projectsOn, readStorage, type Situation, StorageHidden, situationOf } from "./storage-view.ts";

export interface Move {
  readonly migration: StorageMigration;
  readonly kind: RepositoryKind;
  readonly change: Change;
  readonly earlier: EarlierMove | undefined;
  readonly listsMoves: boolean;
  /** True if the server shows which repositories are moving. */
  readonly reportsMoves: boolean;
  /** Number of times that failed moves may be scheduled again. */
  readonly repeats: number;
}

/** A move to apply, or the outcome of a stale one of a saved plan. */
export type MoveStep = { readonly move: Move } | { readonly address: string; readonly outcome: Outcome };

export interface MovesScope {
  readonly migrations: readonly StorageMigration[];
  readonly platform: Platform;
  readonly includes: (address: string) => boolean;
  /** Addresses to schedule again although they are recorded as done. */
  readonly resend: (address: string) => boolean;
  readonly history: History;
}

export interface PlannedMoves {
  readonly moves: readonly Move[];
  readonly objections: readonly Objection[];
  readonly problems: readonly Problem[];
}

/**
 * Reads the source of each migration, and plans one request for each kind of repository that remains there
 * (docs/storage-moves.md). Anything unreadable is a problem. @throws CallFailed if it ends the run.
 */
export async function planMoves(reader: Reader, scope: MovesScope): Promise<PlannedMoves> {
  const [planned, objections, problems]: [Move[], Objection[], Problem[]] = [[], [], []];
  for (const migration of scope.migrations) {
    const included = migration.repositories.filter((kind) => scope.includes(addressOf(migration, kind)));
    try {
      const kinds = await Promise.all(included.map((kind) => planKind(reader, migration, kind, scope)));
      const moves = kinds.flatMap((move) => move ?? []);
      const repositories = migration.from === migration.to ? included : moves.map(({ kind }) => kind);
      if (repositories.length > 0) {
        const decides = mayLoseRepositories(migration, scope.platform);
        const held = decides ? (await projectsOn(reader, migration.to)).length : 0;
        objections.push(...checkMigration({ ...migration, repositories }, scope.platform, held));
      }
      problems.push(...moves.flatMap(uncertainWarnings));
      planned.push(...moves);
    } catch (error) {
      problems.push(unreadable(migration, error));
    }
  }
  return { moves: planned, objections, problems };
}

export function addressesOf(migration: StorageMigration): readonly string[] {
  return migration.repositories.map((kind) => addressOf(migration, kind));
}

function addressOf({ from }: StorageMigration, kind: RepositoryKind): string {
  return storageAddress(storageKey(from, kind));
}

function unreadable({ name, document }: StorageMigration, error: unknown): Problem {
  const place = document.place(["name"]);
  if (error instanceof StorageHidden) {
    return { severity: "error", rule: "storage-hidden", message: `storage migration ${name}: ${error.message}`, place };
  }
  if (!(error instanceof CallFailed) || error.endsRun) throw error;
  return { severity: "error", rule: "unreadable", message: explainCallFailure(error), place };
}

/** Number of times that moves are scheduled again. */
export const maxRepeats = 3;

/** Undefined if nothing is left to move. */
async function planKind(
  reader: Reader,
  migration: StorageMigration,
  kind: RepositoryKind,
  { history, resend, platform }: MovesScope,
): Promise<Move | undefined> {
  const address = addressOf(migration, kind);
  const view = await readStorage(reader, migration.from, kind);
  const situation = situationOf(view, migration.from, migration.to);
  const last = history.get(address);
  const earlier = last?.state === "done" && last.to !== migration.to ? undefined : last;
  const listsMoves = view.moves !== undefined;
  const isAsked = resend(address) && !hasLeft(situation, listsMoves, undefined);
  const isDone = hasLeft(situation, listsMoves, earlier?.to === migration.to ? earlier.state : undefined);
  if (isDone && !isAsked) return undefined;
  const ids = (view.held ?? []).map(({ id }) => id).sort();
  const change = createChange(migration, kind, situation, ids, isDone);
  // With the defect, a second request could move repositories into the cluster that already contains them.
  const repeats = mayLoseRepositories(migration, platform) ? 0 : maxRepeats;
  return { migration, kind, change, earlier, listsMoves, reportsMoves: situation.reportsMoves, repeats };
}

/** True if all repositories left the source: by count for projects, by the journal and listed failures for others. */
function hasLeft(
  { left, running, failed }: Situation,
  listsMoves: boolean,
  earlier: EarlierMove["state"] | undefined,
): boolean {
  if (left !== undefined) return left.length === 0;
  if (!listsMoves) return earlier === "done" || earlier === "scheduled";
  return earlier === "done" && running + failed.length === 0;
}

function createChange(
  migration: StorageMigration,
  kind: RepositoryKind,
  situation: Situation,
  ids: readonly string[],
  isAsked: boolean,
): Change {
  const { from, to, document } = migration;
  const key = storageKey(from, kind);
  const before: Fields = { repository_storage: from, ...countFields(situation.left?.length) };
  return {
    address: storageAddress(key),
    project: "storage",
    kind: "storage",
    key,
    action: "update",
    before,
    after: { repository_storage: to, ...countFields(situation.left && 0) },
    declared: { source_storage_name: from, destination_storage_name: to },
    live: { kind: "storage", key, fields: before, active: true },
    liveDigest: digestOf({ from, to, ids }),
    reason: [describeReason(migration, kind, situation), ...(isAsked ? [askedFor] : [])].join(", "),
    cause: "pending",
    ...(isAsked && { resend: true }),
    origin: { place: () => document.place(["repositories"]) },
  };
}

function countFields(left: number | undefined): Fields {
  return left === undefined ? {} : { left_on_source: left };
}

function describeReason({ from }: StorageMigration, kind: RepositoryKind, situation: Situation): string {
  const { left, running, failed } = situation;
  const remaining = left
    ? `${counted(left.length, repositoryKinds[kind].one)} on ${from} (${firstFew(left)})`
    : `all ${kind} on ${from}`;
  const moving = running > 0 ? [`${running} moving already`] : [];
  const tried = failed.length > 0 ? [`${movesFailed(failed.length, kind)} before`] : [];
  return [remaining, ...moving, ...tried].join(", ");
}

/** `3 project moves failed`. */
export function movesFailed(count: number, kind: RepositoryKind): string {
  return `${counted(count, `${repositoryKinds[kind].one} move`)} failed`;
}

/** Warns of what cannot be verified if the server does not report running moves. */
function uncertainWarnings({ migration: { from }, kind, earlier, change, reportsMoves }: Move): readonly Problem[] {
  if (reportsMoves) return [];
  const { one } = repositoryKinds[kind];
  const unproven = `the server does not list ${one} moves, so it cannot be verified that every ${one} has left ${from}; once it is scheduled, the run records the move as done, and it is not planned again`;
  const unseen = `the server does not report running moves: what stays on ${from} for a while counts as failed and is scheduled again`;
  const begun = {
    sent: `run ${earlier?.run} sent this request and got no answer; the server may or may not have acted`,
    scheduled: `run ${earlier?.run} scheduled these moves and did not see them end; they may still be running, so apply watches for a while before it schedules any again`,
    done: undefined,
  };
  const messages = [kind === "projects" ? unseen : unproven, (earlier && begun[earlier.state]) ?? []].flat();
  const warning = { severity: "warning", rule: "storage-unverified", place: change.origin.place() } as const;
  return messages.map((message) => ({ ...warning, message: `${change.address}: ${message}` }));
}

/**
 * Violations of the rules for moving that can be checked (docs/api.md#rules-for-moving); plans list the others. `held`:
 * projects on the destination, read only if {@link mayLoseRepositories}.
 */
export function checkMigration(migration: StorageMigration, platform: Platform, held: number): Objection[] {
  const { name, from, to, repositories, destinationIsCluster, directFetchReplication } = migration;
  const { release, tier } = platform;
  const addresses = addressesOf(migration);
  const lacking = repositories.filter((kind) => !tierIncludes(tier, repositoryKinds[kind].tier));
  const flag = "enable the feature flag for direct-fetch replication, then set directFetchReplication: true";
  const many = counted(held, "project lies", "projects lie");
  const broken = [
    from === to && `${from} is both source and destination`,
    // Rule 7.
    held > 0 &&
      mayLoseRepositories(migration, platform) &&
      `release ${release} can permanently delete repositories that are moved into the cluster that already holds them, and ${many} in ${to}; fixed in ${fixes.join(", ")}`,
    // Rule 6.
    destinationIsCluster &&
      !directFetchReplication &&
      needsDirectFetch(release) &&
      `on release ${release} a move into the cluster ${to} needs direct-fetch replication: ${flag}`,
    // Rule 4.
    lacking.length > 0 &&
      `${lacking.map((kind) => `${kind} need tier ${repositoryKinds[kind].tier} to move`).join(", ")}; the server is ${tier}`,
  ];
  return broken.flatMap((message) =>
    message ? [{ guard: "storage", message: `storage migration ${name}: ${message}`, addresses }] : [],
  );
}

/** Releases that fix the defect of rule 7, each for its own series, and the first for all later ones. */
const fixes = ["14.3.0", "14.2.4", "14.1.6", "14.0.11", "13.12.12"] as const;

/**
 * True if a migration is unsafe if the destination already contains projects (docs/api.md#rules-for-moving, rule 7).
 */
function mayLoseRepositories({ destinationIsCluster }: StorageMigration, { release }: Platform): boolean {
  if (!destinationIsCluster || compareReleases(release, fixes[0]) >= 0) return false;
  const fix = fixes.find((each) => minorOf(each) === minorOf(release));
  return !fix || compareReleases(release, fix) < 0;
}

/** The last run in the journal that moved a storage address, and its progress. */
interface EarlierMove {
  readonly run: string;
  /** `sent`: no response was received. `scheduled`: accepted, with no recorded end. */
  readonly state: "sent" | "scheduled" | "done";
  readonly to: string | undefined;
}

export type History = ReadonlyMap<string, EarlierMove>;

/** Moves of earlier runs against this server, by address. */
export async function historyOf(state: Parameters<typeof readJournals>[0], url: string): Promise<History> {
  const history = new Map<string, EarlierMove>();
  const isSame = (server: string) => withoutTrailing(server, "/") === withoutTrailing(url, "/");
  for await (const { run, entries } of readJournals(state)) {
    if (entries.some((entry) => entry.event === "start" && isSame(entry.server))) {
      for (const entry of entries) remember(history, run, entry);
    }
  }
  return history;
}

/** Moves are identified by path, because a project may be called `storage`. */
const scheduling = new Set(Object.values(repositoryKinds).map(({ schedule }) => endpoints[schedule].path));

function remember(history: Map<string, EarlierMove>, run: string, entry: JournalLine): void {
  if (!("address" in entry)) return;
  const { address } = entry;
  const before = history.get(address);
  if (entry.event === "intent" && scheduling.has(entry.path)) {
    history.set(address, { run, state: "sent", to: undefined });
  }
  if (entry.event === "scheduled") history.set(address, { run, state: "scheduled", to: entry.to });
  if (entry.event !== "result" || !before) return;
  if (entry.status === "applied") history.set(address, { ...before, run, state: "done" });
  if (entry.status === "failed") history.delete(address);
}
