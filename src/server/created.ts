import type { JsonObject } from "../base/json.ts";
import { changeOwner } from "./kind-handlers.ts";
import { checkKindParameters } from "./kind-values.ts";
import type { ServedKind } from "./kinds.ts";
import { paged } from "./pages.ts";
import { shownGroup, shownProject } from "./projects.ts";
import { put, putProject } from "./records.ts";
import { forbidden, invalid, json, notFound, refused, type ServerReply } from "./reply.ts";
import type { Handler, ServerContext } from "./server-context.ts";
import { type Caller, findGroup, findProject, nextNumber, type Repository, roles, timestamp } from "./state.ts";

/** GET /groups/:id/projects: the projects directly below a group, archived ones too. */
export const listGroupProjects: Handler = (context, call) => {
  const group = findGroup(context.state, call.segments.id ?? "");
  if (!group) return notFound("Group");
  const records = context.state.projectsInOrder.map(({ record }) => record);
  const own = records.filter((each) => each.access !== "hidden" && folderOf(each) === group.path.toLowerCase());
  return paged(context, call, own, (each) => shownProject(context, call.caller, each));
};

/** GET /groups/:id/subgroups: the groups directly below a group. */
export const listSubgroups: Handler = (context, call) => {
  const group = findGroup(context.state, call.segments.id ?? "");
  if (!group) return notFound("Group");
  const own = [...context.state.groups.values()].filter((each) => folderOf(each) === group.path.toLowerCase());
  return paged(context, call, own, (each) => shownGroup(context, each));
};

function folderOf({ path }: Repository): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/"))).toLowerCase();
}

/** POST /projects: in a group, or else in the namespace of the user. */
export const createProject: Handler = (context, { caller, raw }) => {
  const { state, kinds } = context;
  const path = String(raw.path ?? raw.name ?? "");
  if (path === "") return invalid(["name, path are missing, at least one parameter must be provided"]);
  const above = findAbove(context, caller, raw.namespace_id, () =>
    json(400, { message: { namespace: ["is not valid"] } }),
  );
  if (above && "status" in above) return above;
  const full = `${above?.path ?? caller.user.username}/${path}`;
  if (findProject(state, full)) return taken;
  const settings = readSettings(kinds.owners.project, raw);
  if (settings.faults.length > 0) return invalid(settings.faults);
  const record = createRecord(nextNumber(state, "project"), full, raw.name);
  putProject(state, record);
  const save = (changed: Repository) => void putProject(state, changed);
  settings.store((kind) => changeOwner(state, kind, { record, save }, settings.params));
  return json(201, shownProject(context, caller, state.projects.get(record.id)?.record ?? record));
};

/** POST /groups: below another group, or at the top. */
export const createGroup: Handler = (context, { caller, raw }) => {
  const { state, kinds } = context;
  const missing = ["name", "path"].filter((name) => typeof raw[name] !== "string" || raw[name] === "");
  if (missing.length > 0) return invalid(missing.map((name) => `${name} is missing`));
  const above = findAbove(context, caller, raw.parent_id, () => notFound("Group"));
  if (above && "status" in above) return above;
  const full = above ? `${above.path}/${raw.path}` : String(raw.path);
  if (findGroup(state, full)) return taken;
  const settings = readSettings(kinds.owners.group, raw);
  if (settings.faults.length > 0) return invalid(settings.faults);
  const record = createRecord(nextNumber(state, "group"), full, raw.name);
  const save = (changed: Repository) => put(state, "group", record.id, changed);
  save(record);
  settings.store((kind) => changeOwner(state, kind, { record, save }, settings.params));
  return json(201, shownGroup(context, state.groups.get(record.id) ?? record));
};

const taken = refused(400, "Failed to save: path has already been taken");

/** The group in which something is created; an error if it does not exist, or the role does not suffice. */
function findAbove(
  { state }: ServerContext,
  { role }: Caller,
  id: unknown,
  absent: () => ServerReply,
): Repository | ServerReply | undefined {
  if (id === undefined || id === null) return undefined;
  const group = /^\d+$/.test(String(id)) ? findGroup(state, String(id)) : undefined;
  if (!group) return absent();
  return roles.indexOf(role) < roles.indexOf("maintainer") ? forbidden : group;
}

/** The settings among the parameters, and their kind. */
function readSettings(
  [kind]: readonly ServedKind[],
  { path: _, namespace_id: __, parent_id: ___, ...raw }: JsonObject,
) {
  const { params, faults } = kind ? checkKindParameters(kind.checks, kind.checks.change, raw, false) : unread;
  const store = (by: (kind: ServedKind) => void) => {
    if (kind) by(kind);
  };
  return { params, faults, store };
}

const unread = { params: {}, faults: [] } as const;

function createRecord(id: number, path: string, name: unknown): Repository {
  const own = path.slice(path.lastIndexOf("/") + 1);
  return { id, path, name: String(name ?? own), repository_storage: "default", created_at: timestamp() };
}
