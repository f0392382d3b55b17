import { didYouMean } from "../base/nearest.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import type { Policy } from "../manifest/policies.ts";
import { call } from "../model/endpoints.ts";
import { projectNamed } from "../model/identity.ts";
import type { Place, Problem, Project } from "../model/types.ts";
import { projectsIn } from "./list-projects.ts";
import { lookUpProjects } from "./look-up-projects.ts";

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
  const paths = listing.flatMap(({ path }) => path ?? []);
  return missing.map(({ project, message, movedTo }) => {
    const place = selectorPlace(policies, project);
    const now = movedTo === undefined ? undefined : listing.find(({ id }) => id === Number(movedTo));
    const meant = project.path === undefined || movedTo !== undefined ? "" : didYouMean(project.path, paths);
    const said = `project ${project.name} was not found: ${message}${meant}${now ? `: ${now.name}` : ""}`;
    return { severity: "error", rule: "unreadable", message: said, ...(place && { place }), project: project.name };
  });
}

function selectorPlace(policies: readonly Policy[], { id, path }: Project): Place | undefined {
  const name = path?.toLowerCase();
  for (const { document, projects } of policies) {
    const index = projects.findIndex(
      (selector) =>
        (selector.form === "path" && selector.path === name) || (selector.form === "id" && selector.id === id),
    );
    if (index >= 0) return document.place(["projects", index]);
  }
  return undefined;
}

/** Where missing projects may be found: their new paths, and the first page of what the token can see. */
export async function findMovedProjects(
  reader: Reader,
  missing: readonly Missing[],
  listing: readonly Project[] | undefined,
): Promise<readonly Project[]> {
  const moved = missing.flatMap(({ movedTo }) => (movedTo === undefined ? [] : [projectNamed(movedTo)]));
  const isMisspelt = missing.some(({ project, movedTo }) => project.path && movedTo === undefined);
  const known = listing ?? (isMisspelt ? await firstProjects(reader) : []);
  return [...known, ...(await lookUpProjects(reader, moved, 1))];
}

/** The first page of what the token can see, to find the nearest path in; nothing where it cannot be had. */
async function firstProjects(reader: Reader): Promise<readonly Project[]> {
  try {
    const { body } = await reader.get(call("listProjects", {}, { per_page: "100" }));
    return projectsIn(body);
  } catch (error) {
    if (error instanceof CallFailed) return [];
    throw error;
  }
}
