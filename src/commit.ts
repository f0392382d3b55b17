import { execFileSync } from "node:child_process";

/** The commit that a folder is at, or null where it is not under git or git is not there. */
export function commitOf(folder: string): string | null {
  try {
    const options = { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] } as const;
    return execFileSync("git", ["rev-parse", "--verify", "HEAD"], options).trim() || null;
  } catch {
    return null;
  }
}
