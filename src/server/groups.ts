import { paged } from "./pages.ts";
import { readBoolean } from "./parameters.ts";
import { searchFilter, shownGroup } from "./projects.ts";
import { put } from "./records.ts";
import { json, notFound } from "./reply.ts";
import type { Handler } from "./server-context.ts";
import { findGroup, nextNumber, type Repository, type State, timestamp } from "./state.ts";

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

/** GET /groups: all groups that `search` matches, subgroups too unless top_level_only is true. As on the platform, keyset pagination goes by name alone. */
export const listGroups: Handler = (context, call) => {
  const { order_by: field, sort, pagination } = call.given;
  if (pagination === "keyset" && (field !== "name" || sort !== "asc"))
    return json(405, { error: "Keyset pagination is not yet available for this type of request" });
  const key = ({ id, name, path }: Repository) => (field === "id" ? id : field === "path" ? path : name);
  const isWanted = readBoolean(call.raw.top_level_only) ? ({ path }: Repository) => !path.includes("/") : () => true;
  const all = [...context.state.groups.values()].filter(isWanted).filter(searchFilter(call.raw.search));
  const groups = all.sort((a, b) => (key(a) < key(b) ? -1 : Number(key(a) > key(b))));
  return paged(context, call, sort === "desc" ? groups.toReversed() : groups, (each) => shownGroup(context, each));
};

export const getGroup: Handler = (context, { segments }) => {
  const group = findGroup(context.state, segments.id ?? "");
  return group ? json(200, shownGroup(context, group)) : notFound("Group");
};
