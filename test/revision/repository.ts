import { execFileSync } from "node:child_process";

/** A git repository in a folder, with an author and without anybody's own settings. */
export function repository(folder: string) {
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...words], {
      cwd: folder,
      env,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  git("init", "-q", "-b", "main");
  return {
    git,
    /** Commits everything; its full ID. */
    commit: () => {
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", "work");
      return git("rev-parse", "HEAD");
    },
  };
}
