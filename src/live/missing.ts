import { didYouMean } from "../base/nearest.ts";
import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import type { Policy } from "../manifest/policies.ts";
import { call } from "../model/endpoints.ts";
import type { Place, Problem, Project } from "../model/types.ts";
import { projectsIn } from "./read-live.ts";

/** A project that the server answered 404 for, and what it said. */
export interface Missing {
  readonly project: Project;
  readonly message: string;
}

/** Problems of such projects: at the selector that names them, with the nearest path that the server lists. */
export function missingProblems(
  missing: readonly Missing[],
  policies: readonly Policy[],
  listing: readonly Project[],
): readonly Problem[] {
  const paths = listing.flatMap(({ path }) => path ?? []);
  return missing.map(({ project, message }) => {
    const place = selectorPlace(policies, project);
    const meant = project.path === undefined ? "" : didYouMean(project.path, paths);
    const said = `project ${project.name} was not found: ${message}${meant}`;
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

/** The first page of what the token can see, to find the nearest path in; nothing where it cannot be had. */
export async function firstProjects(reader: Reader): Promise<readonly Project[]> {
  try {
    const { body } = await reader.get(call("listProjects", {}, { per_page: "100" }));
    return projectsIn(body);
  } catch (error) {
    if (error instanceof CallFailed) return [];
    throw error;
  }
}
