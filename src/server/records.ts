import type {
  Caller,
  DeploymentRecord,
  KindRecord,
  MoveRecord,
  ProjectState,
  Repository,
  State,
  Storage,
  User,
} from "./state.ts";
import type { RowKind } from "./store.ts";

interface Rows {
  readonly number: number;
  readonly storage: Storage;
  readonly feature: true;
  readonly token: Caller;
  readonly user: User;
  readonly project: Repository;
  readonly snippet: Repository;
  readonly group: Repository;
  readonly deployment: DeploymentRecord;
  readonly move: MoveRecord;
  readonly resource: KindRecord;
}

/** Saves a record to the state and the store; {@link restore} reads it back. */
export function put<Each extends RowKind>(state: State, kind: Each, key: string | number, row: Rows[Each]): void {
  state.store.save(kind, String(key), row);
  placements[kind](state, String(key), row);
}

/** Saves a project; its deployments are kept. */
export function putProject(state: State, record: Repository): ProjectState {
  state.store.save("project", String(record.id), record);
  return placeProject(state, record.id, record);
}

function placeProject(state: State, _: unknown, record: Repository): ProjectState {
  state.projectLists.clear();
  const known = state.projects.get(record.id);
  if (known) {
    known.record = record;
    return known;
  }
  const project: ProjectState = {
    record,
    deployments: [],
    mergeRequests: record.merge_requests ?? [],
  };
  state.projects.set(record.id, project);
  insertInOrder(state.projectsInOrder, project);
  state.projectsByPath.set(record.path.toLowerCase(), project);
  for (const path of record.former_paths ?? []) state.formerPaths.set(path.toLowerCase(), project);
  return project;
}

function insertInOrder(projects: ProjectState[], project: ProjectState): void {
  const after = projects.findLastIndex(({ record }) => record.id < project.record.id);
  projects.splice(after + 1, 0, project);
}

export function putDeployment(state: State, project: ProjectState, record: DeploymentRecord): void {
  state.store.save("deployment", `${project.record.id}/${record.id}`, record);
  project.deployments = replaceRecord(project.deployments, record);
}

export function dropDeployment(state: State, project: ProjectState, record: DeploymentRecord): void {
  state.store.forget("deployment", `${project.record.id}/${record.id}`);
  project.deployments = project.deployments.filter(({ id }) => id !== record.id);
}

/** Saves a row of a kind at the place with this key. */
export function putRow(state: State, key: string, record: KindRecord): void {
  state.store.save("resource", `${key}/${record.number}`, record);
  const known = state.rows.get(key) ?? [];
  const index = known.findIndex(({ number }) => number === record.number);
  state.rows.set(key, index < 0 ? [...known, record] : known.with(index, record));
}

export function dropRow(state: State, key: string, { number }: KindRecord): void {
  state.store.forget("resource", `${key}/${number}`);
  state.rows.set(
    key,
    (state.rows.get(key) ?? []).filter((each) => each.number !== number),
  );
}

function replaceRecord<T extends { readonly id: number }>(records: readonly T[], record: T): readonly T[] {
  const place = records.findIndex(({ id }) => id === record.id);
  return place < 0 ? [...records, record] : records.with(place, record);
}

const placements: { readonly [Each in RowKind]: (state: State, key: string, row: Rows[Each]) => void } = {
  number: (state, key, value) => state.numbers.set(key, value),
  storage: (state, key, storage) => state.storages.set(key, storage),
  feature: (state, key) => state.features.add(key),
  token: (state, key, caller) => state.tokens.set(key, caller),
  user: (state, _, user) => state.users.set(user.id, user),
  project: placeProject,
  snippet: (state, _, record) => state.snippets.set(record.id, record),
  group: placeGroup,
  deployment: (state, key, record) => (findOwner(state, key).deployments as DeploymentRecord[]).push(record),
  move: (state, _, move) => state.moves.set(move.id, move),
  resource: (state, key, record) => {
    const place = key.slice(0, key.lastIndexOf("/"));
    state.rows.set(place, [...(state.rows.get(place) ?? []), record]);
  },
};

function placeGroup(state: State, _: string, record: Repository): void {
  state.groups.set(record.id, record);
  state.groupsByPath.set(record.path.toLowerCase(), record);
}

function parseId(key: string): number {
  return Number.parseInt(key, 10);
}

function findOwner(state: State, key: string): ProjectState {
  const project = state.projects.get(parseId(key));
  if (!project) throw new Error(`the data file has ${key} of a project that is missing in it`);
  return project;
}

type Placement = (state: State, key: string, row: unknown) => void;

/** Reads a store back into an empty state. */
export function restore(state: State): void {
  for (const { kind, key, value } of state.store.rows()) (placements[kind] as Placement)(state, key, value);
  for (const project of state.projects.values()) {
    project.deployments = project.deployments.toSorted((a, b) => a.id - b.id);
  }
  for (const [key, records] of state.rows) {
    const inOrder = records.toSorted((a, b) => a.number - b.number);
    state.rows.set(key, inOrder);
  }
}
