import { isObject, type JsonObject } from "../base/json.ts";
import type { Catalogue } from "../model/catalogue.ts";
import type { Owner } from "../model/owner.ts";
import type { Scalar } from "../model/types.ts";
import { loadAuditEvents } from "./audit-events.ts";
import { jobOf } from "./deployment-rows.ts";
import type { IntegrationRecord } from "./integration-record.ts";
import { changedRow } from "./kind-rows.ts";
import { addRow, instanceId, makeRow, putRecord, type RowPlace, rowCounter, seededParameters } from "./kind-store.ts";
import type { ServedKinds } from "./kinds.ts";
import * as records from "./records.ts";
import type { Seed, SeedDeployment, SeedProject, SeedRepository, SeedRows } from "./seed.ts";
import {
  type Caller,
  type DeploymentRecord,
  finalStatuses,
  findGroup,
  findProject,
  nextNumber,
  type ProjectState,
  type Repository,
  type State,
  takeNumber,
  timestamp,
  type User,
  userOf,
} from "./state.ts";

const defaultStorage = "default";

/** Default of `active` for a seeded integration. */
export type ActiveByDefault = (slug: string) => boolean;

/** The parameter's default, unless a PUT always activates. */
export function activeBy({ integrations }: Catalogue, putActivates: boolean): ActiveByDefault {
  return (slug) => putActivates || Boolean(integrations.get(slug)?.parameters.get("active")?.default ?? true);
}

export function loadSeed(state: State, seed: Seed, isActive: ActiveByDefault, kinds: ServedKinds): void {
  const now = timestamp();
  for (const storage of seed.storages ?? []) {
    const { name, cluster = false } = typeof storage === "string" ? { name: storage } : storage;
    records.put(state, "storage", name, { name, cluster });
  }
  for (const [feature, on] of Object.entries(seed.features ?? {})) if (on) records.put(state, "feature", feature, true);
  reserve(state, seed, kinds);
  for (const { token, ...who } of seed.tokens ?? []) records.put(state, "token", token, createCaller(state, who));
  for (const user of seed.users ?? []) loadUser(state, user);
  for (const seeded of seed.snippets ?? []) loadRepository(state, "snippet", seeded, now);
  for (const seeded of seed.groups ?? []) {
    const { id } = loadRepository(state, "group", seeded, now);
    loadAuditEvents(state, "group", id, seeded.audit_events);
  }
  for (const project of seed.projects ?? []) loadProject(state, project, now);
  loadRows(state, seed, { kinds, now, isActive });
}

function loadRepository(state: State, kind: "snippet" | "group", seed: SeedRepository, now: string): Repository {
  const record = createRepository(state, kind, seed, now);
  records.put(state, kind, record.id, record);
  return record;
}

function loadUser(state: State, seed: NonNullable<Seed["users"]>[number]): void {
  const { id, username, name = username } = typeof seed === "string" ? { username: seed, id: undefined } : seed;
  const number = id ? takeNumber(state, "user", id) : takeNumber(state, "user", Math.max(2, nextNumber(state, "user")));
  const user = { ...userOf(number, "guest"), username, name, web_url: `https://code.example.com/${username}` };
  records.put(state, "user", number, user);
}

function createCaller(state: State, { role, scopes, expires_at }: Omit<Caller, "user">): Caller {
  return {
    role,
    ...(scopes && { scopes }),
    ...(expires_at !== undefined && { expires_at }),
    user: userOf(takeNumber(state, "user", Math.max(2, nextNumber(state, "user"))), role),
  };
}

/** Reserves the IDs that the seed states, so that nothing else gets one. */
function reserve(state: State, seed: Seed, kinds: ServedKinds): void {
  const { projects = [], groups = [], snippets = [], users = [] } = seed;
  const take = (counter: string, stated: readonly unknown[]) => {
    for (const each of stated)
      if (isObject(each) && Number.isInteger(each.id)) takeNumber(state, counter, Number(each.id));
  };
  const deployments = projects.flatMap((project) => project.deployments ?? []);
  take("project", projects);
  take("group", groups);
  take("snippet", snippets);
  take("user", users);
  take("deployment", deployments);
  take(
    "environment",
    deployments.map(({ environment }) => environment),
  );
  for (const kind of kinds.all) {
    const owners = { project: projects, group: groups, instance: [{ resources: seed.instance }] }[kind.of];
    take(
      rowCounter(kind),
      owners.flatMap(({ resources = {} }) => [resources[kind.file.name] ?? []].flat()),
    );
  }
}

function createRepository(
  state: State,
  kind: "project" | "snippet" | "group",
  seed: SeedRepository,
  now: string,
): Repository {
  const id = seed.id ? takeNumber(state, kind, seed.id) : nextNumber(state, kind);
  const path = seed.path ?? String(id);
  const storage = seed.repository_storage ?? defaultStorage;
  if (!state.storages.has(storage)) records.put(state, "storage", storage, { name: storage, cluster: false });
  return {
    id,
    path,
    name: seed.name ?? path.slice(path.lastIndexOf("/") + 1),
    repository_storage: storage,
    created_at: now,
    ...(seed.fail_moves && { fail_moves: seed.fail_moves }),
    ...(seed.leave_copy && { leave_copy: true }),
  };
}

function loadProject(state: State, seed: SeedProject, now: string): void {
  const access = toAccess(seed);
  const { archived, topics = [], marked_for_deletion_on, last_activity_at = now } = seed;
  const project = records.putProject(state, {
    ...createRepository(state, "project", seed, now),
    default_branch: seed.default_branch ?? "main",
    topics,
    last_activity_at,
    ...(archived && { archived }),
    ...(marked_for_deletion_on !== undefined && { marked_for_deletion_on }),
    ...(access && { access }),
    ...(seed.former_paths && { former_paths: seed.former_paths }),
    ...(seed.merge_requests && { merge_requests: seed.merge_requests }),
  });
  loadAuditEvents(state, "project", project.record.id, seed.audit_events);
  for (const deployment of seed.deployments ?? []) {
    records.putDeployment(state, project, createDeployment(state, project, deployment, now));
  }
}

function toAccess({ access, visible }: SeedProject): Repository["access"] {
  if (visible === false) return "hidden";
  return access === "full" ? undefined : access;
}

function createIntegration(
  state: State,
  slug: string,
  { active, created_at, updated_at, inherited, ...values }: Readonly<Record<string, Scalar>>,
  now: string,
  isActive: ActiveByDefault,
): IntegrationRecord {
  return {
    id: nextNumber(state, "integration"),
    slug,
    active: Boolean(active ?? isActive(slug)),
    created_at: String(created_at ?? now),
    updated_at: String(updated_at ?? now),
    ...(inherited === true && { inherited }),
    values,
  };
}

function createDeployment(state: State, project: ProjectState, seed: SeedDeployment, now: string): DeploymentRecord {
  const id = seed.id ? takeNumber(state, "deployment", seed.id) : nextNumber(state, "deployment");
  const counter = `deployment of ${project.record.id}`;
  const iid = seed.iid ? takeNumber(state, counter, seed.iid) : nextNumber(state, counter);
  const created = { ref: seed.ref ?? "main", sha: seed.sha ?? String(id).padStart(40, "0"), tag: seed.tag ?? false };
  const user = { ...userOf(1, "admin"), ...seed.user } as User;
  const status = seed.status ?? "success";
  const created_at = parseInstant(seed.created_at, now);
  const updated_at = parseInstant(seed.updated_at, created_at);
  return {
    id,
    iid,
    ...created,
    status,
    created_at,
    updated_at,
    ...(finalStatuses.has(status) && { finished_at: parseInstant(seed.finished_at, updated_at) }),
    user,
    environment: environmentOf(state, project, seed.environment ?? "production"),
    deployable: seed.deployable ? jobOf({ id, ...created, status, created_at, user }, seed.deployable) : null,
  };
}

function parseInstant(text: string | undefined, otherwise: string): string {
  const time = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(time) ? otherwise : new Date(time).toISOString();
}

/** The environment of that name among the project's deployments, or a new one. */
export function environmentOf(
  state: State,
  project: ProjectState,
  wanted: NonNullable<SeedDeployment["environment"]>,
): DeploymentRecord["environment"] {
  const { id, name, external_url } =
    typeof wanted === "string" ? { id: undefined, name: wanted, external_url: undefined } : wanted;
  const known = project.deployments.find(({ environment }) => environment.name === name)?.environment;
  if (known && external_url === undefined) return known;
  return {
    id: id ? takeNumber(state, "environment", id) : (known?.id ?? nextNumber(state, "environment")),
    name,
    external_url: external_url ?? "",
  };
}

/** Loads the rows of a seed that exist in the release and the tier. */
function loadRows(state: State, seed: Seed, context: SeedContext): void {
  loadOwner(state, { of: "instance", id: instanceId, resources: seed.instance, ...context });
  for (const { id, path, integrations, resources } of seed.groups ?? []) {
    const group = findGroup(state, String(id ?? path));
    if (group) loadOwner(state, { of: "group", id: group.id, integrations, resources, ...context });
  }
  for (const { path, integrations, licenses, resources } of seed.projects ?? []) {
    const project = state.projectsByPath.get(path.toLowerCase()) ?? findProject(state, path);
    const rows = Object.entries(licenses ?? {}).map(([name, approval_status]) => ({ name, approval_status }));
    const all = { ...(rows.length > 0 && { licenses: rows }), ...resources };
    if (project) loadOwner(state, { of: "project", id: project.record.id, integrations, resources: all, ...context });
  }
}

interface SeedContext {
  readonly kinds: ServedKinds;
  readonly now: string;
  readonly isActive: ActiveByDefault;
}

interface Seeded extends SeedContext {
  readonly of: Owner;
  readonly id: number;
  readonly integrations?: SeedProject["integrations"];
  readonly resources: SeedRows | undefined;
}

function loadOwner(state: State, { of, id, integrations = {}, resources = {}, kinds, now, isActive }: Seeded): void {
  const keyed = kinds.all.find((each) => each.file.keys && each.of === of);
  for (const [slug, values] of Object.entries(integrations)) {
    const row = createIntegration(state, slug, values ?? {}, now, isActive);
    if (keyed) putRecord(state, { kind: keyed, owner: id }, { number: row.id, row: { ...row } });
  }
  for (const [name, rows] of Object.entries(resources)) {
    const kind = kinds.all.find((each) => each.file.name === name && each.of === of);
    if (kind) for (const row of [rows].flat()) loadRow(state, { kind, owner: id }, row as JsonObject);
  }
}

/** Items of a list with the parts that the server gives its own, such as an ID. */
function completeItems(own: unknown, seeded: unknown): unknown {
  const [item] = Array.isArray(own) ? own : [];
  if (!isObject(item) || !Array.isArray(seeded)) return seeded;
  const empty = Object.fromEntries(Object.keys(item).map((name) => [name, null]));
  return seeded.map((each) => (isObject(each) ? { ...empty, ...each } : each));
}

/** Creates the row from its parameters; other parts are stored as in the seed. */
function loadRow(state: State, place: RowPlace, written: JsonObject): void {
  const { kind } = place;
  const seeded = seededParameters(state, kind, written);
  const known = new Set(kind.fields.flatMap(({ parameters }) => parameters));
  const params = Object.fromEntries(Object.entries(seeded).filter(([name]) => known.has(name)));
  const made = makeRow(state, place, params);
  const told = kind.isOwner ? changedRow(kind.fields, { params, row: {}, others: [] }) : {};
  const beside = Object.entries(seeded)
    .filter(([name]) => name in made || !known.has(name))
    .map(([name, value]) => [name, completeItems(made[name], value)] as const);
  addRow(state, place, params, { ...told, ...Object.fromEntries(beside) });
}
