import { join, sep } from "node:path";
import { join as joinNames } from "node:path/posix";
import { problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";
import type { Entry, FileTree } from "./file-tree.ts";

/** A file or folder: its path in the workspace, with forward slashes, and where it really lies. */
export interface Located {
  readonly path: string;
  readonly real: string;
}

/** The workspace's own folder. */
export function rootOf(tree: FileTree, root: string): Located {
  return { path: "", real: tree.real(root) };
}

/** What is called `name` in a folder, where it is no link. */
export function inside({ path, real }: Located, name: string): Located {
  return { path: joinNames(path, name), real: join(real, name) };
}

/** Which parts of a folder are walked through. */
export interface Walk {
  readonly list: (folder: Located) => readonly Entry[];
  /** Whether an entry counts; a folder that does not is not entered. */
  readonly counts: (found: Located, entry: Entry) => boolean;
}

/** Everything below a folder but folders, in the order of its lists; links are not followed. */
export function entriesBelow(folder: Located, walk: Walk): readonly (Located & { readonly entry: Entry })[] {
  return walk.list(folder).flatMap((entry) => {
    const found = inside(folder, entry.name);
    if (!walk.counts(found, entry)) return [];
    return entry.isDirectory() ? entriesBelow(found, walk) : [{ ...found, entry }];
  });
}

/** What is in a folder; nothing where a workspace of its own lies there. */
export function list(tree: FileTree, { path, real }: Located, problems: Problem[]): readonly Entry[] {
  try {
    const entries = tree.list(real);
    return path !== "" && entries.some(({ name }) => name === workspaceFile) ? [] : entries;
  } catch {
    problems.push(problemIn(path, "unreadable", "this folder cannot be read"));
    return [];
  }
}

/** Where a link leads, and whether to a folder; undefined where it leads nowhere. */
export function targetOf(tree: FileTree, link: Located): (Located & { readonly isFolder: boolean }) | undefined {
  try {
    const real = tree.real(link.real);
    return { path: link.path, real, isFolder: tree.stat(real).isDirectory() };
  } catch {
    return undefined;
  }
}

/** Whether something really lies in the workspace, or is its own folder. */
export function isWithin(root: Located, { real }: Pick<Located, "real">): boolean {
  return real === root.real || real.startsWith(root.real.endsWith(sep) ? root.real : root.real + sep);
}

/** What may be a manifest by its name. */
export function isManifest(path: string): boolean {
  return /\.ya?ml$/i.test(path) && path !== workspaceFile;
}

/** The paths, sorted; of several that lead to one file, the one that is no link. */
export function onceEach(root: Located, files: readonly Located[]): readonly string[] {
  const paths = new Map<string, string>();
  for (const { path, real } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const isItself = real === join(root.real, path);
    if (isItself || !paths.has(real)) paths.set(real, path);
  }
  return [...paths.values()].sort();
}
