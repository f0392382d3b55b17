import { changeOwner } from "./kind-handlers.ts";
import { checkKindParameters } from "./kind-values.ts";
import { shownOwner } from "./projects.ts";
import { forbidden, invalid, json, notFound, refused, type ServerReply } from "./reply.ts";
import type { Handler, ParsedRequest, ServerContext } from "./server-context.ts";
import { findRepository, lastSegment, nextNumber, put, type Repository, roles, timestamp } from "./state.ts";

/** POST /projects: in a group, or else in the namespace of the user. */
export const createProject: Handler = (context, call) => {
  const { caller, raw } = call;
  const path = String(raw.path ?? raw.name ?? "");
  if (path === "") return invalid(["name, path are missing, at least one parameter must be provided"]);
  const above = findAbove(context, call, raw.namespace_id) ?? json(400, { message: { namespace: ["is not valid"] } });
  return "status" in above ? above : create(context, call, "project", `${above.path || caller.user.username}/${path}`);
};

/** POST /groups: below another group, or at the top. */
export const createGroup: Handler = (context, call) => {
  const { raw } = call;
  const missing = ["name", "path"].filter((name) => typeof raw[name] !== "string" || raw[name] === "");
  if (missing.length > 0) return invalid(missing.map((name) => `${name} is missing`));
  const above = findAbove(context, call, raw.parent_id) ?? notFound("Group");
  return "status" in above ? above : create(context, call, "group", `${above.path && `${above.path}/`}${raw.path}`);
};

/** The group in which something is created, or the top; an error if the role does not suffice; undefined if there is none. */
function findAbove({ state }: ServerContext, { caller }: ParsedRequest, id: unknown) {
  if (id === undefined || id === null) return { path: "" };
  const group = state.group.get(String(id));
  return group && roles.indexOf(caller.role) < roles.indexOf("maintainer") ? forbidden : group;
}

function create(
  context: ServerContext,
  { caller, raw: { path: _, namespace_id: __, parent_id: ___, ...raw } }: ParsedRequest,
  of: "project" | "group",
  path: string,
): ServerReply {
  const { state, kinds } = context;
  if (findRepository(state, of, path)) return refused(400, "Failed to save: path has already been taken");
  const [kind] = kinds.owners[of];
  const read = kind && checkKindParameters(kind.checks, kind.checks.change, raw, false);
  if (read && read.faults.length > 0) return invalid(read.faults);
  const id = nextNumber(state, of);
  const name = String(raw.name ?? lastSegment(path));
  const record: Repository = { id, path, name, repository_storage: "default", created_at: timestamp() };
  put(state, of, id, record);
  if (read) changeOwner(state, kind, record, read.params);
  return json(201, shownOwner(context, caller, of, id));
}
