import { inParallel } from "../base/concurrency.ts";
import { isObject, type JsonObject } from "../base/json.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { call } from "../model/call.ts";
import { groupsWithPaths, projectsWithPaths } from "../model/endpoints.ts";
import { identified } from "../model/identity.ts";
import { isGroup, type Owner, ownerName, ownerOfName } from "../model/owner.ts";
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

/** More projects than this are looked up in the list of all, which has as many in each of its pages. */
const mostSingles = 100;

/**
 * The ID and path of each of these projects, as far as the server has them: one GET each, or the list of all where
 * there are many of them or the server does not route that. @throws CallFailed where neither can be had.
 */
export async function lookUpProjects(
  reader: Reader,
  projects: readonly Project[],
  workers: number,
): Promise<readonly Project[]> {
  const groups = projects.filter(isGroup);
  if (groups.length === 0 || groups.length === projects.length) return lookUpAlike(reader, projects, workers);
  const others = projects.filter((each) => !isGroup(each));
  return [...(await lookUpAlike(reader, others, workers)), ...(await lookUpAlike(reader, groups, workers))];
}

async function lookUpAlike(reader: Reader, projects: readonly Project[], workers: number): Promise<readonly Project[]> {
  const [first, ...others] = projects;
  if (!first) return [];
  const owner = ownerOfName(first.name);
  if (projects.length > mostSingles) return readOwners(reader, owner);
  const found = await lookUp(reader, first);
  if (found === "unknown route") return readOwners(reader, owner);
  const rest = await inParallel(others, workers, (each) => lookUp(reader, each));
  return [found, ...rest].flatMap((each) => (each === "unknown route" ? [] : each));
}

const singles = { project: "getProject", group: "getGroup" } as const;

async function lookUp(reader: Reader, { name }: Project): Promise<readonly Project[] | "unknown route"> {
  try {
    const owner = ownerOfName(name);
    const { body } = await reader.get(call(singles[owner], { id: name }));
    return projectsIn([body], owner);
  } catch (error) {
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    if (error.unknownRoute || error.kind === "shape" || error.status === 405) return "unknown route";
    // Reading it says what is wrong with it.
    if (error.status === 404 || error.status === 403 || error.kind === "redirect") return [];
    throw error;
  }
}

/**
 * Projects with the ID and the full path that the server says now; those that `isLacking` holds for are looked up. Where
 * the server does not say them, they stay unknown. @throws CallFailed where it ends the run.
 */
export async function nameProjects(
  reader: Reader,
  projects: readonly Project[],
  isLacking: (project: Project) => boolean,
  workers: number,
): Promise<readonly Project[]> {
  const lacking = projects.filter(isLacking);
  if (lacking.length === 0) return projects;
  return identified(projects, await lookUpProjects(reader, lacking, workers).catch(noneFound));
}

function noneFound(error: unknown): readonly Project[] {
  if (error instanceof CallFailed && !error.endsRun) return [];
  throw error;
}
