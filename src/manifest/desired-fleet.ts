import type { DesiredProject, Project } from "../model/types.ts";

/** The desired state of each project of a fleet, computed on access because that of a large fleet would exhaust memory. */
export interface DesiredFleet {
  readonly projects: readonly Project[];
  readonly at: (index: number) => DesiredProject;
}

export function desiredFleet(
  projects: readonly Project[],
  desiredOf: (project: Project, index: number) => DesiredProject,
): DesiredFleet {
  return {
    projects,
    at: (index) => {
      const project = projects[index];
      if (!project) throw new RangeError(`there is no project ${index} among ${projects.length}`);
      return desiredOf(project, index);
    },
  };
}

export function desiredAmong(
  { projects, at }: DesiredFleet,
  names: ReadonlySet<string>,
): ReadonlyMap<string, DesiredProject> {
  return new Map(projects.flatMap(({ name }, index) => (names.has(name) ? [[name, at(index)]] : [])));
}

export function* eachDesired({ projects, at }: DesiredFleet): Iterable<DesiredProject> {
  for (const index of projects.keys()) yield at(index);
}
