import { resolve } from "node:path";
import { UserError } from "../base/exit.ts";
import { printable } from "../base/printable.ts";
import type { Problem, Project } from "../model/types.ts";
import type { Listing } from "../report/revision.ts";
import { keptProjects, type ProjectList } from "../state/notes.ts";
import { openState, type StateOf } from "../state/open-state.ts";
import { readProjectFile } from "../workspace/project-file.ts";
import type { Terminal } from "./terminal.ts";

export interface KnownFleet {
  readonly listing: Listing;
  readonly projects: readonly Project[];
  readonly problems: readonly Problem[];
}

export function projectFile({ cwd }: Pick<Terminal, "cwd">, name: string): KnownFleet {
  const { projects, problems } = readProjectFile(resolve(cwd, name), name);
  return { listing: { source: "file", projects: projects.length }, projects, problems };
}

/** The project list of the last plan for one of these servers; undefined if it is unavailable. */
export async function keptFleet(
  { env, note }: Pick<Terminal, "env" | "note">,
  { root, name }: Pick<StateOf, "root" | "name">,
  servers: readonly string[],
): Promise<KnownFleet | undefined> {
  const stored = await readKept({ root, name, env }).catch((error) => {
    if (!(error instanceof UserError)) throw error;
    note(printable(`note: the saved project list is not used: ${error.message}`));
  });
  if (!stored) return undefined;
  const { server, at: listed, projects } = stored;
  const message = `the project list comes from a plan of ${server}, another server`;
  const stray: Problem = { severity: "warning", rule: "project-list", message };
  const listing = { source: "plan", at: listed.toISOString(), projects: projects.length } as const;
  return { listing, projects, problems: servers.includes(server) ? [] : [stray] };
}

async function readKept(of: StateOf): Promise<ProjectList | undefined> {
  await using state = await openState(of);
  return keptProjects(state.notes);
}
