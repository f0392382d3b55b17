import type { Reader } from "../client/client.ts";
import { type RepositoryKind, repositoryKinds } from "../model/repository-kinds.ts";
import { type ListedMove, latestMoves, projectsOn } from "./storage-view.ts";

/** The repositories of one kind on a storage. */
export interface Remainder {
  readonly kind: RepositoryKind;
  /** Null where the server does not report it. Kinds that cannot be counted are estimated from their moves. */
  readonly left: number | null;
  /** Of those, the running and the failed ones; null where the server does not list moves. */
  readonly moving: number | null;
  readonly failed: number | null;
  readonly names: readonly string[];
}

/** Counts the repositories on a storage (docs/storage-moves.md). @throws CallFailed, StorageHidden. */
export async function remaindersOn(reader: Reader, storage: string): Promise<Remainder[]> {
  const kinds = Object.keys(repositoryKinds) as RepositoryKind[];
  return Promise.all(
    kinds.map((kind) => (kind === "projects" ? projects(reader, storage) : others(reader, storage, kind))),
  );
}

async function projects(reader: Reader, storage: string): Promise<Remainder> {
  const held = await projectsOn(reader, storage);
  const moves = held.length > 0 ? await latestMoves(reader, "projects") : [];
  const latest = new Map(moves?.filter(({ from }) => from === storage).map((move) => [move.repository, move.phase]));
  const readOnly = held.some((project) => project.readOnly !== undefined);
  const isMoving = (project: (typeof held)[number]) => project.readOnly ?? latest.get(project.id) === "running";
  return {
    kind: "projects",
    left: held.length,
    moving: moves || readOnly ? held.filter(isMoving).length : null,
    failed: moves ? held.filter(({ id }) => latest.get(id) === "failed").length : null,
    names: held.map(({ path }) => path),
  };
}

async function others(reader: Reader, storage: string, kind: RepositoryKind): Promise<Remainder> {
  const moves = await latestMoves(reader, kind);
  if (!moves) return { kind, left: null, moving: null, failed: null, names: [] };
  const here = moves.filter((move) => liesOn(storage, move));
  const inPhase = (phase: ListedMove["phase"]) => here.filter((move) => move.phase === phase).length;
  return {
    kind,
    left: here.length,
    moving: inPhase("running"),
    failed: inPhase("failed"),
    names: here.map(({ name }) => name),
  };
}

/** Whether a repository is on a storage by its latest move. */
function liesOn(storage: string, { from, to, phase }: ListedMove): boolean {
  return (phase === "moved" ? to : from) === storage;
}
