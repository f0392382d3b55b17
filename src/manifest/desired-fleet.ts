import type { DesiredProject, Project } from "../model/types.ts";

/**
 * What is wanted of each project of a fleet. It is worked out whenever somebody asks, because that of a large fleet would
 * fill the memory.
 */
export interface DesiredFleet {
  readonly projects: readonly Project[];
  /** What is wanted of the project at this place among them. */
  readonly at: (index: number) => DesiredProject;
}

/** Projects, and what `desiredOf` says of each. */
export function desiredFleet(
  projects: readonly Project[],
  desiredOf: (project: Project) => DesiredProject,
): DesiredFleet {
  return {
    projects,
    at: (index) => {
      const project = projects[index];
      if (!project) throw new RangeError(`there is no project ${index} among ${projects.length}`);
      return desiredOf(project);
    },
  };
}

/** The same fleet with what else is known now of its projects. */
export function renamedFleet(fleet: DesiredFleet, projects: readonly Project[]): DesiredFleet {
  return { projects, at: (index) => ({ ...fleet.at(index), project: projects[index] ?? fleet.at(index).project }) };
}

/** Those of a fleet that `holds` for. */
export function fleetPart({ projects, at }: DesiredFleet, holds: (project: Project) => boolean): DesiredFleet {
  const places = [...projects.keys()].filter((index) => holds(projects[index] as Project));
  return { projects: projects.filter(holds), at: (index) => at(places[index] as number) };
}

/** What is wanted of those projects of a fleet that have these names, by name. */
export function desiredAmong(
  { projects, at }: DesiredFleet,
  names: ReadonlySet<string>,
): ReadonlyMap<string, DesiredProject> {
  return new Map(projects.flatMap(({ name }, index) => (names.has(name) ? [[name, at(index)]] : [])));
}

/** What is wanted of each, one after the other. */
export function* eachDesired({ projects, at }: DesiredFleet): Iterable<DesiredProject> {
  for (const index of projects.keys()) yield at(index);
}
