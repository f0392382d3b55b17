import type { Tier } from "../model/types.ts";
import { repositoryReaders } from "./mover.ts";
import { paged } from "./pages.ts";
import { projectNames } from "./projects.ts";
import { put } from "./records.ts";
import { invalid, json, noRecord, notFound, type ServerReply } from "./reply.ts";
import { type Handler, type ParsedRequest, type ServerContext, tierRefusal } from "./server-context.ts";
import { type MoveKind, type MoveRecord, nextNumber, type Repository, type State, timestamp } from "./state.ts";

const tiers: Readonly<Record<MoveKind, Tier>> = { project: "free", snippet: "free", group: "premium" };

/** POST of a storage move: schedules one for each repository of the kind on the source (docs/api.md#repository-storage-moves). */
export function scheduleMoves(kind: MoveKind): Handler {
  return requireTier(kind, (context, call) => {
    const refusal = storageFault(context.state, call);
    if (refusal) return refusal;
    const source = String(call.given.source_storage_name);
    const destination = chooseDestination(context.state, call, source);
    for (const repository of repositoriesOn(context.state, kind, source)) {
      context.startMove(schedule(context.state, kind, repository, destination).id);
    }
    return json(202, { message: "202 Accepted" });
  });
}

/** The moves of a kind, newest first; this and the following endpoints exist on deployed servers only. */
export function listMoves(kind: MoveKind): Handler {
  return requireTier(kind, (context, call) => pageMoves(context, call, listMovesOf(context, kind)));
}

export function showMove(kind: MoveKind): Handler {
  return requireTier(kind, (context, call) => findMove(context, call, listMovesOf(context, kind)));
}

export function ownMoves(kind: MoveKind): Handler {
  return withRepository(kind, (context, call, { id }) => pageMoves(context, call, listMovesOf(context, kind, id)));
}

export function ownMove(kind: MoveKind): Handler {
  return withRepository(kind, (context, call, { id }) => findMove(context, call, listMovesOf(context, kind, id)));
}

/** POST of a move of one repository: scheduled, unless it is moving already. */
export function addMove(kind: MoveKind): Handler {
  return withRepository(kind, (context, call, repository) => {
    const { state } = context;
    if (state.moving[kind].has(repository.id)) return json(400, { message: { [kind]: ["is read-only"] } });
    const destination = chooseDestination(state, call, repository.repository_storage);
    if (!state.storages.has(destination)) {
      return json(400, { message: { destination_storage_name: ["is not included in the list"] } });
    }
    const move = schedule(state, kind, repository, destination);
    context.startMove(move.id);
    return json(201, moveRow(state, move));
  });
}

function requireTier(kind: MoveKind, answer: Handler): Handler {
  return (context, call) => tierRefusal(context, `${kind} storage moves`, tiers[kind]) ?? answer(context, call);
}

const kindNames: Readonly<Record<MoveKind, string>> = { project: "Project", snippet: "Snippet", group: "Group" };

function withRepository(
  kind: MoveKind,
  answer: (context: ServerContext, call: ParsedRequest, repository: Repository) => ServerReply,
): Handler {
  return requireTier(kind, (context, call) => {
    const repository = repositoryReaders[kind].named(context.state, call.segments.id ?? "");
    return repository ? answer(context, call, repository) : notFound(kindNames[kind]);
  });
}

function listMovesOf({ state }: ServerContext, kind: MoveKind, repository?: number): MoveRecord[] {
  const isWanted = (move: MoveRecord) =>
    move.kind === kind && (repository === undefined || move.repository === repository);
  return [...state.moves.values()].filter(isWanted).reverse();
}

function pageMoves(context: ServerContext, call: ParsedRequest, moves: readonly MoveRecord[]): ServerReply {
  return paged(context, call, moves, (move) => moveRow(context.state, move));
}

function findMove({ state }: ServerContext, { segments }: ParsedRequest, moves: readonly MoveRecord[]): ServerReply {
  const move = moves.find(({ id }) => String(id) === segments.move_id);
  return move ? json(200, moveRow(state, move)) : noRecord;
}

function storageFault({ storages }: State, { given }: ParsedRequest): ServerReply | undefined {
  const names = ["source_storage_name", "destination_storage_name"] as const;
  const unknown = names.filter((name) => given[name] !== undefined && !storages.has(String(given[name])));
  if (unknown.length === 0) return undefined;
  return invalid(unknown.map((name) => `${name} does not have a valid value`));
}

/** The default destination: the first other storage. */
function chooseDestination({ storages }: State, { given }: ParsedRequest, source: string): string {
  const named = given.destination_storage_name;
  if (named !== undefined) return String(named);
  return [...storages.keys()].find((name) => name !== source) ?? source;
}

/** Repositories on the storage that are not moving. */
function repositoriesOn(state: State, kind: MoveKind, storage: string): Repository[] {
  const moving = state.moving[kind];
  return repositoryReaders[kind]
    .list(state)
    .filter(({ id, repository_storage }) => repository_storage === storage && !moving.has(id));
}

function schedule(state: State, kind: MoveKind, repository: Repository, destination: string): MoveRecord {
  const move: MoveRecord = {
    id: nextNumber(state, "move"),
    kind,
    repository: repository.id,
    created_at: timestamp(),
    state: "scheduled",
    source_storage_name: repository.repository_storage,
    destination_storage_name: destination,
  };
  state.moving[kind].add(repository.id);
  put(state, "move", move.id, move);
  return move;
}

function moveRow(state: State, { kind, repository, ...move }: MoveRecord): object {
  const record = repositoryReaders[kind].find(state, repository);
  return { ...move, [kind]: record && names[kind](record) };
}

const names: Readonly<Record<MoveKind, (repository: Repository) => object>> = {
  project: projectNames,
  snippet: ({ id, name, created_at }) => ({ id, title: name, description: null, visibility: "private", created_at }),
  group: ({ id, path, name }) => ({ id, web_url: `https://code.example.com/groups/${path}`, name }),
};
