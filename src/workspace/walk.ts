import { isUtf8 } from "node:buffer";
import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { ifPossible } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { problemIn } from "../manifest/problem.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import type { Problem } from "../model/types.ts";

/** A file or folder: its path in the workspace, with forward slashes, and its real path. */
export interface Located {
  readonly path: string;
  readonly real: string;
}

export function rootOf(root: string): Located {
  return { path: "", real: realpathSync.native(root) };
}

function inside({ path, real }: Located, name: string): Located {
  return { path: path === "" ? name : `${path}/${name}`, real: real.endsWith(sep) ? real + name : real + sep + name };
}

export interface Walk {
  readonly list: (folder: Located) => readonly Dirent[];
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
  return ifPossible(() => {
    const real = realpathSync.native(link.real);
    return { path: link.path, real, isFolder: statSync(real).isDirectory() };
  });
}

/** True if the real path is the workspace's root folder or inside it. */
export function isWithin(root: Located, { real }: Pick<Located, "real">): boolean {
  return real === root.real || real.startsWith(root.real.endsWith(sep) ? root.real : root.real + sep);
}

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

export interface TextFile {
  readonly path: string;
  readonly name: string;
}

export interface Unreadable {
  readonly unreadable: string;
}

/** Sorted, with dot files, without node_modules, .git and symbolic links except the path itself. */
export function filesBelow(cwd: string, given: string): readonly (TextFile | Unreadable)[] {
  const path = resolve(cwd, given);
  const name = given
    .split(sep)
    .join("/")
    .replace(/^(?:\.\/+)+(?=.)/, "")
    .replace(/(?<=.)\/+$/, "");
  try {
    return statSync(path).isDirectory() ? listFiles({ path: name === "." ? "" : name, real: path }) : [{ path, name }];
  } catch (error) {
    return [{ unreadable: `${given}: ${describeSystemError(error)}` }];
  }
}

function listFiles(folder: Located): readonly (TextFile | Unreadable)[] {
  const unreadable: Unreadable[] = [];
  const list = ({ path, real }: Located): readonly Dirent[] => {
    try {
      return readdirSync(real, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    } catch (error) {
      unreadable.push({ unreadable: `${path || "."}: ${describeSystemError(error)}` });
      return [];
    }
  };
  const found = entriesBelow(folder, { list, counts: (_, { name }) => name !== "node_modules" && name !== ".git" });
  const files = found.filter(({ entry }) => entry.isFile()).map(({ path: name, real: path }) => ({ path, name }));
  return [...files, ...unreadable];
}

/** The text of a file; undefined if it has more than `most` bytes, or is not text in UTF-8. */
export function textIn({ path, name }: TextFile, most = 4 * 1024 * 1024): string | Unreadable | undefined {
  try {
    if (statSync(path).size > most) return undefined;
    const bytes = readFileSync(path);
    return bytes.includes(0) || !isUtf8(bytes) ? undefined : bytes.toString("utf8");
  } catch (error) {
    return { unreadable: `${name}: ${describeSystemError(error)}` };
  }
}
