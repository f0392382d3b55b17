import { existsSync, realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import process from "node:process";
import { findRepository } from "./find-repository.ts";
import { runGit } from "./run-git.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The commit that a folder is at: git's answer, or, without git, that of the pipeline that checked the folder out. Null
 * where neither knows.
 */
export function commitOf(folder: string, env: Environment = process.env): string | null {
  const repository = repositoryAbove(folder);
  return (repository !== undefined && commitByGit(folder)) || commitByPipeline(repository ?? folder, env) || null;
}

function commitByGit(folder: string): string | undefined {
  const found = findRepository(folder);
  if ("ran" in found) return undefined;
  const { location, home } = found;
  const { code, stdout } = runGit({ cwd: home, location, words: ["rev-parse", "--verify", "HEAD"] });
  return code === 0 ? stdout.trim() : undefined;
}

/** Asked first, since git is a process of its own. */
function repositoryAbove(folder: string): string | undefined {
  if (process.env.GIT_DIR || existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryAbove(dirname(folder));
}

/** Where a pipeline names the commit that it checked out, and the folder of it. */
const checkouts = [
  { commit: "CI_COMMIT_SHA", folder: "CI_PROJECT_DIR" },
  { commit: "GITHUB_SHA", folder: "GITHUB_WORKSPACE" },
] as const;

/** A repository that a job cloned into its checkout is at a commit of its own, which the pipeline does not know. */
function commitByPipeline(folder: string, env: Environment): string | undefined {
  const checkout = checkouts.find((each) => isCheckout(folder, env[each.folder]));
  const commit = checkout && env[checkout.commit];
  return commit && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit) ? commit : undefined;
}

function isCheckout(folder: string, top: string | undefined): boolean {
  if (!top || !existsSync(top)) return false;
  const [inner, outer] = [realpathSync(folder), realpathSync(top)];
  return inner === outer || (inner.startsWith(outer + sep) && !existsSync(join(inner, ".git")));
}
