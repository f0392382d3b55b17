import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { type GitLocation, type GitRan, runGit } from "./run-git.ts";

/** A repository, or the error of git. */
export type FoundRepository = { readonly location: GitLocation; readonly home: string } | { readonly ran: GitRan };

/**
 * The repository of a folder: that of the nearest `.git` in it or a parent, otherwise GIT_DIR. A bare repository does not
 * count, because a commit can contain one. `home` is the folder without symbolic links.
 */
export function findRepository(folder: string): FoundRepository {
  const home = realpathSync.native(folder);
  const top = repositoryTop(home);
  if (top !== undefined) return locatedIn(top, home);
  return process.env.GIT_DIR ? locatedBy(process.env.GIT_DIR, home) : { ran: failed("not a git repository") };
}

/** Git checks the owner and reports the Git directory. */
function locatedIn(top: string, home: string): FoundRepository {
  const ran = runGit({ cwd: top, args: ["rev-parse", "--is-bare-repository", "--absolute-git-dir"] });
  if (ran.code !== 0) return { ran };
  const [, isBare, gitDir = ""] = /^(true|false)\r?\n(.*?)\r?\n$/s.exec(ran.stdout) ?? [];
  if (isBare !== "false" || gitDir === top) return { ran: failed("this operation must be run in a work tree") };
  return { location: { gitDir, top, byEnvironment: false }, home };
}

/** As git: without GIT_WORK_TREE, the work tree is the configured one or the folder itself. */
function locatedBy(named: string, home: string): FoundRepository {
  const tree = process.env.GIT_WORK_TREE;
  const location = { gitDir: resolve(named), byEnvironment: true, top: tree ? resolve(tree) : undefined };
  const ran = runGit({ cwd: home, location, args: ["rev-parse", "--show-toplevel"] });
  const top = ran.stdout.replace(/\r?\n$/, "");
  return ran.code === 0 && top !== "" ? { location: { ...location, top }, home } : { ran };
}

/** The nearest folder with a `.git`, from a path without links upward; does not start git. */
export function repositoryTop(folder: string): string | undefined {
  if (isRepository(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryTop(dirname(folder));
}

/** As git: a file, or a folder with a HEAD. */
function isRepository(path: string): boolean {
  const options = { throwIfNoEntry: false } as const;
  try {
    const stat = lstatSync(realpathSync(path), options);
    return stat?.isFile() === true || lstatSync(join(path, "HEAD"), options) !== undefined;
  } catch {
    return false;
  }
}

function failed(said: string): GitRan {
  return { code: 128, stdout: "", stderr: `fatal: ${said}\n` };
}
