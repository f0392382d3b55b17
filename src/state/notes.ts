import { ignoreUserError, UserError } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import type { Project } from "../model/types.ts";
import type { Texts } from "./state.ts";

/** The projects of a server at a time. */
export interface ProjectList {
  readonly server: string;
  readonly at: Date;
  readonly projects: readonly Project[];
}

const [projectsNote, serverNote] = ["projects", "server"];

/** Saves the list for commands that work without a server. Errors of the state are ignored. */
export async function keepProjects(notes: Texts, { server, at, projects }: ProjectList): Promise<void> {
  const rows = projects.map(({ id, path }) => [id ?? null, path ?? null]);
  const text = JSON.stringify({ format: 1, server, at: at.toISOString(), projects: rows });
  await notes.write(projectsNote, text).catch(ignoreUserError);
}

/** The saved list, if it can be read. */
export async function keptProjects(notes: Pick<Texts, "read">): Promise<ProjectList | undefined> {
  const text = await notes.read(projectsNote).catch(ignoreUserError);
  return text === undefined ? undefined : listIn(parsedJson(text));
}

function listIn(kept: unknown): ProjectList | undefined {
  if (!isObject(kept) || kept.format !== 1 || typeof kept.server !== "string" || !Array.isArray(kept.projects))
    return undefined;
  const at = new Date(String(kept.at));
  const projects = kept.projects.flatMap((row) => projectIn(row) ?? []);
  return Number.isNaN(at.getTime()) ? undefined : { server: kept.server, at, projects };
}

function projectIn(row: unknown): Project | undefined {
  const [id, path] = Array.isArray(row) ? row : [];
  return typeof id === "number" && typeof path === "string" ? { id, path, name: path } : undefined;
}

/** Saves the server of a workspace, and returns the previous one if it differs. Errors of the state are ignored. */
export async function serverBefore(notes: Texts, url: string): Promise<string | undefined> {
  try {
    const before = await notes.read(serverNote);
    if (url === "" || before === url) return undefined;
    await notes.write(serverNote, url);
    return before;
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
