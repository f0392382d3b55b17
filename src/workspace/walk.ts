import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";

/** A file or folder: its path in the workspace, with forward slashes, and its real path. */
export interface Located {
  readonly path: string;
  readonly real: string;
}

/** The root folder of a workspace. */
export function rootOf(root: string): Located {
  return { path: "", real: realpathSync.native(root) };
}

/** The entry `name` of a folder, if it is not a link. */
export function inside({ path, real }: Located, name: string): Located {
  return { path: path === "" ? name : `${path}/${name}`, real: real.endsWith(sep) ? real + name : real + sep + name };
}

/** Options for walking a folder. */
export interface Walk {
  readonly list: (folder: Located) => readonly Dirent[];
  /** Whether an entry is included; excluded folders are not entered. */
  readonly counts: (found: Located, entry: Dirent) => boolean;
}

/** All entries below a folder except folders, in listing order, without following links. */
export function entriesBelow(folder: Located, walk: Walk): readonly (Located & { readonly entry: Dirent })[] {
  return walk.list(folder).flatMap((entry) => {
    const found = inside(folder, entry.name);
    if (!walk.counts(found, entry)) return [];
    return entry.isDirectory() ? entriesBelow(found, walk) : [{ ...found, entry }];
  });
}

/** Lists a folder; empty if it is a nested workspace. */
export function list({ path, real }: Located, problems: Problem[]): readonly Dirent[] {
  try {
    const entries = readdirSync(real, { withFileTypes: true });
    return path !== "" && entries.some(({ name }) => name === workspaceFile) ? [] : entries;
  } catch {
    problems.push(problemIn(path, "unreadable", "this folder cannot be read"));
    return [];
  }
}

/** The target of a link, and whether it is a folder; undefined for a broken link. */
export function targetOf(link: Located): (Located & { readonly isFolder: boolean }) | undefined {
  try {
    const real = realpathSync.native(link.real);
    return { path: link.path, real, isFolder: statSync(real).isDirectory() };
  } catch {
    return undefined;
  }
}

/** Whether the real path is the workspace's root folder or inside it. */
export function isWithin(root: Located, { real }: Pick<Located, "real">): boolean {
  return real === root.real || real.startsWith(root.real.endsWith(sep) ? root.real : root.real + sep);
}

/** Whether a file may be a manifest, by its name. */
export function isManifest(path: string): boolean {
  return /\.ya?ml$/i.test(path) && path !== workspaceFile;
}

/** Sorted paths without duplicates: of several paths to one file, the one that is not a link. */
export function onceEach(root: Located, files: readonly Located[]): readonly string[] {
  const paths = new Map<string, string>();
  for (const { path, real } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    if (!paths.has(real) || real === join(root.real, path)) paths.set(real, path);
  }
  return [...paths.values()].sort();
}
