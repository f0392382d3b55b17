import { ignoreUserError } from "../base/exit.ts";
import { isObject, parsedJson } from "../base/json.ts";
import type { Project } from "../model/types.ts";
import { getText, type Readable, type WorkspaceState } from "./state.ts";

export interface ProjectList {
  readonly server: string;
  readonly at: Date;
  readonly projects: readonly Project[];
}

const [projectsNote, serverNote] = ["projects", "server"];

/** Saves the list for commands that work without a server, with rows if policies need them. Errors of the state are ignored. */
export async function keepProjects(
  { put }: WorkspaceState,
  { server, at, projects }: ProjectList,
  withRows: boolean,
): Promise<void> {
  const rows = projects.map(({ id, path, archived, row }) => {
    const rest = withRows && row ? [archived, row] : archived ? [archived] : [];
    return [id ?? null, path ?? null, ...rest];
  });
  const text = JSON.stringify({ format: 1, server, at: at.toISOString(), projects: rows });
  await put("notes", [[projectsNote, text]]).catch(ignoreUserError);
}

export async function keptProjects(state: Readable): Promise<ProjectList | undefined> {
  const text = await getText(state, "notes", projectsNote).catch(ignoreUserError);
  return text === undefined ? undefined : parseList(parsedJson(text));
}

function parseList(kept: unknown): ProjectList | undefined {
  if (!isObject(kept) || kept.format !== 1 || typeof kept.server !== "string" || !Array.isArray(kept.projects))
    return undefined;
  const at = new Date(String(kept.at));
  const projects = kept.projects.flatMap((row) => parseProject(row) ?? []);
  return Number.isNaN(at.getTime()) ? undefined : { server: kept.server, at, projects };
}

function parseProject(row: unknown): Project | undefined {
  const [id, path, archived, fields] = Array.isArray(row) ? row : [];
  if (typeof id !== "number" || typeof path !== "string") return undefined;
  return { id, path, name: path, archived: archived === true, ...(isObject(fields) && { row: fields }) };
}

/** Saves the server of a workspace, and returns the previous one if it differs. Errors of the state are ignored. */
export async function serverBefore(state: WorkspaceState, url: string): Promise<string | undefined> {
  const exchange = async () => {
    const before = await getText(state, "notes", serverNote);
    if (url === "" || before === url) return undefined;
    await state.put("notes", [[serverNote, url]]);
    return before;
  };
  return exchange().catch(ignoreUserError);
}
