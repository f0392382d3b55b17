import { relative } from "node:path";
import { openGit } from "./open-git.ts";
import { gitPrefixOf } from "./repository.ts";

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
