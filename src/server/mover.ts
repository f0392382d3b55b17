import { needsDirectFetch } from "../model/availability.ts";
import { put } from "./records.ts";
import { findProject, type MoveKind, type MoveRecord, type Repository, type State } from "./state.ts";

/** Runs storage moves, each some time after it was scheduled. */
export interface Mover {
  start(move: number): void;
  stop(): void;
}

interface MoverOptions {
  readonly state: State;
  readonly release: string;
  /** Milliseconds from a move's scheduling to its end. */
  readonly duration: number;
  /** Called after each step, so that the store persists what was saved. */
  readonly settle: () => void;
}

const next: Readonly<Record<string, string>> = { scheduled: "started", started: "replicated", replicated: "finished" };

const steps = Object.keys(next).length;

/** Runs the moves that were under way when the server restarted, and those that are started later. */
export function createMover({ state, release, duration, settle }: MoverOptions): Mover {
  const timers = new Set<NodeJS.Timeout>();
  const start = (id: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (advance(state, release, id)) start(id);
      settle();
    }, duration / steps);
    timers.add(timer);
  };
  for (const move of state.moves.values()) if (resume(state, move)) start(move.id);
  return { start, stop: () => timers.forEach((timer) => void clearTimeout(timer)) };
}

function resume(state: State, move: MoveRecord): boolean {
  const isUnderWay = move.state in next;
  if (isUnderWay) state.moving[move.kind].add(move.repository);
  return isUnderWay;
}

/** Advances a move by one state; true if it is not finished. */
function advance(state: State, release: string, id: number): boolean {
  const move = state.moves.get(id);
  const repository = move && repositoryReaders[move.kind].find(state, move.repository);
  if (!move || !repository) return false;
  const isFailing = move.state === "started" && mustFail(state, release, move);
  const reached = isFailing ? "failed" : (next[move.state] ?? move.state);
  const copyStays = reached === "finished" && repository.leave_copy === true;
  put(state, "move", id, { ...move, state: copyStays ? "cleanup failed" : reached });
  if (reached === "failed") {
    put(state, move.kind, repository.id, { ...repository, fail_moves: Math.max(0, (repository.fail_moves ?? 0) - 1) });
  }
  if (reached === "finished") {
    put(state, move.kind, repository.id, { ...repository, repository_storage: move.destination_storage_name });
  }
  if (!(reached in next)) state.moving[move.kind].delete(move.repository);
  return reached in next;
}

/** True if the seed says so, or if the move is to its own storage, or to a cluster without direct-fetch replication. */
function mustFail(state: State, release: string, move: MoveRecord): boolean {
  const repository = repositoryReaders[move.kind].find(state, move.repository);
  if ((repository?.fail_moves ?? 0) > 0 || move.source_storage_name === move.destination_storage_name) return true;
  const isCluster = state.storages.get(move.destination_storage_name)?.cluster ?? false;
  return isCluster && needsDirectFetch(release) && !state.features.has("direct_fetch_replication");
}

interface RepositoryReader {
  readonly list: (state: State) => Repository[];
  readonly find: (state: State, id: number) => Repository | undefined;
  /** Finds a repository by the name in API paths: its ID, or its path. */
  readonly named: (state: State, name: string) => Repository | undefined;
}

export const repositoryReaders: Readonly<Record<MoveKind, RepositoryReader>> = {
  project: {
    list: ({ projects }) => [...projects.values()].map(({ record }) => record),
    find: ({ projects }, id) => projects.get(id)?.record,
    named: (state, name) => findProject(state, name)?.record,
  },
  snippet: {
    list: ({ snippets }) => [...snippets.values()],
    find: ({ snippets }, id) => snippets.get(id),
    named: ({ snippets }, name) => snippets.get(Number(name)),
  },
  group: {
    list: ({ groups }) => [...groups.values()].filter(({ implied }) => !implied),
    find: ({ groups }, id) => groups.get(id),
    named: ({ groups }, name) => groups.get(Number(name)) ?? [...groups.values()].find(({ path }) => path === name),
  },
};
