import type { DesiredProject, Project } from "../model/types.ts";

/** The desired state of each project of a fleet, computed on access because that of a large fleet would exhaust memory. */
export interface DesiredFleet {
  readonly projects: readonly Project[];
  /** The desired state of the project with this index. */
  readonly at: (index: number) => DesiredProject;
}

/** A fleet whose desired state `desiredOf` computes. */
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

/** A fleet with updated projects, such as resolved IDs and paths. */
export function renamedFleet(fleet: DesiredFleet, projects: readonly Project[]): DesiredFleet {
  return desiredFleet(projects, (project, index) => ({ ...fleet.at(index), project }));
}

/** The projects of a fleet that satisfy a predicate. */
export function fleetPart({ projects, at }: DesiredFleet, holds: (project: Project) => boolean): DesiredFleet {
  const places = [...projects.keys()].filter((index) => holds(projects[index] as Project));
  return { projects: projects.filter(holds), at: (index) => at(places[index] as number) };
}

/** The desired state of the projects with these names, by name. */
export function desiredAmong(
  { projects, at }: DesiredFleet,
  names: ReadonlySet<string>,
): ReadonlyMap<string, DesiredProject> {
  return new Map(projects.flatMap(({ name }, index) => (names.has(name) ? [[name, at(index)]] : [])));
}

/** The desired state of each project, computed one at a time. */
export function* eachDesired({ projects, at }: DesiredFleet): Iterable<DesiredProject> {
  for (const index of projects.keys()) yield at(index);
}
