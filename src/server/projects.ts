import type { JsonObject } from "../base/json.ts";
import { ownerRow, rowsWithin } from "./kind-store.ts";
import { keysetPaged, paged } from "./pages.ts";
import { readBoolean } from "./parameters.ts";
import { putProject } from "./records.ts";
import { forbidden, json, type ServerReply } from "./reply.ts";
import type { Handler, ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import { type Caller, findGroup, type Repository, type State } from "./state.ts";
import { permissionsOf } from "./users.ts";

/** GET /projects, all or those on one storage (docs/api.md#repository-storage-moves). */
export const listProjects: Handler = (context, call) => {
  const { state, behaviour } = context;
  const isAdmin = call.caller.role === "admin";
  const storage = call.given.repository_storage;
  if (storage !== undefined && !isAdmin && !behaviour.storageHidden) return forbidden;
  const filter = isAdmin ? storage : undefined;
  const rows = selectKeyset(listWanted(state, call, filter), call);
  const showsStorage = isAdmin || !behaviour.storageHidden;
  const row = (project: Repository) => ownerRowOf(context, project, showsStorage);
  if (isKeyset(call)) return keysetPaged(context, call, rows, row);
  return offsetFault(behaviour.projectOffsets, call) ?? paged(context, call, rows, row);
};

/** All rows of a list in its order, cached until a project changes. */
function listWanted(state: State, call: ParsedRequest, storage: unknown): readonly Repository[] {
  const { page, per_page, id_after, id_before, ...question } = call.raw;
  const key = JSON.stringify([call.caller.role, question]);
  const known = state.projectLists.get(key);
  if (known) return known;
  const isWanted = createFilter(call);
  const records = state.projectsInOrder.map(({ record }) => record);
  const rows = sortProjects(
    records.filter((each) => isWanted(each) && (storage === undefined || each.repository_storage === storage)),
    call,
  );
  if (state.projectLists.size === mostLists) state.projectLists.clear();
  state.projectLists.set(key, rows);
  return rows;
}

const mostLists = 8;

/** The projects that the caller may see, filtered by membership and name. Other filters are ignored. */
function createFilter({ raw }: ParsedRequest): (project: Repository) => boolean {
  const ofMember = raw.min_access_level !== undefined || ["membership", "owned"].some((name) => readBoolean(raw[name]));
  const isFound = searchFilter(raw.search);
  return (project) => project.access !== "hidden" && !(ofMember && project.access === "stranger") && isFound(project);
}

/** Searches the name and the last part of the path, ignoring case. */
export function searchFilter(search: unknown): (repository: Repository) => boolean {
  const words = typeof search === "string" ? search.toLowerCase() : "";
  if (words === "") return () => true;
  return ({ name, path }) =>
    [name, path.slice(path.lastIndexOf("/") + 1)].some((each) => each.toLowerCase().includes(words));
}

/** The error for a page number beyond the limit of deployed servers. */
function offsetFault(limit: number, { raw }: ParsedRequest): ServerReply | undefined {
  const offset = (Number(raw.page ?? 1) - 1) * Number(raw.per_page ?? 20);
  if (!(offset >= limit)) return undefined;
  const reason = `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type Project.`;
  return json(405, { error: `${reason} Remaining records can be retrieved using keyset pagination.` });
}

export const getProject: ProjectHandler = (context, { caller }, { record }) =>
  json(200, shownProject(context, caller, record));

/** POST /projects/:id/archive and /unarchive. */
export function setArchived(archived: boolean): ProjectHandler {
  return (context, { caller }, { record }) =>
    json(201, shownProject(context, caller, putProject(context.state, { ...record, archived }).record));
}

export function shownProject(context: ServerContext, caller: Caller, project: Repository): JsonObject {
  const showsStorage = caller.role === "admin" || !context.behaviour.storageHidden;
  return { ...ownerRowOf(context, project, showsStorage), permissions: permissionsOf(caller) };
}

/** A project with its settings, as lists of projects have it too. */
function ownerRowOf({ state, kinds }: ServerContext, project: Repository, showsStorage: boolean): JsonObject {
  const base = projectRow(state, project, showsStorage);
  const { repository_storage, ...row } = ownerRow(state, kinds.owners.project, project.id, base);
  const rows = rowsWithin(state, kinds, "project", project.id);
  return { ...row, ...(showsStorage && { repository_storage }), ...rows };
}

export function shownGroup({ state, kinds }: ServerContext, group: Repository): JsonObject {
  return {
    ...ownerRow(state, kinds.owners.group, group.id, groupRow(state, group)),
    ...rowsWithin(state, kinds, "group", group.id),
  };
}

function groupRow(state: State, group: Repository): JsonObject {
  const { path, name, created_at } = group;
  const parent = findGroup(state, path.slice(0, Math.max(0, path.lastIndexOf("/"))));
  const full_name = [...path.split("/").slice(0, -1), name].join(" / ");
  return {
    ...pathNames(group),
    full_name,
    full_path: path,
    parent_id: parent?.id ?? null,
    web_url: `https://code.example.com/groups/${path}`,
    created_at,
  };
}

function isKeyset({ given }: ParsedRequest): boolean {
  return given.pagination === "keyset" && given.order_by === "id";
}

/** `records` must be sorted by ID. */
function sortProjects(records: readonly Repository[], { given }: ParsedRequest): readonly Repository[] {
  const { order_by: field, sort } = given;
  const key = ({ name, path, created_at }: Repository) =>
    field === "name" ? name : field === "path" ? path : created_at;
  const sorted =
    field === "id" ? records : records.toSorted((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return sort === "desc" ? sorted.toReversed() : sorted;
}

/** The projects between the IDs of a keyset. */
function selectKeyset(rows: readonly Repository[], { given }: ParsedRequest): readonly Repository[] {
  const { order_by: field, sort, id_after: after, id_before: before } = given;
  if (after === undefined && before === undefined) return rows;
  const [least, most] = [Number(after ?? 0), Number(before ?? Number.POSITIVE_INFINITY)];
  if (field !== "id") return rows.filter(({ id }) => id > least && id < most);
  return sort === "desc"
    ? rows.slice(
        countLeading(rows, ({ id }) => id >= most),
        countLeading(rows, ({ id }) => id > least),
      )
    : rows.slice(
        countLeading(rows, ({ id }) => id <= least),
        countLeading(rows, ({ id }) => id < most),
      );
}

/** Binary search: the number of leading rows for which `isTrue` is true. */
function countLeading<Row>(rows: readonly Row[], isTrue: (row: Row) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const row = rows[middle];
    if (row !== undefined && isTrue(row)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function projectRow(state: State, project: Repository, showsStorage: boolean): JsonObject {
  return {
    ...projectNames(project),
    default_branch: project.default_branch,
    web_url: `https://code.example.com/${project.path}`,
    archived: project.archived ?? false,
    topics: project.topics ?? [],
    namespace: namespaceRow(state, project.path.slice(0, Math.max(0, project.path.lastIndexOf("/")))),
    last_activity_at: project.last_activity_at ?? project.created_at,
    marked_for_deletion_on: project.marked_for_deletion_on ?? null,
    ...(showsStorage && {
      repository_storage: project.repository_storage,
      repository_read_only: state.moving.project.has(project.id),
    }),
  };
}

function namespaceRow(state: State, path: string): JsonObject | null {
  const group = findGroup(state, path);
  return group ? { ...pathNames(group), kind: "group", full_path: path } : null;
}

function pathNames({ id, name, path }: Repository): JsonObject {
  return { id, name, path: path.slice(path.lastIndexOf("/") + 1) };
}

export function projectNames({ id, path, name, created_at }: Repository): object {
  const segments = path.split("/");
  return {
    id,
    description: null,
    name,
    name_with_namespace: [...segments.slice(0, -1), name].join(" / "),
    path: segments.at(-1),
    path_with_namespace: path,
    created_at,
  };
}
