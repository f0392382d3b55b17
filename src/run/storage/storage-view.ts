import { isObject, type JsonObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import { type RepositoryKind, repositoryKinds } from "../../model/repository-kinds.ts";

export interface StoredProject {
  readonly id: string;
  readonly path: string;
  readonly readOnly: boolean | undefined;
}

export interface ListedMove {
  readonly id: string;
  readonly repository: string;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Unknown states count as running; `cleanup failed` as moved. */
  readonly phase: "running" | "moved" | "failed";
  readonly unclean: boolean;
}

export interface StorageView {
  /** Only for projects: other listings cannot be filtered by storage. */
  readonly held: readonly StoredProject[] | undefined;
  /** Undefined if the server does not list moves for this token. */
  readonly moves: readonly ListedMove[] | undefined;
}

/** Thrown if rows do not contain their storage, because such a server ignores the filter too. */
export class StorageHidden extends Error {
  constructor() {
    super("the server does not list projects by storage for this token; storage moves need an administrator's token");
    this.name = "StorageHidden";
  }
}

/**
 * Reads the repositories of a kind on a storage, and the latest move of each. Moves are not read if they are known not to be listed or, with
 * `while-any`, if no project is left. @throws CallFailed, {@link StorageHidden}.
 */
export async function readStorage(
  reader: Reader,
  storage: string,
  kind: RepositoryKind,
  listsMoves: boolean | "while-any" = "while-any",
): Promise<StorageView> {
  const held = kind === "projects" ? await projectsOn(reader, storage) : undefined;
  const needsMoves = listsMoves === "while-any" ? held?.length !== 0 : listsMoves;
  if (!needsMoves) return { held, moves: undefined };
  const oldestFirst = (await listMoves(reader, kind))?.toSorted((one, other) => Number(one.id) - Number(other.id));
  return { held, moves: oldestFirst && [...new Map(oldestFirst.map((move) => [move.repository, move])).values()] };
}

/** The projects on a storage, filtered again because a server may ignore the filter (docs/api.md#rules-for-moving, rule 5). */
export async function projectsOn(reader: Reader, storage: string): Promise<StoredProject[]> {
  const rows = (await reader.list(call("listProjects", {}, { repository_storage: storage }))) as readonly JsonObject[];
  if (rows.some((row) => typeof row.repository_storage !== "string")) throw new StorageHidden();
  const held = rows.filter((row) => row.repository_storage === storage);
  return held.map(({ id, path_with_namespace: path, repository_read_only: readOnly }) => ({
    id: String(id),
    path: typeof path === "string" ? path : String(id),
    readOnly: typeof readOnly === "boolean" ? readOnly : undefined,
  }));
}

/** Sources and destinations of all listed moves. @throws CallFailed. */
export async function storagesOfMoves(reader: Reader): Promise<ReadonlySet<string>> {
  const kinds = Object.keys(repositoryKinds) as RepositoryKind[];
  const moves = await Promise.all(kinds.map((kind) => listMoves(reader, kind)));
  return new Set(moves.flatMap((listed = []) => listed.flatMap(({ from, to }) => [from, to])));
}

async function listMoves(reader: Reader, kind: RepositoryKind): Promise<readonly ListedMove[] | undefined> {
  const { moves, record } = repositoryKinds[kind];
  try {
    const rows = (await reader.list(call(moves, {}))) as readonly JsonObject[];
    return rows.flatMap((row) => parseMove(row, record) ?? []);
  } catch (error) {
    if (error instanceof CallFailed && [403, 404, 405].includes(error.status ?? 0)) return undefined;
    throw error;
  }
}

/** Undefined for the move of a deleted repository. */
function parseMove(row: JsonObject, record: string): ListedMove | undefined {
  const repository = row[record];
  if (!isObject(repository)) return undefined;
  const { id, path_with_namespace: path, name } = repository;
  return {
    id: String(row.id),
    repository: String(id),
    name: typeof path === "string" ? path : `${record} ${typeof name === "string" ? name : id}`,
    from: String(row.source_storage_name),
    to: String(row.destination_storage_name),
    phase: phases.get(String(row.state)) ?? "running",
    unclean: row.state === "cleanup failed",
  };
}

const phases: ReadonlyMap<string, ListedMove["phase"]> = new Map([
  ["finished", "moved"],
  ["cleanup failed", "moved"],
  ["failed", "failed"],
]);

export interface Remainder {
  readonly kind: RepositoryKind;
  /** Null if the server does not report it. Kinds that cannot be counted are estimated from their moves. */
  readonly left: number | null;
  /** Running and failed moves among them; null if the server does not list moves. */
  readonly moving: number | null;
  readonly failed: number | null;
  readonly names: readonly string[];
}

/** Counts the repositories on a storage (docs/storage-moves.md). @throws CallFailed, StorageHidden. */
export async function remaindersOn(reader: Reader, storage: string): Promise<Remainder[]> {
  const kinds = Object.keys(repositoryKinds) as RepositoryKind[];
  const liesHere = ({ from, to, phase }: ListedMove) => (phase === "moved" ? to : from) === storage;
  const counted = kinds.map(async (kind): Promise<Remainder> => {
    const { held, moves = held?.length === 0 ? [] : undefined } = await readStorage(reader, storage, kind);
    const { running, failed, reportsMoves } = situationOf({ held, moves }, storage, "");
    const names = held ? held.map(({ path }) => path) : moves?.filter(liesHere).map(({ name }) => name);
    const [left, moving] = [names?.length ?? null, reportsMoves ? running : null];
    return { kind, left, moving, failed: moves ? failed.length : null, names: names ?? [] };
  });
  return Promise.all(counted);
}

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
  const isMoving = ({ id, readOnly }: StoredProject) => readOnly === true || byRepository.get(id)?.phase === "running";
  const arrived = inPhase("moved").filter((move) => move.to === to);
  return {
    left: held?.map(({ path }) => path),
    running: held ? held.filter(isMoving).length : inPhase("running").length,
    failed: (held
      ? held.filter(({ id }) => byRepository.get(id)?.phase === "failed").map(({ path }) => path)
      : inPhase("failed").map(({ name }) => name)
    ).sort(),
    moved: arrived.map(({ name }) => name),
    unclean: arrived.flatMap(({ unclean, name }) => (unclean ? name : [])),
    reportsMoves: moves !== undefined || (held?.some(({ readOnly }) => readOnly !== undefined) ?? false),
  };
}
