import { inParallel } from "../base/concurrency.ts";
import { didYouMean } from "../base/nearest.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import type { Policy } from "../manifest/policies.ts";
import { listedOf } from "../manifest/projects.ts";
import { isMatch } from "../manifest/selection.ts";
import { call } from "../model/call.ts";
import { projectNamed } from "../model/identity.ts";
import { bareName, describeOwner, type Owner, ownedBy, ownerName, ownerOfName, owners } from "../model/owner.ts";
import type { Place, Problem, Project } from "../model/types.ts";
import { lookUpProjects, projectsIn } from "./list-projects.ts";

/** A project that the server does not know by its name, and what it said. */
export interface Missing {
  readonly project: Project;
  readonly message: string;
  /** Its ID, where the server says that it has another path now. */
  readonly movedTo?: string | undefined;
}

/** Problems of such projects: at the selector that names them, with the nearest path that the server lists. */
export function missingProblems(
  missing: readonly Missing[],
  policies: readonly Policy[],
  listing: readonly Project[],
): readonly Problem[] {
  return missing.map(({ project, message, movedTo }) => {
    const place = selectorPlace(policies, project);
    const alike = ownedBy(ownerOfName(project.name), listing);
    const paths = alike.flatMap(({ path }) => (path === undefined ? [] : [bareName(path)]));
    const now = movedTo === undefined ? undefined : alike.find(({ id }) => id === Number(movedTo));
    const meant = project.path === undefined || movedTo !== undefined ? "" : didYouMean(bareName(project.path), paths);
    const said = `${describeOwner(project.name)} was not found: ${message}${meant}${now ? `: ${bareName(now.name)}` : ""}`;
    return { severity: "error", rule: "unreadable", message: said, ...(place && { place }), project: project.name };
  });
}

function selectorPlace(policies: readonly Policy[], project: Project): Place | undefined {
  for (const { document, selects, projects } of policies) {
    const index = projects.findIndex((selector) => selector.form !== "glob" && isMatch(selector, project));
    if (index >= 0) return document.place([selects, index]);
  }
  return undefined;
}

/** Where missing projects may be found: their new paths, and the first page of what the token can see. */
export async function findMovedProjects(
  reader: Reader,
  missing: readonly Missing[],
  listing: readonly Project[] | undefined,
): Promise<readonly Project[]> {
  const moved = missing.flatMap(({ project, movedTo }) => {
    return movedTo === undefined ? [] : [projectNamed(ownerName(ownerOfName(project.name), movedTo))];
  });
  const misspelt = missing.filter(({ project, movedTo }) => project.path && movedTo === undefined);
  const unlisted = owners.filter((owner) => {
    return !listedOf(owner, listing) && misspelt.some(({ project }) => ownerOfName(project.name) === owner);
  });
  const first = await inParallel(unlisted, 1, (owner) => firstPage(reader, owner));
  return [...(listing ?? []), ...first.flat(), ...(await lookUpProjects(reader, moved, 1))];
}

const lists = { project: "listProjects", group: "listGroups" } as const;

/** The first page of what the token can see, to find the nearest path in; nothing where it cannot be had. */
async function firstPage(reader: Reader, owner: Owner): Promise<readonly Project[]> {
  try {
    const { body } = await reader.get(call(lists[owner], {}, { per_page: "100" }));
    return projectsIn(body, owner);
  } catch (error) {
    if (error instanceof CallFailed) return [];
    throw error;
  }
}
