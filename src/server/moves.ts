import type { Tier } from "../model/types.ts";
import { paged } from "./pages.ts";
import { projectNames } from "./projects.ts";
import { put } from "./records.ts";
import { invalid, json, type ServerReply } from "./reply.ts";
import { repositoryReaders } from "./repositories.ts";
import { type MoveKind, type MoveRecord, nextNumber, type Repository, type State, timestamp } from "./state.ts";
import { type Handler, tierRefusal, type Visit } from "./world.ts";

const tiers: Readonly<Record<MoveKind, Tier>> = { project: "free", snippet: "free", group: "premium" };

/** POST of a storage move: schedules one for each repository of the kind on the source (spec: Repository storage moves). */
export function scheduleMoves(kind: MoveKind): Handler {
  return (world, visit) => {
    const refusal = tierRefusal(world, `${kind} storage moves`, tiers[kind]) ?? storageFault(world.state, visit);
    if (refusal) return refusal;
    const source = String(visit.given.source_storage_name);
    const destination = destinationOf(world.state, visit, source);
    for (const repository of repositoriesOn(world.state, kind, source)) {
      world.startMove(schedule(world.state, kind, repository, destination).id);
    }
    return json(202, { message: "202 Accepted" });
  };
}

/** The moves of a kind, newest first; deployed servers have it, the spec does not. */
export function listMoves(kind: MoveKind): Handler {
  return (world, visit) => {
    const refusal = tierRefusal(world, `${kind} storage moves`, tiers[kind]);
    if (refusal) return refusal;
    const moves = [...world.state.moves.values()].filter((move) => move.kind === kind).reverse();
    return paged(world, visit, moves, (move) => moveRow(world.state, move));
  };
}

function storageFault({ storages }: State, { given }: Visit): ServerReply | undefined {
  const names = ["source_storage_name", "destination_storage_name"] as const;
  const unknown = names.filter((name) => given[name] !== undefined && !storages.has(String(given[name])));
  if (unknown.length === 0) return undefined;
  return invalid(unknown.map((name) => `${name} does not have a valid value`));
}

/** Where none is named, the first other storage. */
function destinationOf({ storages }: State, { given }: Visit, source: string): string {
  const named = given.destination_storage_name;
  if (named !== undefined) return String(named);
  return [...storages.keys()].find((name) => name !== source) ?? source;
}

/** Those on the storage that are not moving already. */
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
