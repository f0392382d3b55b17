import type { Reader } from "../client/client.ts";
import { type DesiredFleet, renamedFleet } from "../manifest/desired-fleet.ts";
import type { Project } from "../model/types.ts";
import type { Difference } from "../plan/diff/diff.ts";
import type { Plan } from "../plan/plan.ts";
import type { Context } from "./context.ts";
import { nameProjects } from "./live/find-projects.ts";

interface NamedForPlan {
  readonly projects: readonly Project[];
  /** The requests that it took. */
  readonly lookUps: number;
}

/** The projects of a plan; one that is saved says the ID of each that changes, for a path can be given to another project. */
export async function namesForPlan(
  reader: Reader,
  { request, concurrency }: Context,
  projects: readonly Project[],
  differences: readonly Difference[],
): Promise<NamedForPlan> {
  if (!request.outlives) return { projects, lookUps: 0 };
  const changed = new Set(differences.flatMap(({ project, changes }) => (changes.length > 0 ? [project] : [])));
  const isLacking = ({ id, name }: Project) => id === undefined && changed.has(name);
  const before = reader.counts.reads;
  const named = await nameProjects(reader, projects, isLacking, concurrency);
  return { projects: named, lookUps: reader.counts.reads - before };
}

/** The projects with every name that a saved plan says of them, as the server says it now. */
export async function namedAsPlanned(
  reader: Reader,
  { concurrency }: Context,
  { resource_changes: changes }: Plan,
  fleet: DesiredFleet,
): Promise<DesiredFleet> {
  const withId = new Set(changes.flatMap(({ project, project_id }) => (project_id === undefined ? [] : [project])));
  const withPath = new Set(
    changes.flatMap(({ project, project_path }) => (project_path === undefined ? [] : [project])),
  );
  const isLacking = ({ name, id, path }: Project) =>
    (withId.has(name) && id === undefined) || (withPath.has(name) && (path === undefined || id === undefined));
  return renamedFleet(fleet, await nameProjects(reader, fleet.projects, isLacking, concurrency));
}
