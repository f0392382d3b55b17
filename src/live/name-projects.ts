import type { Reader } from "../client/client.ts";
import { CallFailed } from "../client/failure.ts";
import { identified } from "../model/identity.ts";
import type { Project } from "../model/types.ts";
import { lookUpProjects } from "./look-up.ts";

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
  return identified(projects, await lookUpProjects(reader, lacking, workers).catch(nobody));
}

function nobody(error: unknown): readonly Project[] {
  if (error instanceof CallFailed && !error.endsRun) return [];
  throw error;
}
