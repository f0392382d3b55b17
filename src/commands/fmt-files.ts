import { realpathSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { exit, UserError } from "../base/exit.ts";
import { describeSystemError } from "../base/system-errors.ts";
import { workspaceFile } from "../manifest/workspace.ts";
import { bySeverity, reportedLine } from "../model/problem-line.ts";
import { isFolder, noRegularFile } from "../workspace/durable-file.ts";
import { findWorkspace, loadWorkspace, workspaceAbove } from "../workspace/load.ts";
import { filesBelow, type TextFile } from "../workspace/text-files.ts";
import type { Terminal } from "./terminal.ts";

/** The files for `fmt`. */
export interface FormatTargets {
  readonly files: readonly TextFile[];
  /** Messages about unreadable files. */
  readonly mistakes: readonly string[];
  /** YAML files in the named folders that are not manifests of the workspace. */
  readonly skipped: readonly string[];
}

/** The surrounding workspace and its manifests, including invalid ones. */
export function manifestsAround(folder: string): FormatTargets {
  return { ...manifestsOf(dirname(findWorkspace(folder))), skipped: [] };
}

/**
 * A named file, or the workspace's manifests below a named folder. The workspace is that of `home`, where the command
 * runs, or else that of the folder.
 * @throws UserError for a folder of no workspace, or of another one.
 */
export function manifestsAt({ cwd }: Terminal, home: string, path: string): FormatTargets {
  const named = resolve(cwd, path);
  const error = errorAt(named);
  if (error) return { files: [], mistakes: [`${path}: ${error}`], skipped: [] };
  if (isFolder(named)) return manifestsBelow(cwd, rootAround(home, named, path), named);
  return { files: [{ path: named, name: relative(cwd, named) }], mistakes: [], skipped: [] };
}

function errorAt(path: string): string | undefined {
  try {
    const stat = statSync(path);
    return stat.isDirectory() || stat.isFile() ? undefined : describeSystemError(noRegularFile());
  } catch (error) {
    return describeSystemError(error);
  }
}

function rootAround(home: string, folder: string, path: string): string {
  const root = dirname(workspaceAbove(home) ?? findWorkspace(folder));
  const own = workspaceAbove(folder);
  if (own !== undefined && realpathSync(dirname(own)) === realpathSync(root)) return root;
  const other = own === undefined ? "" : `; evenkeel fmt -C ${path} formats the one that it is in`;
  throw new UserError(`${path} is not in the workspace ${root}${other}`, exit.usage);
}

function manifestsBelow(cwd: string, root: string, folder: string): FormatTargets {
  const { files, mistakes } = manifestsOf(root, realpathSync(folder));
  const known = new Set(files.map(({ path }) => realpathSync(path)));
  const below = filesBelow(cwd, folder).flatMap((file) => ("path" in file ? [file.path] : []));
  const others = below.filter((path) => /\.ya?ml$/i.test(path) && !known.has(realpathSync(path)));
  return { files, mistakes, skipped: others.map((path) => relative(cwd, path)) };
}

/** The rules about unreadable files. Invalid YAML is reported when the file is formatted. */
const unread = new Set(["binary", "too-large", "symlink", "unreadable", "outside"]);

function manifestsOf(root: string, below = realpathSync(root)): Omit<FormatTargets, "skipped"> {
  const { documents, problems } = loadWorkspace(root);
  const isBelow = (name: string) => `${join(realpathSync(root), name)}${sep}`.startsWith(`${below}${sep}`);
  const errors = bySeverity(problems).problems.filter(({ file }) => file !== undefined && isBelow(file));
  const broken = errors.filter(({ rule }) => rule === "yaml").flatMap(({ file }) => file ?? []);
  const named = [workspaceFile, ...documents.map(({ file }) => file), ...broken].filter(isBelow);
  return {
    files: [...new Set(named)].map((name) => ({ name, path: join(root, name) })),
    mistakes: errors.filter(({ rule }) => unread.has(rule)).map(reportedLine),
  };
}
