import { join } from "node:path";
import { isObject } from "../base/json.ts";
import type { Project } from "../model/types.ts";
import { isThere, makeFolder, readRegular, replaceFile } from "../workspace/durable-file.ts";

/** The projects of a server, as a run listed them. */
export interface ProjectList {
  readonly server: string;
  readonly at: Date;
  readonly projects: readonly Project[];
}

const folderIn = (root: string) => join(root, ".evenkeel", "cache");
const fileIn = (root: string) => join(folderIn(root), "projects.json");

/**
 * Keeps the list for runs that have no server to ask, in the place of the one before. One that cannot be kept is none:
 * no run fails for it.
 */
export function keepProjects(root: string, { server, at, projects }: ProjectList): void {
  const rows = projects.map(({ id, path }) => [id ?? null, path ?? null]);
  try {
    makeFolder(folderIn(root));
    const ignore = join(folderIn(root), ".gitignore");
    if (!isThere(ignore)) replaceFile(ignore, "*\n");
    replaceFile(fileIn(root), JSON.stringify({ format: 1, server, at: at.toISOString(), projects: rows }), 0o600);
  } catch {}
}

/** The list that was kept last; undefined where there is none that can be read. */
export function keptProjects(root: string): ProjectList | undefined {
  try {
    return listIn(JSON.parse(readRegular(fileIn(root))));
  } catch {
    return undefined;
  }
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
