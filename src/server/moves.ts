import { needsDirectFetch } from "../model/availability.ts";
import type { Tier } from "../model/types.ts";
import { paged } from "./pages.ts";
import { projectNames } from "./projects.ts";
import { invalid, json, noRecord, notFound, type ServerReply } from "./reply.ts";
import { type Handler, type ParsedRequest, type ServerContext, tierRefusal } from "./server-context.ts";
import {
  findRepository,
  type MoveKind,
  type MoveRecord,
  nextNumber,
  put,
  type Repository,
  type State,
  timestamp,
} from "./state.ts";

/** By kind of repository, the tier that moves it, and its name and row in responses. */
const kinds: Readonly<Record<MoveKind, { tier: Tier; name: string; row: (repository: Repository) => object }>> = {
  project: { tier: "free", name: "Project", row: projectNames },
  snippet: {
    tier: "free",
    name: "Snippet",
    row: ({ id, name, created_at }) => ({ id, title: name, description: null, visibility: "private", created_at }),
  },
  group: {
    tier: "premium",
    name: "Group",
    row: ({ id, path, name }) => ({ id, web_url: `https://code.example.com/groups/${path}`, name }),
  },
};

type MoveHandler = (context: ServerContext, call: ParsedRequest, kind: MoveKind) => ServerReply;

/** A handler for moves of the kind; with an ID in the path, of that repository. */
export function moveHandler(kind: MoveKind, answer: MoveHandler): Handler {
  const { tier, name } = kinds[kind];
  return (context, call) => {
    const refusal = tierRefusal(context, `${kind} storage moves`, tier);
    if (refusal) return refusal;
    const { id } = call.segments;
    if (id !== undefined && !findRepository(context.state, kind, id)) return notFound(name);
    return answer(context, call, kind);
  };
}

/** POST of a storage move: schedules one for each repository of the kind on the source (docs/api.md#repository-storage-moves). */
export const scheduleMoves: MoveHandler = (context, { given }, kind) => {
  const { storage, moving, [kind]: repositories } = context.state;
  const names = ["source_storage_name", "destination_storage_name"] as const;
  const unknown = names.filter((name) => given[name] !== undefined && !storage.has(String(given[name])));
  if (unknown.length > 0) return invalid(unknown.map((name) => `${name} does not have a valid value`));
  const source = String(given.source_storage_name);
  for (const repository of [...repositories.values()]) {
    const { id, implied, repository_storage } = repository;
    if (!implied && repository_storage === source && !moving[kind].has(id)) schedule(context, kind, repository, given);
  }
  return json(202, { message: "202 Accepted" });
};

/** The moves of a kind or of a repository, newest first; this and the following endpoints exist on deployed servers only. */
export const listMoves: MoveHandler = (context, call, kind) =>
  paged(context, call, movesOf(context, call, kind), (move) => moveRow(context.state, move));

export const showMove: MoveHandler = (context, call, kind) => {
  const move = movesOf(context, call, kind).find(({ id }) => String(id) === call.segments.move_id);
  return move ? json(200, moveRow(context.state, move)) : noRecord;
};

/** POST of a move of one repository: scheduled, unless it is moving already. */
export const addMove: MoveHandler = (context, { segments, given }, kind) => {
  const repository = findRepository(context.state, kind, segments.id ?? "");
  if (!repository) return notFound(kinds[kind].name);
  const { moving, storage } = context.state;
  if (moving[kind].has(repository.id)) return json(400, { message: { [kind]: ["is read-only"] } });
  const { destination_storage_name: destination } = given;
  if (destination !== undefined && !storage.has(String(destination)))
    return json(400, { message: { destination_storage_name: ["is not included in the list"] } });
  return json(201, moveRow(context.state, schedule(context, kind, repository, given)));
};

function movesOf({ state }: ServerContext, { segments: { id } }: ParsedRequest, kind: MoveKind): MoveRecord[] {
  const repository = id === undefined ? undefined : findRepository(state, kind, id);
  return [...state.move.values()]
    .filter((move) => move.kind === kind && (!repository || move.repository === repository.id))
    .reverse();
}

/** Schedules a move; the default destination is the first other storage. */
function schedule(
  { state, startMove }: ServerContext,
  kind: MoveKind,
  { id: repository, repository_storage: source }: Repository,
  { destination_storage_name: destination }: ParsedRequest["given"],
): MoveRecord {
  const other = [...state.storage.keys()].find((name) => name !== source) ?? source;
  const move: MoveRecord = {
    id: nextNumber(state, "move"),
    kind,
    repository,
    created_at: timestamp(),
    state: "scheduled",
    source_storage_name: source,
    destination_storage_name: String(destination ?? other),
  };
  state.moving[kind].add(repository);
  put(state, "move", move.id, move);
  startMove(move.id);
  return move;
}

function moveRow(state: State, { kind, repository, ...move }: MoveRecord): object {
  const record = state[kind].get(String(repository));
  return { ...move, [kind]: record && kinds[kind].row(record) };
}

const next: Readonly<Record<string, string>> = { scheduled: "started", started: "replicated", replicated: "finished" };

/**
 * Runs storage moves, those that were under way when the server restarted too: each for `duration` milliseconds after it
 * was scheduled.
 */
export function createMover(state: State, release: string, duration: number) {
  const timers = new Set<NodeJS.Timeout>();
  const start = (id: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      if (advance(state, release, id)) start(id);
      state.store.settled()?.catch(() => undefined);
    }, duration / Object.keys(next).length);
    timers.add(timer);
  };
  for (const move of [...state.move.values()].filter((each) => each.state in next)) {
    state.moving[move.kind].add(move.repository);
    start(move.id);
  }
  return { start, stop: () => timers.forEach((timer) => void clearTimeout(timer)) };
}

/** Advances a move by one state; true if it is not finished. */
function advance(state: State, release: string, id: number): boolean {
  const move = state.move.get(String(id));
  const repository = move && state[move.kind].get(String(move.repository));
  if (!move || !repository) return false;
  const { fail_moves = 0, leave_copy } = repository;
  const isFailing = move.state === "started" && (fail_moves > 0 || mustFail(state, release, move));
  const reached = isFailing ? "failed" : (next[move.state] ?? move.state);
  put(state, "move", id, { ...move, state: reached === "finished" && leave_copy ? "cleanup failed" : reached });
  if (reached in next) return true;
  const change = isFailing
    ? { fail_moves: Math.max(0, fail_moves - 1) }
    : { repository_storage: move.destination_storage_name };
  put(state, move.kind, repository.id, { ...repository, ...change });
  state.moving[move.kind].delete(move.repository);
  return false;
}

/** True if the move is to its own storage, or to a cluster without direct-fetch replication. */
function mustFail({ storage, feature }: State, release: string, move: MoveRecord): boolean {
  const { source_storage_name: source, destination_storage_name: destination } = move;
  const isCluster = storage.get(destination)?.cluster === true;
  return source === destination || (isCluster && needsDirectFetch(release) && !feature.has("direct_fetch_replication"));
}
