import { relative } from "node:path";
import { findRepository } from "./find-repository.ts";
import { listSettings, settingsIn, withoutFilters, withoutPrograms } from "./program-settings.ts";
import { gitPrefixOf } from "./repository.ts";
import { runGit } from "./run-git.ts";

/**
 * Whether one of these files, relative to the folder, is not as the current commit has it, or a YAML file of the folder
 * is gone. False where git cannot tell.
 */
export function hasUncommitted(folder: string, files: ReadonlySet<string>): boolean {
  const found = findRepository(folder);
  if ("ran" in found) return false;
  const { location, home } = found;
  const listed = runGit({ cwd: home, location, args: listSettings });
  const configured = settingsIn(listed.stdout);
  const settings = [...withoutPrograms(configured), ...withoutFilters(configured)];
  const args = [
    "--no-optional-locks",
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--",
    ".",
  ];
  const { code, stdout } = runGit({ cwd: home, location, settings, args });
  if (listed.code !== 0 || code !== 0) return false;
  const inside = gitPrefixOf(relative(location.top, home));
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
  const found = findRepository(folder);
  if ("ran" in found) return false;
  const { location, home } = found;
  return runGit({ cwd: home, location, args: ["ls-files", "--error-unmatch", "--", file] }).code === 0;
}
