import { inParallel } from "../base/concurrency.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { call } from "../model/call.ts";
import { identified } from "../model/identity.ts";
import { isGroup, ownerOfName } from "../model/owner.ts";
import type { Project } from "../model/types.ts";
import { projectsIn, readOwners } from "./list-projects.ts";

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
