import { execFileSync } from "node:child_process";

/** The commit that a folder is at, or null where it is not under git or git is not there. */
export function commitOf(folder: string): string | null {
  try {
    const words = ["rev-parse", "--verify", "HEAD"];
    return execFileSync("git", words, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}
