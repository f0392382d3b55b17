import { findRepository } from "./find-repository.ts";
import { runGit } from "./run-git.ts";

/** Whether git tracks a file, relative to the folder. False where git cannot tell. */
export function isTracked(folder: string, file: string): boolean {
  const found = findRepository(folder);
  if ("ran" in found) return false;
  const { location, home } = found;
  return runGit({ cwd: home, location, args: ["ls-files", "--error-unmatch", "--", file] }).code === 0;
}
