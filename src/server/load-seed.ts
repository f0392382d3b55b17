import { isObject, type JsonObject } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Owner } from "../model/owner.ts";
import { addAuditEvent } from "./audit-events.ts";
import { storeDeployment } from "./deployments.ts";
import { type IntegrationRecord, saveRecord } from "./integrations.ts";
import { changedRow } from "./kind-rows.ts";
import { addRow, instanceId, makeRow, type RowPlace, rowCounter, seededParameters } from "./kind-store.ts";
import type { ServedKinds } from "./kinds.ts";
import type { Seed, SeedGroup, SeedProject } from "./seed.ts";
import {
  lastSegment,
  type MoveKind,
  nextNumber,
  parentPath,
  put,
  type Repository,
  repositoriesById,
  repositoryAt,
  type State,
  takeNumber,
  timestamp,
  userOf,
} from "./state.ts";

interface SeedContext {
  readonly state: State;
  readonly catalogue: Catalogue;
  /** True if a PUT activates integrations whatever the default of `active`. */
  readonly putActivates: boolean;
  readonly kinds: ServedKinds;
}

export function loadSeed(context: SeedContext, seed: Seed): void {
  const { state, kinds } = context;
  const now = timestamp();
  for (const storage of seed.storages ?? []) {
    const { name, cluster = false } = typeof storage === "string" ? { name: storage } : storage;
    put(state, "storage", name, { name, cluster });
  }
  for (const [feature, on] of Object.entries(seed.features ?? {})) if (on) put(state, "feature", feature, true);
  reserve(state, seed, kinds);
  for (const { token, ...who } of seed.tokens ?? [])
    put(state, "token", token, { ...who, user: userOf(nextUser(state), who.role) });
  for (const user of seed.users ?? []) loadUser(state, user);
  for (const snippet of seed.snippets ?? []) loadRepository(state, "snippet", snippet, now);
  const groups = (seed.groups ?? []).map((group) => [group, loadGroup(state, group, now)] as const);
  const projects = (seed.projects ?? []).map((project) => [project, loadProject(state, project, now)] as const);
  if (seed.instance) loadRows(context, "instance", instanceId, { resources: seed.instance });
  for (const [group, { id }] of groups) loadRows(context, "group", id, group);
  for (const [{ integrations = {}, licenses, resources }, { id }] of projects) {
    const rows = Object.entries(licenses ?? {}).map(([name, approval_status]) => ({ name, approval_status }));
    const all = { ...(rows.length > 0 && { licenses: rows }), ...resources };
    loadRows(context, "project", id, { integrations, resources: all });
  }
}

/** The next number of a user: the first is the administrator. */
function nextUser(state: State): number {
  return takeNumber(state, "user", Math.max(2, nextNumber(state, "user")));
}

function loadUser(state: State, seed: NonNullable<Seed["users"]>[number]): void {
  const { id, username, name = username } = typeof seed === "string" ? { username: seed, id: undefined } : seed;
  const number = id ? takeNumber(state, "user", id) : nextUser(state);
  const user = { ...userOf(number, "guest"), username, name, web_url: `https://code.example.com/${username}` };
  put(state, "user", number, user);
}

/** Reserves the IDs that the seed states, so that nothing else gets one. */
function reserve(state: State, seed: Seed, kinds: ServedKinds): void {
  const { projects = [], groups = [], snippets = [], users = [] } = seed;
  const deployments = projects.flatMap((project) => project.deployments ?? []);
  const environments = deployments.map(({ environment }) => environment);
  const owners = { project: projects, group: groups, instance: [{ resources: seed.instance }] };
  const rows = kinds.all.map((kind) => {
    const stated = owners[kind.of].flatMap(({ resources = {} }) => resources[kind.file.name] ?? []);
    return [rowCounter(kind), stated] as const;
  });
  const repositories = { project: projects, group: groups, snippet: snippets };
  const others = { user: users, deployment: deployments, environment: environments };
  for (const [counter, all] of [...Object.entries({ ...repositories, ...others }), ...rows])
    for (const each of all)
      if (isObject(each) && Number.isInteger(each.id)) takeNumber(state, counter, Number(each.id));
}

function loadRepository(state: State, kind: MoveKind, seed: Partial<Repository>, now: string): Repository {
  const id = seed.id ? takeNumber(state, kind, seed.id) : nextNumber(state, kind);
  const { path = String(id), repository_storage = "default" } = seed;
  if (!state.storage.has(repository_storage))
    put(state, "storage", repository_storage, { name: repository_storage, cluster: false });
  const repository = { name: lastSegment(path), created_at: now, ...seed, id, path, repository_storage };
  put(state, kind, id, repository);
  return repository;
}

function loadGroup(state: State, seed: SeedGroup, now: string): Repository {
  const { audit_events, integrations: _, resources: __, ...own } = seed;
  const group = loadRepository(state, "group", own, now);
  for (const event of audit_events ?? []) addAuditEvent(state, "group", group.id, event);
  return group;
}

function loadProject(state: State, seed: SeedProject, now: string): Repository {
  const { audit_events, integrations: _, resources: __, licenses: ___, deployments, visible, access, ...own } = seed;
  const shown = visible === false ? "hidden" : access;
  const defaults = { default_branch: "main", topics: [], last_activity_at: now };
  const given: Partial<Repository> = { ...own, ...(shown && shown !== "full" && { access: shown }) };
  const project = loadRepository(state, "project", { ...defaults, ...given }, now);
  for (const event of audit_events ?? []) addAuditEvent(state, "project", project.id, event);
  for (const deployment of deployments ?? []) storeDeployment(state, project, deployment, now);
  return project;
}

/** Creates the groups that are in paths and were not seeded, such as `a` and `a/b` for `a/b/project`. */
export function implyGroups(state: State): void {
  for (const { path } of [...state.group.values(), ...repositoriesById(state, "project")]) implyAbove(state, path);
}

function implyAbove(state: State, path: string): void {
  const above = parentPath(path);
  if (above === "" || repositoryAt(state, "group", above)) return;
  implyAbove(state, above);
  const id = nextNumber(state, "group");
  const name = lastSegment(above);
  const created_at = timestamp();
  put(state, "group", id, { id, path: above, name, repository_storage: "", created_at, implied: true });
}

/** Loads the rows of a project, a group or the instance that exist in the release and the tier. */
function loadRows(context: SeedContext, of: Owner, id: number, { integrations, resources }: SeedGroup): void {
  const { state, kinds } = context;
  const keyed = kinds.all.find((each) => each.file.keys && each.of === of);
  for (const [slug, values] of Object.entries(integrations ?? {})) {
    const record = createIntegration(context, slug, values ?? {});
    if (keyed) saveRecord({ state, kind: keyed, owner: id }, record);
  }
  for (const [name, rows] of Object.entries(resources ?? {})) {
    const kind = kinds.all.find((each) => each.file.name === name && each.of === of);
    if (kind) for (const row of [rows].flat()) loadRow({ state, kind, owner: id }, row as JsonObject);
  }
}

function createIntegration(context: SeedContext, slug: string, given: IntegrationRecord["values"]): IntegrationRecord {
  const { state, catalogue, putActivates } = context;
  const { active, created_at, updated_at, inherited, ...values } = given;
  const now = timestamp();
  const byDefault = putActivates || (catalogue.integrations.get(slug)?.parameters.get("active")?.default ?? true);
  return {
    id: nextNumber(state, "integration"),
    slug,
    active: Boolean(active ?? byDefault),
    created_at: String(created_at ?? now),
    updated_at: String(updated_at ?? now),
    ...(inherited === true && { inherited }),
    values,
  };
}

/** Items of a list with the parts that the server gives its own, such as an ID. */
function completeItems(own: unknown, seeded: unknown): unknown {
  const [item] = Array.isArray(own) ? own : [];
  if (!isObject(item) || !Array.isArray(seeded)) return seeded;
  const empty = Object.fromEntries(Object.keys(item).map((name) => [name, null]));
  return seeded.map((each) => (isObject(each) ? { ...empty, ...each } : each));
}

/** Creates the row from its parameters; other parts are stored as in the seed. */
function loadRow(place: RowPlace, written: JsonObject): void {
  const { kind } = place;
  const seeded = seededParameters(place, written);
  const known = new Set(kind.fields.flatMap(({ parameters }) => parameters));
  const params = Object.fromEntries(Object.entries(seeded).filter(([name]) => known.has(name)));
  const made = makeRow(place, params);
  const told = kind.isOwner ? changedRow(kind.fields, { params, row: {}, others: () => [] }) : made;
  const beside = Object.entries(seeded)
    .filter(([name]) => name in made || !known.has(name))
    .map(([name, value]) => [name, completeItems(made[name], value)] as const);
  addRow(place, { ...told, ...Object.fromEntries(beside) });
}
