import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import process from "node:process";
import { openGit } from "./open-git.ts";
import { gitPrefixOf } from "./repository.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The current commit of a folder, from git or, without git, from the variables of the pipeline. Null if unknown.
 */
export function commitOf(folder: string, env: Environment = process.env): string | null {
  const repository = repositoryAbove(folder);
  return (repository !== undefined && commitByGit(folder)) || commitByPipeline(repository ?? folder, env) || null;
}

function commitByGit(folder: string): string | undefined {
  const git = openGit(folder);
  if ("failed" in git) return undefined;
  const { code, stdout } = git.run("rev-parse", "--verify", "HEAD");
  return code === 0 ? stdout.trim() : undefined;
}

/** Checked first, which is faster than starting git. */
function repositoryAbove(folder: string): string | undefined {
  if (process.env.GIT_DIR || existsSync(join(folder, ".git"))) return folder;
  return dirname(folder) === folder ? undefined : repositoryAbove(dirname(folder));
}

/** Variables of pipelines for the commit and the folder of the checkout. */
const checkouts = [
  { commit: "CI_COMMIT_SHA", folder: "CI_PROJECT_DIR" },
  { commit: "GITHUB_SHA", folder: "GITHUB_WORKSPACE" },
] as const;

/** Not for another repository that was cloned inside the checkout. */
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

/**
 * Whether one of these files, relative to the folder, is not as the current commit has it, or a YAML file of the folder
 * is gone. False where git cannot tell.
 */
export function hasUncommitted(folder: string, files: ReadonlySet<string>): boolean {
  const git = openGit(folder);
  if ("failed" in git) return false;
  const options = ["--porcelain", "-z", "--no-renames", "--untracked-files=all"];
  const { code, stdout } = git.run("--no-optional-locks", "status", ...options, "--", ".");
  if (code !== 0) return false;
  const inside = gitPrefixOf(relative(git.location.top, git.home));
  return stdout.split("\0").some((line) => {
    const path = line.slice(statusLength);
    if (!path.startsWith(inside)) return false;
    const file = path.slice(inside.length);
    return files.has(file) || (/D/.test(line.slice(0, 2)) && /\.ya?ml$/.test(file));
  });
}

/** `XY ` before each path. */
const statusLength = 3;

/** Whether git tracks a file, relative to the folder. False where git cannot tell. */
export function isTracked(folder: string, file: string): boolean {
  const git = openGit(folder);
  return !("failed" in git) && git.run("ls-files", "--error-unmatch", "--", file).code === 0;
}
