import type { JsonObject } from "../base/json.ts";
import { accessLevels } from "../model/command-access.ts";
import { ownerRow } from "./kind-store.ts";
import { inOrder, keysetPaged, paged } from "./pages.ts";
import { readBoolean } from "./parameters.ts";
import { forbidden, json, notFound, type ServerReply } from "./reply.ts";
import type { Handler, ParsedRequest, ProjectHandler, ServerContext } from "./server-context.ts";
import {
  type Caller,
  findRepository,
  lastSegment,
  parentPath,
  put,
  type Repository,
  type Role,
  repositoriesById,
  repositoryAt,
} from "./state.ts";

/** GET /projects, all or those on one storage (docs/api.md#repository-storage-moves). */
export const listProjects: Handler = (context, call) => {
  const { state, behaviour } = context;
  const { caller, given } = call;
  const isAdmin = caller.role === "admin";
  if (given.repository_storage !== undefined && !isAdmin && !behaviour.storageHidden) return forbidden;
  const rows = sortRepositories(repositoriesById(state, "project").filter(createFilter(call)), call);
  const row = (project: Repository) => projectRow(context, project, showsStorage(context, caller.role));
  if (given.pagination === "keyset" && given.order_by === "id")
    return keysetPaged(context, call, rows, row, given.sort);
  return offsetFault(behaviour.projectOffsets, call) ?? paged(context, call, rows, row);
};

/** The projects that the caller may see, by membership, name, storage and ID. Other filters are ignored. */
function createFilter({ caller, given, raw }: ParsedRequest): (project: Repository) => boolean {
  const ofMember = raw.min_access_level !== undefined || ["membership", "owned"].some((name) => readBoolean(raw[name]));
  const storage = caller.role === "admin" ? given.repository_storage : undefined;
  const [least, most] = [Number(given.id_after ?? 0), Number(given.id_before ?? Number.POSITIVE_INFINITY)];
  const isFound = searchFilter(raw.search);
  return (project) =>
    project.id > least &&
    project.id < most &&
    project.access !== "hidden" &&
    !(ofMember && project.access === "stranger") &&
    (storage === undefined || project.repository_storage === storage) &&
    isFound(project);
}

/** Searches the name and the last part of the path, ignoring case. */
function searchFilter(search: unknown): (repository: Repository) => boolean {
  const words = typeof search === "string" ? search.toLowerCase() : "";
  if (words === "") return () => true;
  return ({ name, path }) => [name, lastSegment(path)].some((each) => each.toLowerCase().includes(words));
}

/** The error for a page number beyond the limit of deployed servers. */
function offsetFault(limit: number, { raw }: ParsedRequest): ServerReply | undefined {
  const offset = (Number(raw.page ?? 1) - 1) * Number(raw.per_page ?? 20);
  if (!(offset >= limit)) return undefined;
  const reason = `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type Project.`;
  return json(405, { error: `${reason} Remaining records can be retrieved using keyset pagination.` });
}

/**
 * GET /groups: all groups that `search` matches, subgroups too unless top_level_only is true. As on the platform, keyset
 * pagination sorts by name only.
 */
export const listGroups: Handler = (context, call) => {
  const { order_by: field, sort, pagination } = call.given;
  if (pagination === "keyset" && (field !== "name" || sort !== "asc"))
    return json(405, { error: "Keyset pagination is not yet available for this type of request" });
  const isFound = searchFilter(call.raw.search);
  const topOnly = readBoolean(call.raw.top_level_only) === true;
  const groups = repositoriesById(context.state, "group").filter(
    (each) => isFound(each) && !(topOnly && each.path.includes("/")),
  );
  return paged(context, call, sortRepositories(groups, call), (each) => groupRow(context, each));
};

/** GET of the projects or groups directly below a group, archived ones too. */
export function listBelow(kind: "project" | "group"): Handler {
  return (context, call) => {
    const group = findRepository(context.state, "group", call.segments.id ?? "");
    if (!group) return notFound("Group");
    const path = group.path.toLowerCase();
    const all = repositoriesById(context.state, kind).filter((each) => {
      return each.access !== "hidden" && parentPath(each.path).toLowerCase() === path;
    });
    return paged(context, call, all, ({ id }) => shownOwner(context, call.caller, kind, id));
  };
}

export const getGroup: Handler = (context, { segments }) => {
  const group = findRepository(context.state, "group", segments.id ?? "");
  return group ? json(200, groupRow(context, group)) : notFound("Group");
};

export const getProject: ProjectHandler = (context, { caller }, { id }) =>
  json(200, shownOwner(context, caller, "project", id));

/** POST /projects/:id/archive and /unarchive. */
export function setArchived(archived: boolean): ProjectHandler {
  return (context, { caller }, project) => {
    put(context.state, "project", project.id, { ...project, archived });
    return json(201, shownOwner(context, caller, "project", project.id));
  };
}

/** `records` must be sorted by ID. */
function sortRepositories(records: readonly Repository[], { given }: ParsedRequest): readonly Repository[] {
  const { order_by: field, sort } = given;
  const isOther = field === "id" || field === "name" || field === "path";
  return inOrder(records, (record) => record[isOther ? field : "created_at"], sort);
}

export function shownOwner(context: ServerContext, { role }: Caller, of: "project" | "group", id: number): JsonObject {
  const record = context.state[of].get(String(id));
  if (!record) return {};
  if (of === "group") return groupRow(context, record);
  // Administrators are not necessarily members.
  const [level] = accessLevels.find(([, name]) => name.toLowerCase() === role) ?? [];
  const project_access = level ? { access_level: level, notification_level: 3 } : null;
  const permissions = { project_access, group_access: null };
  return { ...projectRow(context, record, showsStorage(context, role)), permissions };
}

function showsStorage({ behaviour }: ServerContext, role: Role): boolean {
  return role === "admin" || !behaviour.storageHidden;
}

/** A project with its settings, as lists of projects have it too. */
function projectRow(context: ServerContext, project: Repository, withStorage: boolean): JsonObject {
  const { state } = context;
  const { id, path, archived = false, topics = [], marked_for_deletion_on = null, created_at } = project;
  const group = repositoryAt(state, "group", parentPath(path));
  const base = {
    ...projectNames(project),
    default_branch: project.default_branch,
    web_url: `https://code.example.com/${path}`,
    archived,
    topics,
    namespace: group ? { ...pathNames(group), kind: "group", full_path: group.path } : null,
    last_activity_at: project.last_activity_at ?? created_at,
    marked_for_deletion_on,
    ...(withStorage && {
      repository_storage: project.repository_storage,
      repository_read_only: state.moving.project.has(id),
    }),
  };
  const { repository_storage, ...row } = ownerRow(context, "project", id, base);
  return { ...row, ...(withStorage && { repository_storage }) };
}

function groupRow(context: ServerContext, group: Repository): JsonObject {
  const { id, path, name, created_at } = group;
  return ownerRow(context, "group", id, {
    ...pathNames(group),
    full_name: [...path.split("/").slice(0, -1), name].join(" / "),
    full_path: path,
    parent_id: repositoryAt(context.state, "group", parentPath(path))?.id ?? null,
    web_url: `https://code.example.com/groups/${path}`,
    created_at,
  });
}

function pathNames({ id, name, path }: Repository): JsonObject {
  return { id, name, path: lastSegment(path) };
}

export function projectNames({ id, path, name, created_at }: Repository): object {
  return {
    id,
    description: null,
    name,
    name_with_namespace: [...path.split("/").slice(0, -1), name].join(" / "),
    path: lastSegment(path),
    path_with_namespace: path,
    created_at,
  };
}
