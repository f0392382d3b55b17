import { paged } from "./pages.ts";
import { shownGroup } from "./projects.ts";
import { integrationsOfGroup, put } from "./records.ts";
import { json, type ServerReply } from "./reply.ts";
import type { Handler, ParsedRequest, ServerContext } from "./server-context.ts";
import { type GroupState, nextNumber, type Repository, type State, timestamp } from "./state.ts";

/** Handles a request for a group that exists. */
export type GroupHandler = (context: ServerContext, call: ParsedRequest, group: GroupState) => ServerReply;

/** Creates the groups that are in paths and were not seeded, such as `a` and `a/b` for `a/b/project`. */
export function implyGroups(state: State): void {
  for (const path of [...state.groupsByPath.keys()]) implyAbove(state, path);
  for (const { record } of state.projectsInOrder) implyAbove(state, record.path);
}

function implyAbove(state: State, path: string): void {
  const end = path.lastIndexOf("/");
  const above = path.slice(0, Math.max(0, end));
  if (end < 0 || state.groupsByPath.has(above.toLowerCase())) return;
  implyAbove(state, above);
  const id = nextNumber(state, "group");
  const name = above.slice(above.lastIndexOf("/") + 1);
  const record = { id, path: above, name, repository_storage: "", created_at: timestamp(), implied: true } as const;
  put(state, "group", id, record);
}

/** A group with its own integrations. */
export function groupOwner(state: State, record: Repository): GroupState {
  return { record, integrations: integrationsOfGroup(state, record.id), isGroup: true };
}

/** The groups above a path, from the top. */
export function groupsAbove({ groupsByPath }: State, path: string): readonly Repository[] {
  const segments = path.toLowerCase().split("/").slice(0, -1);
  return segments.flatMap((_, index) => groupsByPath.get(segments.slice(0, index + 1).join("/")) ?? []);
}

/** GET /groups: all groups, subgroups too. As on the platform, keyset pagination goes by name alone. */
export const listGroups: Handler = (context, call) => {
  const { order_by: field, sort, pagination } = call.given;
  if (pagination === "keyset" && (field !== "name" || sort !== "asc"))
    return json(405, { error: "Keyset pagination is not yet available for this type of request" });
  const key = ({ id, name, path }: Repository) => (field === "id" ? id : field === "path" ? path : name);
  const groups = [...context.state.groups.values()].sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return paged(context, call, sort === "desc" ? groups.toReversed() : groups, (each) => shownGroup(context, each));
};

/** GET /groups/:id. */
export const getGroup: GroupHandler = (context, _, { record }) => json(200, shownGroup(context, record));
