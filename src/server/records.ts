import type {
  Caller,
  DeploymentRecord,
  IntegrationRecord,
  LicenseRecord,
  MoveRecord,
  ProjectState,
  Repository,
  State,
  Storage,
} from "./state.ts";
import type { RowKind } from "./store.ts";

/** Every write to the state: what is put here is kept by the store, and {@link restore} brings it back. */
export function putProject(state: State, record: Repository): ProjectState {
  state.store.save("project", String(record.id), record);
  return placeProject(state, record);
}

function placeProject(state: State, record: Repository): ProjectState {
  const known = state.projects.get(record.id);
  if (known) {
    known.record = record;
    return known;
  }
  const project: ProjectState = {
    record,
    integrations: new Map(),
    licenses: [],
    deployments: [],
    mergeRequests: record.merge_requests ?? [],
  };
  state.projects.set(record.id, project);
  insertInOrder(state.projectsInOrder, project);
  state.projectsByPath.set(record.path.toLowerCase(), project);
  return project;
}

function insertInOrder(projects: ProjectState[], project: ProjectState): void {
  const after = projects.findLastIndex(({ record }) => record.id < project.record.id);
  projects.splice(after + 1, 0, project);
}

export function putSnippet(state: State, record: Repository): void {
  state.store.save("snippet", String(record.id), record);
  state.snippets.set(record.id, record);
}

export function putGroup(state: State, record: Repository): void {
  state.store.save("group", String(record.id), record);
  state.groups.set(record.id, record);
}

export function putIntegration(state: State, project: ProjectState, record: IntegrationRecord): void {
  state.store.save("integration", `${project.record.id}/${record.slug}`, record);
  project.integrations.set(record.slug, record);
}

export function putLicense(state: State, project: ProjectState, record: LicenseRecord): void {
  state.store.save("license", `${project.record.id}/${record.id}`, record);
  project.licenses = replaced(project.licenses, record);
}

export function dropLicense(state: State, project: ProjectState, record: LicenseRecord): void {
  state.store.forget("license", `${project.record.id}/${record.id}`);
  project.licenses = project.licenses.filter(({ id }) => id !== record.id);
}

export function putDeployment(state: State, project: ProjectState, record: DeploymentRecord): void {
  state.store.save("deployment", `${project.record.id}/${record.id}`, record);
  project.deployments = replaced(project.deployments, record);
}

/** All licenses or deployments of a project at once, when it is seeded or read back: `records` in the order of IDs. */
export function putLicenses(state: State, project: ProjectState, records: readonly LicenseRecord[]): void {
  for (const record of records) state.store.save("license", `${project.record.id}/${record.id}`, record);
  project.licenses = records;
}

export function putMove(state: State, move: MoveRecord): void {
  state.store.save("move", String(move.id), move);
  state.moves.set(move.id, move);
}

export function putStorage(state: State, storage: Storage): void {
  state.store.save("storage", storage.name, storage);
  state.storages.set(storage.name, storage);
}

export function putToken(state: State, token: string, caller: Caller): void {
  state.store.save("token", token, caller);
  state.tokens.set(token, caller);
}

export function putFeature(state: State, feature: string): void {
  state.store.save("feature", feature, true);
  state.features.add(feature);
}

function replaced<T extends { readonly id: number }>(records: readonly T[], record: T): readonly T[] {
  const place = records.findIndex(({ id }) => id === record.id);
  return place < 0 ? [...records, record] : records.with(place, record);
}

type Placement = (state: State, key: string, value: unknown) => void;

const placements: Record<RowKind, Placement> = {
  number: (state, key, value) => state.numbers.set(key, value as number),
  storage: (state, key, value) => state.storages.set(key, value as Storage),
  feature: (state, key) => state.features.add(key),
  token: (state, key, value) => state.tokens.set(key, value as Caller),
  project: (state, _, value) => placeProject(state, value as Repository),
  snippet: (state, _, value) => state.snippets.set((value as Repository).id, value as Repository),
  group: (state, _, value) => state.groups.set((value as Repository).id, value as Repository),
  integration: (state, key, value) => {
    const record = value as IntegrationRecord;
    owner(state, key).integrations.set(record.slug, record);
  },
  license: (state, key, value) => {
    (owner(state, key).licenses as LicenseRecord[]).push(value as LicenseRecord);
  },
  deployment: (state, key, value) => {
    (owner(state, key).deployments as DeploymentRecord[]).push(value as DeploymentRecord);
  },
  move: (state, _, value) => state.moves.set((value as MoveRecord).id, value as MoveRecord),
};

function owner(state: State, key: string): ProjectState {
  const project = state.projects.get(Number.parseInt(key, 10));
  if (!project) throw new Error(`the data file holds ${key} of a project that it does not hold`);
  return project;
}

/** Reads a store back into an empty state. */
export function restore(state: State): void {
  for (const { kind, key, value } of state.store.rows()) placements[kind](state, key, value);
  for (const project of state.projects.values()) {
    project.licenses = project.licenses.toSorted((a, b) => a.id - b.id);
    project.deployments = project.deployments.toSorted((a, b) => a.id - b.id);
  }
}
