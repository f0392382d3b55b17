import { isObject, type JsonObject } from "../base/json.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { call } from "../model/call.ts";
import { groupsWithPaths, projectsWithPaths } from "../model/endpoints.ts";
import { type Owner, ownerName } from "../model/owner.ts";
import { isId } from "../model/project-id.ts";
import type { Fields, Project } from "../model/types.ts";

/**
 * The least role of a member. Asked for no higher one, a server lists projects in which the role does not suffice too:
 * reading them says so, where leaving them out would look like a fleet in sync.
 */
const ofMembers: Fields = { min_access_level: "10" };

/**
 * All projects that the token can see, under their full paths: those of which its user is a member, where the server
 * tells them from the public projects of strangers; every one for an administrator, who need not be a member.
 * @throws CallFailed, also where a row has no path.
 */
export async function readProjects(reader: Reader): Promise<Project[]> {
  const rows = await listed(reader, ofMembers).catch(unfiltered(reader));
  return projectsIn((await seesAll(reader, rows)) ? await listed(reader) : rows);
}

/** Some of {@link readProjects}: one page of at most so many. @throws CallFailed. */
export async function readSomeProjects(reader: Reader, most: number): Promise<Project[]> {
  const page = async (parameters: Fields) => {
    const { body } = await reader.get(call("listProjects", {}, { per_page: String(most), ...parameters }));
    return projectsIn(body);
  };
  const own = await page(ofMembers).catch((error) => {
    if (error instanceof CallFailed && error.status === 400) return [];
    throw error;
  });
  return own.length > 0 ? own : page({});
}

/**
 * All projects, or all groups, that the token can see: of groups those of which its user is a member, subgroups too, and
 * every one for an administrator. @throws CallFailed.
 */
export async function readOwners(reader: Reader, owner: Owner = "project"): Promise<Project[]> {
  if (owner === "project") return readProjects(reader);
  return projectsIn(await reader.list({ ...call("listGroups", {}), answer: groupsWithPaths }), owner);
}

/**
 * The projects, or the groups, that the rows of a list tell of, under their full paths; under its ID, a group whose path is
 * digits alone, because servers take that for the ID of another.
 */
export function projectsIn(rows: unknown, owner: Owner = "project"): Project[] {
  if (!Array.isArray(rows)) return [];
  return rows.filter(isObject).flatMap(({ id, [pathFields[owner]]: path }) => {
    if (typeof id !== "number" || typeof path !== "string") return [];
    const fullPath = ownerName(owner, path);
    return [{ id, path: fullPath, name: isId(path) ? ownerName(owner, String(id)) : fullPath }];
  });
}

const pathFields: Readonly<Record<Owner, string>> = { project: "path_with_namespace", group: "full_path" };

function listed(reader: Reader, parameters: Fields = {}): Promise<readonly unknown[]> {
  return reader.list({ ...call("listProjects", {}, parameters), answer: projectsWithPaths });
}

/** A server that refuses what it does not know is asked without it. */
function unfiltered(reader: Reader): (error: unknown) => Promise<readonly unknown[]> {
  return (error) => {
    if (error instanceof CallFailed && error.status === 400) return listed(reader);
    throw error;
  };
}

/**
 * Whether more would be listed without asking for members: servers show the storage of a project to administrators alone.
 * By the specification every user sees it, and the permissions of none.
 */
async function seesAll(reader: Reader, [row]: readonly unknown[]): Promise<boolean> {
  if (row) return isShown(row) && "permissions" in row;
  const { body } = await reader.get(call("listProjects", {}, { per_page: "1" }));
  return Array.isArray(body) && isShown(body[0]);
}

function isShown(row: unknown): row is JsonObject {
  return isObject(row) && "repository_storage" in row;
}
