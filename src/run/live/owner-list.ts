import { inParallel } from "../../base/concurrency.ts";
import { onError } from "../../base/exit.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { Reader } from "../../client/client.ts";
import { CallFailed } from "../../client/failure.ts";
import { call } from "../../model/call.ts";
import { ownerCalls } from "../../model/endpoints.ts";
import { isId, type Owner, ownedBy, ownerName, ownerOfName, owners } from "../../model/owner.ts";
import { isArchived, pickFields, rowFields } from "../../model/owner-row.ts";
import type { Fields, Project } from "../../model/types.ts";

/**
 * The lowest role of a member. With a higher one, the list would omit projects in which the role does not suffice:
 * their failing reads are reported, while omission would look like a fleet in sync.
 */
const ofMembers: Fields = { min_access_level: "10" };

/** One page of the projects of {@link readOwners}. @throws CallFailed. */
export async function readSomeProjects(reader: Reader, most: number): Promise<Project[]> {
  const page = async (parameters: Fields) => {
    const { body } = await reader.get(call("listProjects", {}, { per_page: String(most), ...parameters }));
    return parseProjects(body);
  };
  const own = await page(ofMembers).catch((error) => {
    if (error instanceof CallFailed && error.status === 400) return [];
    throw error;
  });
  return own.length > 0 ? own : page({});
}

/** All projects of the token's user: see docs/library.md. @throws CallFailed. */
export function readProjects(reader: Reader): Promise<Project[]> {
  return readOwners(reader);
}

/**
 * All projects or groups of the token's user, with their full paths: those of which the user is a member, if the server
 * distinguishes them from public ones, and subgroups; all for an administrator, who need not be a member. `kept`: the
 * fields of their rows that kinds read. @throws CallFailed, also if a row has no path.
 */
export async function readOwners(
  reader: Reader,
  owner: Owner = "project",
  kept: readonly string[] = [],
): Promise<Project[]> {
  const calls = ownerCalls[owner];
  if (!calls) return [];
  const { list: name, rows: shape } = calls;
  const answer = { ...shape, keeps: [...(shape.keeps ?? []), ...kept] };
  const list = (parameters: Fields = {}) => reader.list({ ...call(name, {}, parameters), answer });
  if (owner === "group") return parseProjects(await list(), owner, kept);
  const rows = await list(ofMembers).catch((error) => {
    // The server rejects the filter.
    if (error instanceof CallFailed && error.status === 400) return list();
    throw error;
  });
  return parseProjects((await seesAll(reader, rows)) ? await list() : rows, owner, kept);
}

/**
 * The projects or groups in a list, named by full path. A group whose path is digits alone is named by its ID, because
 * servers interpret digits as an ID.
 */
function parseProjects(rows: unknown, owner: Owner = "project", kept: readonly string[] = []): Project[] {
  const field = ownerCalls[owner]?.path;
  if (!Array.isArray(rows) || field === undefined) return [];
  return rows.filter(isObject).flatMap((row) => {
    const { id, [field]: path } = row;
    if (typeof id !== "number" || typeof path !== "string") return [];
    const fullPath = ownerName(owner, path);
    const name = isId(path) ? ownerName(owner, String(id)) : fullPath;
    const ownRow = kept.length > 0 && { ownRow: pickFields(row, kept) };
    return [{ id, path: fullPath, name, archived: isArchived(row), row: pickFields(row, rowFields[owner]), ...ownRow }];
  });
}

/**
 * True if the membership filter hides projects of an administrator. Servers show the storage of a project only to
 * administrators; by the specification every user sees it, but no permissions.
 */
async function seesAll(reader: Reader, [row]: readonly unknown[]): Promise<boolean> {
  if (row) return isShown(row) && "permissions" in row;
  const { body } = await reader.get(call("listProjects", {}, { per_page: "1" }));
  return Array.isArray(body) && isShown(body[0]);
}

function isShown(row: unknown): row is JsonObject {
  return isObject(row) && "repository_storage" in row;
}

/** Above this number, projects are looked up in the complete list, which has as many per page. */
const mostSingles = 100;

/**
 * The IDs and paths of these projects, as far as the server has them: one GET each, or the complete list for many
 * projects or if the server lacks the route. @throws CallFailed if neither works.
 */
export async function lookUpProjects(
  reader: Reader,
  projects: readonly Project[],
  workers: number,
  kept: readonly string[] = [],
): Promise<readonly Project[]> {
  const result: Project[] = [];
  for (const owner of owners) {
    const [first, ...others] = ownedBy(owner, projects);
    if (!first) continue;
    const found = others.length >= mostSingles ? "unknown route" : await lookUpProject(reader, first, kept);
    if (found === "unknown route") {
      result.push(...(await readOwners(reader, owner, kept)));
      continue;
    }
    const rest = await inParallel(others, workers, (each) => lookUpProject(reader, each, kept));
    result.push(...[found, ...rest].flatMap((each) => (each === "unknown route" ? [] : each)));
  }
  return result;
}

/** Looks up one project or group. @throws CallFailed. */
export async function lookUpProject(
  reader: Reader,
  { name }: Pick<Project, "name">,
  kept: readonly string[] = [],
): Promise<readonly Project[] | "unknown route"> {
  const endpoint = ownerCalls[ownerOfName(name)]?.one;
  if (!endpoint) return [];
  try {
    const { body } = await reader.get(call(endpoint, { id: name }));
    return parseProjects([body], ownerOfName(name), kept);
  } catch (error) {
    if (!(error instanceof CallFailed) || error.endsRun) throw error;
    if (error.unknownRoute || error.kind === "shape" || error.status === 405) return "unknown route";
    // Left as it is: reading the project will report the reason.
    if (error.status === 404 || error.status === 403 || error.kind === "redirect") return [];
    throw error;
  }
}

/** The first page of all projects, for suggestions; empty if it cannot be read. */
export async function readFirstPage(reader: Reader, owner: Owner): Promise<readonly Project[]> {
  const endpoint = ownerCalls[owner]?.list;
  if (!endpoint) return [];
  const answer = await reader.get(call(endpoint, {}, { per_page: "100" })).catch(onError(CallFailed, () => undefined));
  return answer ? parseProjects(answer.body, owner) : [];
}
