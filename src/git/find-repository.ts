import { lstatSync, realpathSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import process from "node:process";
import { type GitLocation, type GitRan, runGit } from "./run-git.ts";

/** A repository, or what git says where there is none that can be read. */
export type FoundRepository = { readonly location: GitLocation; readonly home: string } | { readonly ran: GitRan };

/**
 * The repository that a folder lies in: that of the nearest `.git` in it or above it, which no commit can hold; a folder
 * that only looks like a repository is none. Without one, what GIT_DIR names. `home`: the folder, links followed.
 */
export function findRepository(folder: string): FoundRepository {
  const home = realpathSync.native(folder);
  const top = repositoryTop(home);
  if (top !== undefined) return locatedIn(top, home);
  return process.env.GIT_DIR ? locatedBy(process.env.GIT_DIR, home) : { ran: failed("not a git repository") };
}

/** Git checks that its owner is trusted, and says where it keeps what belongs to the folder. */
function locatedIn(top: string, home: string): FoundRepository {
  const ran = runGit({ cwd: top, words: ["rev-parse", "--is-bare-repository", "--absolute-git-dir"] });
  if (ran.code !== 0) return { ran };
  const [, isBare, gitDir = ""] = /^(true|false)\r?\n(.*?)\r?\n$/s.exec(ran.stdout) ?? [];
  if (isBare !== "false" || gitDir === top) return { ran: failed("this operation must be run in a work tree") };
  return { location: { gitDir, top, byEnvironment: false }, home };
}

/** As git reads GIT_DIR and GIT_WORK_TREE: without the second, the work tree is what is configured, or the folder itself. */
function locatedBy(named: string, home: string): FoundRepository {
  const tree = process.env.GIT_WORK_TREE;
  const location = { gitDir: resolve(named), byEnvironment: true, top: tree ? resolve(tree) : undefined };
  const ran = runGit({ cwd: home, location, words: ["rev-parse", "--show-toplevel"] });
  const top = ran.stdout.replace(/\r?\n$/, "");
  return ran.code === 0 && top !== "" ? { location: { ...location, top }, home } : { ran };
}

/** The nearest folder, upward from one without links, that holds a `.git`; git is not asked. */
export function repositoryTop(folder: string): string | undefined {
  if (isRepository(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryTop(dirname(folder));
}

/** As git decides whether to search further up: a file that names a repository, or a folder with a HEAD. */
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
