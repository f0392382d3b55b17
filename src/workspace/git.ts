import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { env } from "node:process";

/** The commit that a folder is at, or null where it is not under git or git is not there. */
export function commitOf(folder: string): string | null {
  if (!isUnderGit(folder)) return null;
  try {
    const words = ["rev-parse", "--verify", "HEAD"];
    return execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}

/** Asked first, since git is a process of its own. */
function isUnderGit(folder: string): boolean {
  if (env.GIT_DIR || existsSync(join(folder, ".git"))) return true;
  return dirname(folder) !== folder && isUnderGit(dirname(folder));
}
